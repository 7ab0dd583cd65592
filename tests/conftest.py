"""What all tests share: one real sandbox a session."""

from collections.abc import Iterator

import pytest

from workbench.evaluation import Evaluator
from workbench.sandbox import LocalSandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox() as started:
        yield started


@pytest.fixture
def evaluator(sandbox: LocalSandbox) -> Evaluator:
    return Evaluator(sandbox)
