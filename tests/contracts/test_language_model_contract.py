"""What every backend promises, shown on each of them."""

from collections.abc import Iterator

import pytest
import tiny_model
from chat_server import MODEL, chat_server

from workbench.errors import ConfigError
from workbench.models import (
    Completion,
    Conversation,
    LanguageModel,
    Message,
    Role,
    Sampling,
    ScriptedModel,
)
from workbench.models.openai import EndpointModel
from workbench.models.rewriter import Rewriter
from workbench.models.transformers import TransformersModel

PROGRAM = """```python
def double(n):
    total = 0
    for _ in range(n):
        total += 2
    return total
```"""
SAMPLING = Sampling(max_tokens=12)


def ask(text: str) -> Conversation:
    return (Message(Role.SYSTEM, "You improve programs."), Message(Role.USER, text))


CONVERSATIONS = [ask(f"Make this faster.\n{PROGRAM}"), ask("Hello there"), ask("Ünïcode: 素数 🙂")]


def texts(model: LanguageModel, conversations: list[Conversation], seeds: list[int]) -> list[str]:
    found = dict(model.generate(conversations, SAMPLING, seeds=seeds))
    return [found[position].text for position in range(len(conversations))]


class LanguageModelContract:
    """Inherited once a backend; `model` is that backend, ready to answer."""

    def test_name_is_stable(self, model: LanguageModel) -> None:
        assert model.name
        assert model.name == model.name

    def test_each_position_is_answered_once(self, model: LanguageModel) -> None:
        answers = list(model.generate(CONVERSATIONS, SAMPLING, seeds=[1, 2, 3]))
        assert sorted(position for position, _ in answers) == [0, 1, 2]
        assert all(isinstance(completion, Completion) for _, completion in answers)

    def test_completions_are_sound_records(self, model: LanguageModel) -> None:
        for _, completion in model.generate(CONVERSATIONS, SAMPLING, seeds=[1, 2, 3]):
            assert completion.finish_reason
            assert completion.prompt_tokens >= 0
            assert completion.completion_tokens >= 0
            assert 0 <= completion.seconds < 600
            assert (completion.text + completion.reasoning).encode()

    def test_no_conversations_no_answers(self, model: LanguageModel) -> None:
        assert list(model.generate([], SAMPLING, seeds=[])) == []

    def test_equal_seeds_give_equal_replies(self, model: LanguageModel) -> None:
        first = texts(model, CONVERSATIONS, [1, 2, 3])
        assert texts(model, CONVERSATIONS, [1, 2, 3]) == first

    def test_reply_does_not_depend_on_its_place(self, model: LanguageModel) -> None:
        first = texts(model, CONVERSATIONS, [1, 2, 3])
        turned = texts(model, CONVERSATIONS[::-1], [3, 2, 1])
        assert turned[::-1] == first
        assert texts(model, [CONVERSATIONS[1]], [2]) == [first[1]]

    def test_large_and_negative_seeds_are_taken(self, model: LanguageModel) -> None:
        assert len(texts(model, CONVERSATIONS, [2**64 - 1, -5, 0])) == 3

    def test_seeds_must_be_one_a_conversation(self, model: LanguageModel) -> None:
        with pytest.raises((ConfigError, ValueError)):
            list(model.generate(CONVERSATIONS, SAMPLING, seeds=[1]))

    def test_abandoned_call_leaves_the_model_usable(self, model: LanguageModel) -> None:
        arriving = model.generate(CONVERSATIONS, SAMPLING, seeds=[1, 2, 3])
        next(arriving)
        arriving.close()
        assert texts(model, CONVERSATIONS, [1, 2, 3])

    def test_lone_surrogate_in_a_program_is_no_obstacle(self, model: LanguageModel) -> None:
        assert len(texts(model, [ask(PROGRAM.replace("total", "'\ud800'"))], [1])) == 1


class SamplingContract(LanguageModelContract):
    """For backends that draw tokens."""

    def test_other_seeds_give_other_replies(self, model: LanguageModel) -> None:
        assert len(set(texts(model, [CONVERSATIONS[1]] * 6, [1, 2, 3, 4, 5, 6]))) > 1

    def test_limit_on_tokens_holds(self, model: LanguageModel) -> None:
        for limit in (1, 5):
            sampling = Sampling(max_tokens=limit)
            for _, completion in model.generate(CONVERSATIONS, sampling, seeds=[1, 2, 3]):
                assert 0 < completion.completion_tokens <= limit
                if completion.completion_tokens < limit:
                    assert completion.finish_reason == "stop"


class TestScriptedModel(SamplingContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return ScriptedModel(lambda talk, seed: f"{seed} heard {talk[-1].content} " + "on " * 9)


class TestRewriter(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return Rewriter()


class TestEndpointModel(SamplingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> Iterator[LanguageModel]:
        with chat_server() as server:
            model = EndpointModel(MODEL, base_url=server.url)
            yield model
            model.close()


class TestTransformersModel(SamplingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def model(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageModel]:
        folder = tiny_model.write_model(tmp_path_factory.mktemp("tiny"))
        model = TransformersModel(str(folder), batch_size=2, threads=1)
        yield model
        model.close()


@pytest.mark.model
class TestSmallModel(SamplingContract):
    @pytest.fixture
    def model(self, small_model: TransformersModel) -> LanguageModel:
        return small_model


@pytest.mark.parametrize("backend", ["scripted", "endpoint", "transformers"])
def test_closing_twice_does_nothing(backend: str) -> None:
    models: dict[str, LanguageModel] = {
        "scripted": ScriptedModel(["x"]),
        "endpoint": EndpointModel(MODEL, base_url="http://localhost:1/v1"),
        "transformers": TransformersModel("never loaded"),
    }
    models[backend].close()
    models[backend].close()
    assert models[backend].name, "a closed model still says which one it was"
