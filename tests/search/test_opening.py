"""What an opened run may be: refused without a trace, or gone on with under its own terms."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted_driver import SETTINGS, driver_of, opened

from workbench.errors import ConfigError, StoreError
from workbench.models import Message, Role
from workbench.runs import Request, RunStore
from workbench.sandbox import LocalSandbox
from workbench.search import (
    IslandSearch,
    IslandSearchSettings,
    RunSettings,
    stored_settings,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


class _Reworded(IslandSearch):
    """The search as a later version of Workbench would have it: with other words in its prompt."""

    def ask(self, at_most: int | None = None) -> list[Request]:
        requests = super().ask(at_most)
        self._asked = {request.step: _reworded(request) for request in requests}
        return list(self._asked.values())


def _reworded(request: Request) -> Request:
    if request.prompt is None:
        return request
    conversation = (Message(Role.USER, f"Please! {request.prompt.text}"),)
    return replace(request, prompt=replace(request.prompt, conversation=conversation))


def test_replies_to_other_words_are_not_taken_for_replies_to_these(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = opened(path, sandbox)
    driver.run(rounds=1)
    driver.generate(driver.ask())
    driver.store.close()
    with (
        RunStore.open(path, write=True) as store,
        pytest.raises(StoreError, match=r"step 1 in .* asked differently"),
    ):
        driver_of(store, sandbox, _Reworded)


def test_a_store_with_steps_that_the_search_never_asks_for_is_refused(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = opened(path, sandbox)
    driver.run()
    driver.store.close()
    for where in (999, 14):
        connection = sqlite3.connect(path)
        connection.execute(
            "INSERT INTO completions SELECT ?, body FROM completions WHERE step = 1", (where,)
        )
        connection.commit()
        connection.close()
        for _ in range(2):  # the refusal left no lock behind
            with pytest.raises(StoreError, match="asked differently"):
                opened(path, sandbox)


def test_an_open_that_fails_leaves_neither_a_lock_nor_a_run(
    path: Path, sandbox: LocalSandbox
) -> None:
    nothing = RunSettings(search=IslandSearchSettings(rounds=1), starts_from="drafts")
    with pytest.raises(ConfigError, match="nothing to start"):
        opened(path, sandbox, nothing)
    assert list(path.parent.iterdir()) == []
    opened(path, sandbox).store.close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO steps VALUES (0, '{')")
    connection.commit()
    connection.close()
    for _ in range(2):
        with pytest.raises(StoreError, match="read run store"):
            opened(path, sandbox)


def test_a_run_judged_by_another_evaluator_is_not_carried_on(
    path: Path, sandbox: LocalSandbox
) -> None:
    opened(path, sandbox).store.close()
    connection = sqlite3.connect(path)
    (text,) = connection.execute("SELECT value FROM meta WHERE key = 'manifest'").fetchone()
    manifest = json.loads(text)
    manifest["evaluator_version"] -= 1
    connection.execute("UPDATE meta SET value = ? WHERE key = 'manifest'", (json.dumps(manifest),))
    connection.commit()
    connection.close()
    with pytest.raises(ConfigError, match="evaluator_version"):
        opened(path, sandbox)


@pytest.mark.parametrize(
    "changed", [{"temprature": 1}, {"budget": {"evaluatoins": 3}}, {"search": {"round": 3}}]
)
def test_stored_settings_that_nobody_knows_are_refused(
    path: Path, sandbox: LocalSandbox, changed: dict[str, Any]
) -> None:
    manifest = opened(path, sandbox).store.manifest
    assert stored_settings(manifest) == SETTINGS
    (name,) = {**changed, **changed.get("budget", {}), **changed.get("search", {})}.keys() - {
        "budget",
        "search",
    }
    with pytest.raises(ConfigError, match=name):
        stored_settings(replace(manifest, settings=manifest.settings | changed))


def test_a_run_is_not_carried_on_under_other_settings(path: Path, sandbox: LocalSandbox) -> None:
    opened(path, sandbox).store.close()
    other = RunSettings(search=SETTINGS.search, seed=6)
    with pytest.raises(ConfigError, match="seed: 5 -> 6"):
        opened(path, sandbox, other)
    with RunStore.open(path, write=True):
        pass  # the refusal left no lock behind
