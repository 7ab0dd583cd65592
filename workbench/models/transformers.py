"""Local models through transformers: CPU or GPU, with LoRA adapters. Training is done elsewhere."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from workbench.errors import ConfigError, ModelError, boundary
from workbench.models.chat import Rendered, check_request, check_room, render
from workbench.models.language_model import Completion, Conversation, Sampling
from workbench.models.reasoning import split_reasoning


@dataclass(eq=False)
class TransformersModel:
    """A model folder or hub id, run in this process, a batch at a time.

    Loading waits for the first `generate` (or `load`). Each conversation is sampled from its own
    random stream, so its reply depends on its seed and not on its neighbours in the batch, up to
    rounding: padding changes the last bits of the logits. In float32 that is rare (16 of 16
    replies of 80 tokens were the same alone and among eight); in bfloat16 expect it sometimes.

    Attributes:
        path: folder with config, weights and tokenizer, or a hub id.
        name: what the run records; the path if empty.
        adapter: folder of a LoRA adapter on top of it, or None.
        device: "cpu", "cuda", "cuda:1", "mps"; "auto" takes what there is.
        dtype: a torch dtype by name; "auto" is float32 off a GPU, where bfloat16 was measured
            36 times slower, and on a GPU bfloat16 or, if it lacks that, float16.
        batch_size: conversations at once; None is 16, on a GPU 32.
        threads: CPU threads; None obeys OMP_NUM_THREADS and else takes the cores that are idle
            when a batch begins: a thread more than that is several times slower, not faster.
    """

    path: str
    _: KW_ONLY
    name: str = ""
    adapter: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    batch_size: int | None = None
    threads: int | None = None
    _loaded: "_Loaded | None" = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse settings that cannot work.

        Raises:
            ConfigError: a count below one.
        """
        self.name = self.name or self.path
        for setting in ("batch_size", "threads"):
            value = getattr(self, setting)
            if value is not None and value < 1:
                raise ConfigError(f"{setting} must be at least 1, got {value}")

    def load(self) -> None:
        """Bring model and tokenizer into memory; does nothing if they are there.

        Raises:
            ModelError: the folder or hub id cannot be loaded.
            ConfigError: torch knows no such dtype.
        """
        self._ready()

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        """Complete in batches of similar length, shortest prompts first.

        A batch that exceeds `sampling.timeout_s` is cut; its replies so far are given with the
        finish reason "timeout".

        Raises:
            ModelError: loading failed, a prompt leaves no room for the reply, or memory ran out.
            ConfigError: seeds and conversations do not match.
        """
        check_request(conversations, seeds)
        loaded = self._ready()
        prompts = [render(loaded.tokenizer, conversation) for conversation in conversations]
        check_room(prompts, sampling.max_tokens, loaded.window)
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place].token_ids))
        size = self.batch_size or (16 if loaded.device == "cpu" else 32)
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            with boundary(ModelError, _advice(len(batch))), _threads(self.threads):
                completions = loaded.complete(
                    [prompts[place] for place in batch], sampling, [seeds[place] for place in batch]
                )
            yield from zip(batch, completions, strict=True)

    def close(self) -> None:
        """Free the memory; a later `generate` loads again."""
        if self._loaded is not None:
            on_gpu = self._loaded.device.startswith("cuda")
            self._loaded = None
            if on_gpu:
                import torch

                torch.cuda.empty_cache()

    def _ready(self) -> "_Loaded":
        if self._loaded is None:
            with boundary(ModelError, f"load model {self.path!r}"), _threads(self.threads):
                self._loaded = _load(self)
        return self._loaded


