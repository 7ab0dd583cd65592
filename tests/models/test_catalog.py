import importlib.util
import json
from pathlib import Path

import pytest
import tiny_model
from chat_server import KEY, MODEL, chat_server, fail

from workbench.errors import ConfigError, ModelError
from workbench.models import Message, Role, Sampling, best_local, list_models, open_model
from workbench.models.catalog import FORMS
from workbench.models.openai import EndpointModel
from workbench.models.rewriter import Rewriter
from workbench.models.transformers import TransformersModel
from workbench.models.vllm import VllmModel

ASK = (Message(Role.USER, "hello"),)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No endpoint is configured, whatever the developer's shell says."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def adapter_folder(folder: Path, base: str) -> str:
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": base}))
    return str(folder)


def test_rewriter_is_opened_by_name() -> None:
    assert isinstance(open_model("rewriter"), Rewriter)


def test_folder_is_run_through_transformers(tmp_path: Path) -> None:
    folder = str(tiny_model.write_model(tmp_path))
    model = open_model(folder, threads=1, batch_size=3)
    assert isinstance(model, TransformersModel)
    assert (model.name, model.path, model.batch_size) == (folder, folder, 3)
    assert len(list(model.generate([ASK], Sampling(max_tokens=2), seeds=[1]))) == 1


def test_hub_name_is_not_loaded_before_use() -> None:
    model = open_model("hf:someone/something")
    assert isinstance(model, TransformersModel)
    assert (model.name, model.path) == ("hf:someone/something", "someone/something")


@pytest.mark.parametrize("prefix", ["", "hf:", "vllm:"])
def test_adapters_folder_brings_its_base_model(tmp_path: Path, prefix: str) -> None:
    adapter = adapter_folder(tmp_path, "someone/base")
    model = open_model(prefix + adapter)
    assert isinstance(model, TransformersModel | VllmModel)
    assert (model.path, model.adapter) == ("someone/base", adapter)


def test_adapters_folder_with_a_broken_config_is_a_model_error(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"adapter_config\.json"):
        open_model(str(tmp_path))


def test_endpoint_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        model = open_model(f"openai:{MODEL}", concurrency=2)
        assert isinstance(model, EndpointModel)
        assert model.name == f"openai:{MODEL}"
        assert len(list(model.generate([ASK], Sampling(), seeds=[1]))) == 1
        assert server.keys == [f"Bearer {KEY}"]
        assert server.requests[0]["model"] == MODEL


def test_endpoint_that_would_need_a_key_says_so() -> None:
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY.*OPENAI_BASE_URL"):
        open_model("openai:some-model")


def test_empty_key_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with pytest.raises(ConfigError, match="needs OPENAI_API_KEY"):
        open_model("openai:some-model")


def test_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://[bad/v1")
    with pytest.raises(ConfigError, match="base_url cannot be"):
        open_model("openai:some-model")


def test_name_too_long_for_a_folder_is_refused_like_any_other() -> None:
    with pytest.raises(ConfigError, match="no model is called"):
        open_model("a" * 300)
    with pytest.raises(ModelError, match="File name too long"):
        open_model("hf:" + "a" * 300)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("smollm2", "did you mean smollm2-135m"),
        ("rewrite", "did you mean rewriter"),
        ("Qwen/Qwen3-0.6B", "did you mean hf:Qwen/Qwen3-0.6B"),
        ("openai:", "openai:NAME"),
        ("", "no model is called ''"),
    ],
)
def test_unknown_name_is_refused_with_what_was_meant(name: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_model(name)
    assert hint in str(caught.value)
    assert all(form in str(caught.value) for form in FORMS)


@pytest.mark.parametrize("name", ["hf:a/b", "vllm:a/b", "rewriter"])
def test_unknown_option_is_refused_by_name(name: str) -> None:
    with pytest.raises(ConfigError, match="no option 'temperature'"):
        open_model(name, temperature=1)


@pytest.mark.skipif(
    importlib.util.find_spec("vllm") is not None, reason="shows what happens without vLLM"
)
def test_missing_vllm_is_said_with_the_remedy_at_first_use() -> None:
    model = open_model("vllm:someone/something")
    with pytest.raises(ModelError, match=r"pip install --editable '.\[gpu\]'"):
        next(model.generate([ASK], Sampling(), seeds=[1]))


def test_best_local_model_can_be_opened_and_says_why() -> None:
    name, why = best_local()
    assert name == "smollm2-135m" or name.startswith("vllm:")
    assert "CPU" in why or "GPU" in why


def test_every_form_is_listed_with_a_reason() -> None:
    listed = {entry.form: entry for entry in list_models()}
    assert set(listed) == {"smollm2-135m", "rewriter", "hf:ORG/NAME", "vllm:NAME", "openai:NAME"}
    assert all(entry.why for entry in listed.values())
    assert listed["rewriter"].available
    assert not listed["openai:NAME"].available
    assert "OPENAI_BASE_URL" in listed["openai:NAME"].why


def test_listing_asks_the_endpoint_what_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        (entry,) = [entry for entry in list_models() if entry.form == "openai:NAME"]
    assert entry.available
    assert MODEL in entry.why


def test_listing_survives_an_endpoint_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(lambda *_: fail(500)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (entry,) = [entry for entry in list_models() if entry.form == "openai:NAME"]
    assert not entry.available
    assert "cannot talk to" in entry.why
    assert KEY not in entry.why


def test_listing_survives_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hidden@host:abc/v1")
    (entry,) = [entry for entry in list_models() if entry.form == "openai:NAME"]
    assert not entry.available
    assert entry.why == "base_url cannot be 'host:abc/v1': its host or port is malformed"
