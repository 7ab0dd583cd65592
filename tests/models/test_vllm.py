"""What can be held of the vLLM backend without vLLM: how it reads an engine, handed in here."""

import time
from dataclasses import dataclass

import pytest

from workbench.errors import ModelError
from workbench.models.vllm import _finished


@dataclass
class Output:
    request_id: str
    finished: bool


class Engine:
    """Takes a step every 0.1 s and finishes the requests that are listed for that step."""

    def __init__(self, *steps: list[str]) -> None:
        self._steps = list(steps)

    def has_unfinished_requests(self) -> bool:
        return bool(self._steps)

    def step(self) -> list[Output]:
        time.sleep(0.1)
        return [Output("busy", finished=False), *(Output(n, True) for n in self._steps.pop(0))]


def test_outputs_come_as_they_finish() -> None:
    found = list(_finished(Engine(["1"], [], ["0", "2"]), timeout_s=10))
    assert [output.request_id for output, _ in found] == ["1", "0", "2"]
    (_, first), (_, second), (_, third) = found
    assert first < second == third


def test_engine_that_finishes_nothing_for_too_long_is_given_up() -> None:
    with pytest.raises(ModelError, match=r"no reply within 0\.25 s"):
        list(_finished(Engine(*[[]] * 100, ["0"]), timeout_s=0.25))


def test_time_that_the_caller_takes_is_not_the_engines() -> None:
    seen = []
    for output, _ in _finished(Engine(["0"], [], ["1"]), timeout_s=0.9):
        time.sleep(1.0)  # evaluates the program
        seen.append(output.request_id)
    assert seen == ["0", "1"]
