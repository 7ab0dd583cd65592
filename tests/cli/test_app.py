"""The command line as a user meets it: real processes, real exit codes."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from workbench.runs import RunStore

WORKBENCH = [sys.executable, "-m", "workbench.cli"]


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WORKBENCH, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _json(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    (line,) = run.stdout.splitlines()
    found = json.loads(line)
    assert isinstance(found, dict)
    return found


def _evolve(store: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _run(
        "evolve", "sum-to", "--model", "rewriter", "--rounds", "2", "--parents", "4",
        "--islands", "2", "--store", str(store), "--json", *arguments,
    )  # fmt: skip


def test_evolve_reports_every_figure_and_the_store_agrees(tmp_path: Path) -> None:
    run = _evolve(tmp_path)
    assert run.returncode == 0, run.stderr
    found = _json(run)
    assert {
        "task", "model", "start_fitness", "best_fitness", "completions", "parsed", "accepted",
        "improved", "evaluations", "seconds", "run",
    } <= set(found)  # fmt: skip
    assert found["completions"] == 8
    with RunStore.open(Path(found["run"])) as store:
        steps = [step for step in store.steps() if step.completion is not None]
        assert store.manifest.model == "rewriter"
    assert len(steps) == 8
    assert found["parsed"] == sum(step.child is not None for step in steps)
    assert found["accepted"] == sum(step.accepted for step in steps)
    fitness = [step.evaluation.fitness for step in steps if step.evaluation]
    assert found["best_fitness"] == max([found["start_fitness"], *fitness])


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("evolve", "sum-too"), 1, "sum-to"),
        (("evolve", "sum-to", "--model", "smolm2"), 2, "smollm2-135m"),
        (("evolve", "sum-to", "--model", "rewriter", "--parents", "0"), 2, "parents"),
        (("evolve", "sum-to", "--model", "rewriter", "--islands", "0"), 2, "count"),
        (("evolve", "sum-to", "--model", "rewriter", "--temperature", "-1"), 2, "temperature"),
        (("evolve",), 2, "name a task"),
        (("evolve", "sum-to", "--rounds", "many"), 2, "--rounds"),
        (
            ("evolve", "--resume", "x.sqlite", "--rounds", "50", "--seed", "0"),
            2,
            "--rounds, --seed",
        ),
        (("tasks", "--colour"), 2, "--colour"),
        (("evolve", "sum-to", "--trust", "L9"), 2, "L3"),
        (("tasks", "--source", "elsewhere"), 1, "bundled"),
    ],
)
def test_a_mistake_gives_a_message_a_code_and_one_json_object(
    tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    run = _run(*arguments, "--store", str(tmp_path), "--json")
    assert run.returncode == code, run.stderr
    assert words in _json(run)["error"]
    assert words in " ".join(run.stderr.split())
    assert "Traceback" not in run.stderr


def test_resuming_nothing_is_no_run_of_ones_own(tmp_path: Path) -> None:
    run = _run("evolve", "--resume", str(tmp_path / "nowhere.sqlite"), "--json")
    assert run.returncode == 1
    assert "no run store" in _json(run)["error"]


@pytest.mark.parametrize("arguments", [("evolv", "--json"), ("--json",)])
def test_a_command_that_there_is_not_gives_one_json_object_too(arguments: tuple[str, ...]) -> None:
    run = _run(*arguments)
    assert run.returncode == 2
    assert _json(run)["kind"] == "ConfigError"


def test_help_is_for_people_and_no_mistake() -> None:
    run = _run("evolve", "--help", "--json")
    assert run.returncode == 0
    assert "--resume" in run.stdout


def test_an_unreachable_endpoint_is_named_and_its_key_is_not(tmp_path: Path) -> None:
    run = _run(
        "evolve", "sum-to", "--model", "openai:some", "--rounds", "1", "--parents", "1",
        "--store", str(tmp_path), "--json",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_API_KEY="canary-key",
    )  # fmt: skip
    assert run.returncode == 1
    assert "127.0.0.1:9" in _json(run)["error"]
    assert "--resume" in run.stderr
    assert "canary-key" not in run.stdout + run.stderr
    assert not any(b"canary-key" in path.read_bytes() for path in tmp_path.iterdir())


def test_an_interrupt_keeps_what_was_done_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    process = subprocess.Popen(
        [
            *WORKBENCH, "evolve", "sum-to", "--model", "rewriter", "--rounds", "200",
            "--trust", "L0", "--store", str(folder),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    path = _wait_for_steps(folder, 5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"workbench evolve sum-to --resume '{path}' --trust L0\n" in errors
    with RunStore.open(path, write=True) as store:
        assert len(store.steps()) >= 5


def _wait_for_steps(folder: Path, count: int) -> Path:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for path in folder.glob("*.sqlite"):
            with RunStore.open(path) as store:
                if len(store.steps()) >= count:
                    return path
        time.sleep(0.1)
    raise AssertionError("no steps were recorded in a minute")


def test_resume_takes_task_model_and_settings_from_the_run(tmp_path: Path) -> None:
    first = _json(_evolve(tmp_path))
    again = _run("evolve", "--resume", first["run"], "--json")
    assert again.returncode == 0, again.stderr
    second = _json(again)
    for name in ("task", "model", "completions", "evaluations", "start_fitness"):
        assert second[name] == first[name]


def test_tasks_lists_the_bundled_set_with_its_runs(tmp_path: Path) -> None:
    _evolve(tmp_path)
    found = _json(_run("tasks", "--store", str(tmp_path), "--json"))
    tasks = {task["name"]: task for task in found["tasks"]}
    assert len(tasks) >= 12
    modes = [task["mode"] for task in tasks.values()]
    assert modes.count("script") == modes.count("function")
    assert tasks["sum-to"]["runs"] == 1


def test_tasks_names_what_is_no_run_and_counts_the_others(tmp_path: Path) -> None:
    _evolve(tmp_path)
    connection = sqlite3.connect(tmp_path / "addresses.sqlite")
    connection.execute("CREATE TABLE people (name)")
    connection.close()
    (tmp_path / "empty.sqlite").touch()
    run = _run("tasks", "--store", str(tmp_path), "--json")
    assert run.returncode == 0, run.stderr
    assert {task["name"]: task["runs"] for task in _json(run)["tasks"]}["sum-to"] == 1
    for name in ("addresses", "empty"):
        assert f"Not counted: {tmp_path / name}.sqlite is no run store" in run.stderr


def test_the_demo_sets_a_control_beside_the_model_and_goes_on_when_called_again(
    tmp_path: Path,
) -> None:
    first, again = (
        _run("demo", "--model", "rewriter", "--store", str(tmp_path), "--json") for _ in range(2)
    )
    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    runs, repeated = _json(first)["runs"], _json(again)["runs"]
    assert [run["run"] for run in repeated] == [run["run"] for run in runs]
    assert [run["completions"] for run in repeated] == [run["completions"] for run in runs]
    for with_model, control in zip(runs[::2], runs[1::2], strict=True):
        assert with_model["task"] == control["task"]
        assert control["evaluations"] <= with_model["evaluations"]
    improved = any(run["improved"] for run in runs[::2])
    assert ("improved nothing" in first.stderr) is not improved
    gains = [run for run in runs[::2] if run["improved"] and (run["speedup_low"] or 2) > 1]
    assert ("The model's best gain: " in first.stderr) is bool(gains)
    assert ("+++ best" in first.stderr) is bool(gains)


def test_doctor_reports_versions_models_sandbox_and_disk(tmp_path: Path) -> None:
    run = _run("doctor", "--store", str(tmp_path), "--json")
    assert run.returncode == 0, run.stderr
    found = _json(run)
    assert found["packages"]["torch"].startswith("2.13")
    assert any(model["name"] == "smollm2-135m" for model in found["models"])
    assert found["sandbox"]["trust"] in {"L0", "L1", "L2", "L3"}
    assert found["sandbox"]["attacker_could_still"]
    assert found["disk_free_gib"] > 0