@dataclass(frozen=True)
class _Loaded:
    """Model and tokenizer in memory."""

    model: Any
    tokenizer: Any
    device: str
    window: int | None
    ends: frozenset[int]

    def complete(
        self, prompts: list[Rendered], sampling: Sampling, seeds: list[int]
    ) -> list[Completion]:
        """Run one batch."""
        import torch
        from transformers import GenerationConfig

        started = time.perf_counter()
        width = max(len(prompt.token_ids) for prompt in prompts)
        padding = [width - len(prompt.token_ids) for prompt in prompts]
        pad = min(self.ends, default=0)
        ids = torch.tensor(
            [[pad] * n + list(p.token_ids) for n, p in zip(padding, prompts, strict=True)]
        )
        mask = torch.tensor([[0] * n + [1] * (width - n) for n in padding])
        settings = GenerationConfig(  # type: ignore[no-untyped-call]  # transformers' own
            do_sample=False,  # sampling is done by the processor, one random stream a row
            max_new_tokens=sampling.max_tokens,
            max_time=sampling.timeout_s,
            eos_token_id=sorted(self.ends) or None,
            pad_token_id=pad,
        )
        with torch.inference_mode():
            output = self.model.generate(
                input_ids=ids.to(self.device),
                attention_mask=mask.to(self.device),
                generation_config=settings,
                logits_processor=_processors(sampling, seeds, self.device),
            )
        rows = output[:, width:].tolist()
        seconds = (time.perf_counter() - started) / len(prompts)
        return [
            self._completion(prompt, row, sampling.max_tokens, seconds)
            for prompt, row in zip(prompts, rows, strict=True)
        ]

    def _completion(
        self, prompt: Rendered, row: list[int], max_tokens: int, seconds: float
    ) -> Completion:
        end = next((place for place, token in enumerate(row) if token in self.ends), None)
        written = row if end is None else row[: end + 1]
        cut = "length" if len(row) >= max_tokens else "timeout"
        # Cleaning up spaces would alter programs.
        reply = self.tokenizer.decode(
            written, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        text, reasoning = split_reasoning(reply, opened=prompt.thinking)
        return Completion(
            text=text,
            reasoning=reasoning,
            finish_reason=cut if end is None else "stop",
            prompt_tokens=len(prompt.token_ids),
            completion_tokens=len(written),
            seconds=seconds,
        )


def _load(settings: TransformersModel) -> _Loaded:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    # Programs run in child processes; a tokenizer's thread pool does not survive a fork.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    device = settings.device if settings.device != "auto" else _best_device()
    dtype = getattr(torch, settings.dtype if settings.dtype != "auto" else _best_dtype(device), "")
    if not isinstance(dtype, torch.dtype):
        raise ConfigError(f"dtype must name a torch dtype like 'float32', got {settings.dtype!r}")
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(settings.path)
        model: Any = AutoModelForCausalLM.from_pretrained(settings.path, dtype=dtype)
        ends = _ends(model.generation_config.eos_token_id) | _ends(tokenizer.eos_token_id)
        # What else the checkpoint asks for, such as a penalty for repetition, would change the
        # distribution that the caller asked for.
        model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
        if settings.adapter is not None:
            from peft import PeftModel

            model = PeftModel.from_pretrained(model, settings.adapter)
    model.to(device).eval()
    window = getattr(model.config, "max_position_embeddings", None)
    return _Loaded(model, tokenizer, device, window, ends)


def _ends(token_ids: int | list[int] | None) -> frozenset[int]:
    if token_ids is None:
        return frozenset()
    return frozenset([token_ids] if isinstance(token_ids, int) else token_ids)


def _best_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _best_dtype(device: str) -> str:
    import torch

    if not device.startswith("cuda"):
        return "float32"
    return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"


def _processors(sampling: Sampling, seeds: list[int], device: str) -> list[Any]:
    """What turns the most likely token into a drawn one; nothing for greedy decoding."""
    import torch

    if sampling.temperature == 0:
        return []
    # MPS has no generators of its own that can be seeded apart; noise is drawn on the CPU there.
    place = device if device.startswith("cuda") else "cpu"
    streams = [torch.Generator(place).manual_seed(seed % 2**63) for seed in seeds]

    def draw(_: Any, logits: Any) -> Any:
        scaled = _nucleus(logits.float() / sampling.temperature, sampling.top_p)
        noise = torch.empty(scaled.shape, device=place)
        for row, stream in zip(noise, streams, strict=True):
            row.exponential_(generator=stream)
        # The largest of logit - log(exponential noise) is a draw from the softmax.
        return scaled - noise.log().to(scaled.device)

    return [draw]


def _nucleus(logits: Any, top_p: float) -> Any:
    """Logits with all but the smallest set of tokens that holds `top_p` at minus infinity.

    Source: Holtzman et al. 2020, section 3.1.
    """
    import torch

    if top_p == 1:
        return logits
    ordered, places = logits.sort(dim=-1, descending=True)
    mass = ordered.softmax(dim=-1)
    outside = torch.zeros_like(mass, dtype=torch.bool)
    outside.scatter_(-1, places, mass.cumsum(dim=-1) - mass >= top_p)
    return logits.masked_fill(outside, float("-inf"))


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Use `count` torch threads meanwhile; the setting is the whole process's."""
    import torch

    before = torch.get_num_threads()
    if count is None and "OMP_NUM_THREADS" not in os.environ:
        count = _idle_cores(before)
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _idle_cores(most: int) -> int:
    """Between 1 and `most`: how many cores nobody uses in the next tenth of a second."""
    import psutil

    busy: float = psutil.cpu_percent(interval=0.1) / 100 * (psutil.cpu_count() or 1)
    return max(1, min(most, most - round(busy)))


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars off the terminal meanwhile."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # transformers' own
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # transformers' own


def _advice(size: int) -> str:
    return f"generate a batch of {size} (if memory ran out, lower batch_size)"
