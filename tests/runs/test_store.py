"""The store on a real file: what is kept, what is refused, what a full disk does."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PosixPath

import pytest
from builders import candidate, double_task, evaluation

from workbench.errors import StoreError
from workbench.evaluation import Comparison, Decision
from workbench.models import Completion
from workbench.population import Migration
from workbench.programs import EditKind, Program
from workbench.prompts import improve
from workbench.runs import Manifest, Reply, Request, RoundOutcome, RunStore, Step, list_runs

MANIFEST = Manifest(
    method="island-search",
    task="double",
    task_digest="0" * 64,
    model="scripted",
    seed=3,
    settings={"search": {"rounds": 2}},
    provenance={"python": "3.11"},
    started_at=12.5,
)


def _reply(step: int = 1, text: str = "reply") -> Reply:
    request = Request(
        step=step,
        round=1,
        operator="improve",
        island=0,
        parents=(0,),
        prompt=improve(double_task(), candidate(0)),
        seed=5,
    )
    return Reply(request=request, completion=Completion(text=text, completion_tokens=4))


def _step(step: int = 1, text: str = "reply") -> Step:
    reply = _reply(step, text)
    child = Program(f"x = {step}\n")
    return Step(
        request=reply.request,
        completion=reply.completion,
        edit=EditKind.REWRITE,
        child=child,
        evaluation=evaluation(child, seconds=0.0123),
        comparison=Comparison(
            first="a", second=child.id, decision=Decision.FASTER, speedup=2.0, low=1.5, high=2.5
        ),
        finished_at=99.25,
    )


def test_what_is_recorded_comes_back_equal(tmp_path: Path) -> None:
    outcome = RoundOutcome(
        round=1,
        kept=(1,),
        dropped=(),
        migrations=(Migration(candidate=1, source=0, target=1),),
        best=1,
        best_fitness=0.075,
    )
    path = tmp_path / "run.sqlite"
    with RunStore.create(path, MANIFEST) as store:
        store.record_reply(_reply())
        store.record_step(_step())
        store.record_outcome(outcome)
    with RunStore.open(path) as store:
        assert store.manifest == MANIFEST
        assert store.replies() == {1: _reply()}
        assert store.steps() == [_step()]
        assert store.outcomes() == [outcome]


@pytest.mark.parametrize(
    "text", ["", "null\x00byte", "<script>alert(1)</script>", "\u202eright to left", "x" * 10**6]
)
def test_hostile_replies_are_kept_as_they_are(tmp_path: Path, text: str) -> None:
    with RunStore.create(tmp_path / "run.sqlite", MANIFEST) as store:
        store.record_reply(_reply(text=text))
        completion = store.replies()[1].completion
        assert completion is not None
        assert completion.text == text


def test_steps_come_in_order_of_number_whatever_the_order_of_arrival(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run.sqlite", MANIFEST) as store:
        for number in (3, 1, 2):
            store.record_step(_step(number))
        assert [step.id for step in store.steps()] == [1, 2, 3]
        assert [step.id for step in store.steps(after=1)] == [2, 3]


def test_a_reader_sees_steps_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with RunStore.create(path, MANIFEST) as store:
        store.record_step(_step(1))
        code = (
            "import sys; from pathlib import Path; from workbench.runs import RunStore\n"
            "print(len(RunStore.open(Path(sys.argv[1])).steps()))"
        )
        seen = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        )
        assert seen.stdout == "1\n"


def test_an_existing_run_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with RunStore.create(path, MANIFEST) as store:
        store.record_step(_step())
    with pytest.raises(StoreError, match="exists already"):
        RunStore.create(path, MANIFEST)
    with RunStore.open(path) as store:
        assert len(store.steps()) == 1


def test_a_second_writer_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with RunStore.create(path, MANIFEST) as store:
        with pytest.raises(StoreError, match=r"this process writes .* already.*close\(\)"):
            RunStore.open(path, write=True)
        store.record_step(_step())
        assert len(store.steps()) == 1
    with RunStore.open(path, write=True) as store:
        assert len(store.steps()) == 1


def test_a_writer_in_another_process_is_named_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with RunStore.create(path, MANIFEST):
        code = (
            "import sys; from pathlib import Path; from workbench.runs import RunStore\n"
            "RunStore.open(Path(sys.argv[1]), write=True)"
        )
        refused = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
        )
    assert f"another process (number {os.getpid()}) is writing to {path}" in refused.stderr


def test_a_store_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    RunStore.create(path, MANIFEST).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    connection.close()
    with pytest.raises(StoreError, match="version 99, this Workbench reads 1"):
        RunStore.open(path)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with pytest.raises(StoreError, match="no run store at"):
        RunStore.open(path)
    path.write_text("not a database, but long enough to be read as one" * 100)
    with pytest.raises(StoreError, match="is no run store"):
        RunStore.open(path)
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="is no run store"):
        RunStore.open(path)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_steps_of_a_killed_run_never_enter_a_new_one_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    code = (
        "import os, sys; from pathlib import Path; from test_store import MANIFEST, _step\n"
        "from workbench.runs import RunStore\n"
        "store = RunStore.create(Path(sys.argv[1]), MANIFEST); store.record_step(_step())\n"
        "os.kill(os.getpid(), 9)"
    )
    here = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])}
    killed = subprocess.run([sys.executable, "-c", code, str(path)], env=environment)
    assert killed.returncode == -signal.SIGKILL
    kept = path.read_bytes()
    path.unlink()
    with pytest.raises(StoreError, match="put that file back"):
        RunStore.create(path, MANIFEST)
    path.write_bytes(kept)
    with RunStore.open(path) as store:
        assert [step.id for step in store.steps()] == [1], "the refusal lost a step"
    path.unlink()
    (tmp_path / "run.sqlite-wal").unlink()
    with RunStore.create(path, MANIFEST) as store:
        assert store.steps() == []


def _created(path: Path) -> bool:
    """Whether a run with one step could be made at `path`, by somebody who then leaves."""
    try:
        with RunStore.create(path, MANIFEST) as store:
            store.record_step(_step())
    except StoreError:
        return False
    return True


def test_of_two_who_create_the_same_run_at_once_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    rival: list[bool] = []

    class Contested(PosixPath):
        """A path where somebody else comes in between the look and what follows it."""

        def exists(self) -> bool:
            found = super().exists()
            if not rival:
                rival.append(_created(path))
            return found

    mine = _created(Contested(path))
    assert sorted([mine, *rival]) == [False, True]
    with RunStore.open(path) as store:
        assert [step.id for step in store.steps()] == [1]


def test_a_failed_creation_leaves_neither_a_run_nor_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    unfit = replace(MANIFEST, settings={"search": object()})
    with pytest.raises(StoreError, match="create run store"):
        RunStore.create(path, unfit)
    assert _names(tmp_path) == ["run.sqlite.lock"]
    RunStore.create(path, MANIFEST).close()


def test_a_failed_opening_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    path.write_text("not a database, but long enough to be read as one" * 100)
    for _ in range(2):
        with pytest.raises(StoreError, match="is no run store"):
            RunStore.open(path, write=True)


def test_another_programs_database_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "addresses.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (name)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is no run store"):
        RunStore.open(path, write=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("table", ["completions", "steps", "rounds", "comparisons"])
def test_a_damaged_record_is_a_clear_error(tmp_path: Path, table: str) -> None:
    path = tmp_path / "run.sqlite"
    RunStore.create(path, MANIFEST).close()
    connection = sqlite3.connect(path)
    connection.execute(f"INSERT INTO {table} VALUES (1, '{{\"round\":')")
    connection.commit()
    connection.close()
    read = {"completions": RunStore.replies, "rounds": RunStore.outcomes}
    with RunStore.open(path) as store, pytest.raises(StoreError, match="read run store"):
        read.get(table, getattr(RunStore, table, None))(store)


def test_runs_whose_names_differ_after_a_dot_do_not_meet(tmp_path: Path) -> None:
    with (
        RunStore.create(tmp_path / "task-t0.7", MANIFEST) as cool,
        RunStore.create(tmp_path / "task-t0.8", MANIFEST) as warm,
    ):
        cool.record_step(_step(1))
        warm.record_step(_step(2))
        assert [step.id for step in (*cool.steps(), *warm.steps())] == [1, 2]


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    RunStore.create(path, MANIFEST).close()
    with RunStore.open(path) as store, pytest.raises(StoreError, match="readonly"):
        store.record_step(_step())


def test_a_full_disk_is_a_clear_error_and_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the end of the disk."""
    path = tmp_path / "run.sqlite"
    store = RunStore.create(path, MANIFEST)
    store.record_step(_step(1))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
    try:
        with pytest.raises(StoreError, match="write to run store"):
            store.record_step(_step(2, text="x" * 10**6))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    store.record_step(_step(3))
    store.close()
    with RunStore.open(path) as reopened:
        assert [step.id for step in reopened.steps()] == [1, 3]


def test_runs_are_listed_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        RunStore.create(tmp_path / f"{name}.sqlite", MANIFEST).close()
    assert [path.stem for path in list_runs(tmp_path)] == ["a", "b"]
