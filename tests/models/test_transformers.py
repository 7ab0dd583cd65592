import _thread
import json
import shutil
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tiny_model

from workbench.errors import ConfigError, ModelError
from workbench.models import Completion, Conversation, Message, Role, Sampling
from workbench.models.transformers import TransformersModel


def user(text: str) -> Conversation:
    return (Message(Role.USER, text),)


SHORT, MIDDLE, LONG = user("hi"), user("add two numbers"), user("sort this list, please " * 4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write_model(tmp_path_factory.mktemp("tiny"), sharpness=2.0)


@pytest.fixture(scope="module")
def model(folder: Path) -> TransformersModel:
    return TransformersModel(str(folder), threads=1)


def replies(
    model: TransformersModel, conversations: list[Conversation], seeds: list[int], **how: Any
) -> list[Completion]:
    found = dict(model.generate(conversations, Sampling(**how), seeds=seeds))
    return [found[position] for position in range(len(conversations))]


def next_token(folder: Path, conversation: Conversation) -> tuple[Any, list[str]]:
    """Logits of the model's own forward pass, and what each token reads as."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network: Any = AutoModelForCausalLM.from_pretrained(folder)
    text = tokenizer.apply_chat_template(
        [{"role": "user", "content": conversation[0].content}], tokenize=False
    )
    with torch.inference_mode():
        logits = network(**tokenizer(text, return_tensors="pt")).logits[0, -1]
    words = [tokenizer.decode([token], skip_special_tokens=True) for token in range(len(logits))]
    return logits, words


def test_nothing_is_loaded_before_the_first_reply(folder: Path) -> None:
    model = TransformersModel(str(folder / "missing"))
    with pytest.raises(ModelError, match="missing"):
        replies(model, [SHORT], [0], max_tokens=1)


def test_replies_are_drawn_from_the_softmax(folder: Path) -> None:
    draws = 4000
    model = TransformersModel(str(folder), batch_size=500, threads=1)
    drawn = replies(model, [SHORT] * draws, list(range(draws)), max_tokens=1, temperature=1.5)
    counts = Counter(completion.text for completion in drawn)
    logits, words = next_token(folder, SHORT)
    odds: Counter[str] = Counter()  # bytes that are no text of their own read alike
    for word, share in zip(words, (logits / 1.5).softmax(-1).tolist(), strict=True):
        odds[word] += share
    for word, share in odds.most_common(20):
        deviation = (draws * share * (1 - share)) ** 0.5
        assert abs(counts[word] - draws * share) < 4.5 * deviation


def test_nothing_outside_the_nucleus_is_drawn(folder: Path) -> None:
    model = TransformersModel(str(folder), batch_size=500, threads=1)
    drawn = replies(model, [SHORT] * 500, list(range(500)), max_tokens=1, temperature=1, top_p=0.5)
    logits, words = next_token(folder, SHORT)
    odds = logits.softmax(-1).tolist()
    nucleus, mass = set(), 0.0
    for token in sorted(range(len(odds)), key=odds.__getitem__, reverse=True):
        if mass >= 0.5:
            break
        nucleus.add(words[token])
        mass += odds[token]
    assert {completion.text for completion in drawn} == nucleus


def test_greedy_reply_is_the_likeliest_token(folder: Path, model: TransformersModel) -> None:
    logits, words = next_token(folder, SHORT)
    (completion,) = replies(model, [SHORT], [0], max_tokens=1, temperature=0)
    assert completion.text == words[int(logits.argmax())]


def test_penalties_that_the_checkpoint_asks_for_are_not_applied(
    folder: Path, model: TransformersModel, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    config = json.loads((copy / "generation_config.json").read_text())
    wishes = {"repetition_penalty": 1.5, "no_repeat_ngram_size": 1, "suppress_tokens": [40, 41]}
    (copy / "generation_config.json").write_text(json.dumps({**config, **wishes}))
    penal = TransformersModel(str(copy), threads=1)
    for temperature in (0.0, 1.0):
        how = {"temperature": temperature, "max_tokens": 24}
        assert [r.text for r in replies(penal, [SHORT], [5], **how)] == [
            r.text for r in replies(model, [SHORT], [5], **how)
        ]


def test_seed_alone_decides_a_reply_whatever_its_neighbours(model: TransformersModel) -> None:
    (alone,) = replies(model, [SHORT], [5], max_tokens=40)
    first, _, _ = replies(model, [SHORT, LONG, MIDDLE], [5, 6, 7], max_tokens=40)
    _, _, last = replies(model, [MIDDLE, MIDDLE, SHORT], [8, 9, 5], max_tokens=40)
    assert alone.text == first.text == last.text


def test_other_seeds_give_other_replies(model: TransformersModel) -> None:
    texts = {reply.text for reply in replies(model, [SHORT] * 4, [1, 2, 3, 4], max_tokens=40)}
    assert len(texts) == 4


def test_global_random_state_is_left_alone(model: TransformersModel) -> None:
    import torch

    before = torch.get_rng_state()
    replies(model, [SHORT], [1], max_tokens=5)
    assert torch.equal(before, torch.get_rng_state())


def test_batches_come_shortest_first_and_one_at_a_time(folder: Path) -> None:
    model = TransformersModel(str(folder), batch_size=2, threads=1)
    conversations = [LONG, SHORT, MIDDLE, SHORT, LONG]
    order = [
        position
        for position, _ in model.generate(conversations, Sampling(max_tokens=2), seeds=range(5))
    ]
    assert order == [1, 3, 2, 0, 4]


def test_abandoned_call_does_not_run_the_rest(folder: Path) -> None:
    model = TransformersModel(str(folder), batch_size=1, threads=1)
    arriving = model.generate([SHORT] * 1000, Sampling(max_tokens=200), seeds=range(1000))
    next(arriving)
    arriving.close()
    assert len(replies(model, [SHORT], [1], max_tokens=3)) == 1


def test_tokens_are_counted_without_padding(model: TransformersModel) -> None:
    short, long = replies(model, [SHORT, LONG], [1, 2], max_tokens=9)
    template = len("<user\n") + len("\n<assistant\n") + 1  # each special token counts as one
    assert short.prompt_tokens == template + len(SHORT[0].content)
    assert long.prompt_tokens == template + len(LONG[0].content)
    for completion in (short, long):
        assert completion.completion_tokens <= 9
        assert completion.seconds > 0


def test_reply_ends_at_the_end_token_or_at_the_limit(model: TransformersModel) -> None:
    found = replies(model, [SHORT] * 48, list(range(48)), max_tokens=120, temperature=5)
    reasons = Counter(completion.finish_reason for completion in found)
    assert set(reasons) == {"stop", "length"}
    for completion in found:
        assert "<|im_end|>" not in completion.text
        assert (completion.completion_tokens == 120) or completion.finish_reason == "stop"


def test_time_limit_keeps_what_was_written(model: TransformersModel) -> None:
    (completion,) = replies(model, [SHORT], [1], max_tokens=400, timeout_s=1e-3)
    assert completion.finish_reason == "timeout"
    assert 1 <= completion.completion_tokens < 400


def test_prompt_without_room_for_the_reply_is_refused_with_the_lengths(
    model: TransformersModel,
) -> None:
    request = model.generate([user("x" * 500)], Sampling(max_tokens=100), seeds=[1])
    with pytest.raises(ModelError, match=r"519 tokens.*100.*512"):
        next(request)


def test_interrupt_leaves_the_model_usable(model: TransformersModel) -> None:
    import torch

    model.load()
    threads = torch.get_num_threads()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        replies(model, [SHORT] * 64, list(range(64)), max_tokens=490)
    timer.join()
    assert torch.get_num_threads() == threads
    (before,) = replies(model, [SHORT], [5], max_tokens=10)
    (after,) = replies(model, [SHORT], [5], max_tokens=10)
    assert before.text == after.text


def test_closed_model_loads_again(folder: Path) -> None:
    model = TransformersModel(str(folder), threads=1)
    (before,) = replies(model, [SHORT], [5], max_tokens=10)
    model.close()
    model.close()
    (after,) = replies(model, [SHORT], [5], max_tokens=10)
    assert before.text == after.text


def test_missing_folder_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="load model"):
        TransformersModel(str(tmp_path / "nothing")).load()


@pytest.mark.parametrize("setting", [{"batch_size": 0}, {"threads": 0}])
def test_counts_below_one_are_refused(setting: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        TransformersModel("anything", **setting)


def test_unknown_dtype_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match="float33"):
        TransformersModel(str(folder), dtype="float33").load()


def test_adapter_changes_the_replies(folder: Path, tmp_path: Path) -> None:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    base: Any = AutoModelForCausalLM.from_pretrained(folder)
    adapted = get_peft_model(base, LoraConfig(r=4, target_modules=["q_proj", "down_proj"]))
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.fill_(0.3)
    adapted.save_pretrained(str(tmp_path))
    plain = TransformersModel(str(folder), threads=1)
    tuned = TransformersModel(str(folder), adapter=str(tmp_path), threads=1)
    (before,) = replies(plain, [SHORT], [1], max_tokens=20, temperature=0)
    (after,) = replies(tuned, [SHORT], [1], max_tokens=20, temperature=0)
    assert before.text != after.text


def test_base_model_without_template_can_be_asked(tmp_path: Path) -> None:
    model = TransformersModel(str(tiny_model.write_model(tmp_path, template=None)), threads=1)
    (completion,) = replies(model, [user("hi")], [1], max_tokens=3)
    assert completion.prompt_tokens == len("### User\nhi\n\n### Assistant\n")


@pytest.mark.model
def test_small_model_answers_in_words(small_model: TransformersModel) -> None:
    question = user("What is the capital of France? Answer in one word.")
    (completion,) = replies(small_model, [question], [1], max_tokens=20, temperature=0)
    assert "Paris" in completion.text
    assert completion.finish_reason == "stop"


@pytest.mark.model
def test_small_models_reply_does_not_depend_on_its_batch(small_model: TransformersModel) -> None:
    question = user("Write a Python function that reverses a list.")
    (alone,) = replies(small_model, [question], [11], max_tokens=40)
    other = user("Explain, in a paragraph, why the sky looks blue at noon and red in the evening.")
    both = replies(small_model, [other, question], [3, 11], max_tokens=40)
    assert both[1].text == alone.text
    (different,) = replies(small_model, [question], [12], max_tokens=40)
    assert different.text != alone.text
