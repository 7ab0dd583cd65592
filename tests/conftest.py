"""What all tests share: one real sandbox a session."""

from collections.abc import Iterator

import pytest

from workbench.evaluation import Evaluator
from workbench.models.transformers import TransformersModel
from workbench.models.weights import SMOLLM2_135M, fetch
from workbench.sandbox import LocalSandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox() as started:
        yield started


@pytest.fixture
def evaluator(sandbox: LocalSandbox) -> Evaluator:
    return Evaluator(sandbox)


@pytest.fixture(scope="session")
def small_model() -> Iterator[TransformersModel]:
    """SmolLM2-135M on one thread; the first use fetches 93 MB."""
    model = TransformersModel(str(fetch(SMOLLM2_135M)), name=SMOLLM2_135M.name, threads=1)
    yield model
    model.close()
