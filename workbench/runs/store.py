"""The gateway to disk: a run as one SQLite file, appended to and never rewritten.

    meta         schema version, manifest
    completions  a reply as soon as it is known, before it is evaluated
    steps        a reply with what came of it, once that is known
    rounds       what `tell` decided
    comparisons  start against best, measured again at the end

Whatever was committed survives the process; only work in flight can be lost. Many processes
may read while one writes.
"""

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import TypeAdapter

from workbench.errors import StoreError, boundary
from workbench.evaluation import Comparison
from workbench.runs.manifest import Manifest
from workbench.runs.outcome import RoundOutcome
from workbench.runs.step import Reply, Step

SCHEMA_VERSION = 1
STORE_VARIABLE = "WORKBENCH_STORE"

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE completions (step INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE steps (step INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE rounds (round INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE comparisons (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
"""

_Record = TypeVar("_Record")
_MANIFEST = TypeAdapter(Manifest)
_REPLY = TypeAdapter(Reply)
_STEP = TypeAdapter(Step)
_OUTCOME = TypeAdapter(RoundOutcome)
_COMPARISON = TypeAdapter(Comparison)


class RunStore:
    """One run's file.

    Opening for writing takes a lock that the operating system drops with the process, so
    that no two processes carry on the same run at once.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock

    @classmethod
    def create(cls, path: Path, manifest: Manifest) -> Self:
        """A new store at `path`, its folder made if need be.

        Raises:
            StoreError: the file exists already, another run has left unsaved steps beside it,
                another process is writing to it, or it cannot be written.
        """
        with boundary(StoreError, f"create run store {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = _lock(path)
            try:
                # Only under the lock is the answer still true when the file takes its name.
                _refuse_remains(path)
                _write_empty(path, manifest)
                return cls(path, _connect(path, write=True), lock)
            except BaseException:
                os.close(lock)
                raise

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> Self:
        """An existing store, by default for reading only.

        Raises:
            StoreError: there is no such file, it is no run store, it is of another version,
                or another process is writing to it.
        """
        if not path.is_file():
            raise StoreError(f"there is no run store at {path}")
        with boundary(StoreError, f"open run store {path}"):
            lock = _lock(path) if write else None
            try:
                return cls(path, _connect(path, write=write), lock)
            except BaseException:
                if lock is not None:
                    os.close(lock)
                raise

    @property
    def manifest(self) -> Manifest:
        """What the run is made of."""
        with self._reading():
            (text,) = self._connection.execute(
                "SELECT value FROM meta WHERE key = 'manifest'"
            ).fetchone()
            return _MANIFEST.validate_json(text)

    def record_reply(self, reply: Reply) -> None:
        """Keep a completion until its step is recorded."""
        self._insert("completions", reply.request.step, _dump(_REPLY, reply))

    def record_step(self, step: Step) -> None:
        """Keep a step."""
        self._insert("steps", step.id, _dump(_STEP, step))

    def record_outcome(self, outcome: RoundOutcome) -> None:
        """Keep what was decided about a round; recording it again changes nothing."""
        self._insert("rounds", outcome.round, _dump(_OUTCOME, outcome), again="OR IGNORE")

    def record_comparison(self, comparison: Comparison) -> None:
        """Keep a comparison of the start with the best."""
        self._insert("comparisons", None, _dump(_COMPARISON, comparison))

    def replies(self, *, after: int = -1) -> dict[int, Reply]:
        """Completions by step number above `after`, those of recorded steps included."""
        return self._read("completions", _REPLY, after)

    def steps(self, *, after: int = -1) -> list[Step]:
        """Recorded steps in order of their numbers, those with a number above `after`."""
        return list(self._read("steps", _STEP, after).values())

    def outcomes(self) -> list[RoundOutcome]:
        """What was decided, round by round."""
        return list(self._read("rounds", _OUTCOME).values())

    def comparisons(self) -> list[Comparison]:
        """Comparisons of the start with the best, latest last."""
        return list(self._read("comparisons", _COMPARISON).values())

    def close(self) -> None:
        """Close the file and drop the lock; calling it again does nothing."""
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _insert(self, table: str, key: int | None, body: str, *, again: str = "") -> None:
        with boundary(StoreError, f"write to run store {self.path}"), self._connection:
            self._connection.execute(f"INSERT {again} INTO {table} VALUES (?, ?)", (key, body))

    def _read(
        self, table: str, adapter: TypeAdapter[_Record], after: int = -1
    ) -> dict[int, _Record]:
        """Records by their row's number, in its order."""
        statement = f"SELECT * FROM {table} WHERE rowid > ? ORDER BY rowid"
        with self._reading():
            rows = self._connection.execute(statement, (after,)).fetchall()
            return {number: adapter.validate_json(body) for number, body in rows}

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with boundary(StoreError, f"read run store {self.path}"):
            yield


def default_folder() -> Path:
    """Where runs are kept unless somebody says otherwise: WORKBENCH_STORE, or `runs` here."""
    return Path(os.environ.get(STORE_VARIABLE, "runs"))


def list_runs(folder: Path) -> list[Path]:
    """Run stores in `folder`, oldest first by name of file."""
    return sorted(folder.glob("*.sqlite"))


def _dump(adapter: TypeAdapter[Any], value: object) -> str:
    return json.dumps(adapter.dump_python(value, mode="json"), ensure_ascii=True)


def _refuse_remains(path: Path) -> None:
    """Refuse a place where a run is, or where SQLite would take a dead run's steps for ours."""
    if path.exists():
        raise StoreError(f"{path} exists already: resume that run, or choose another place")
    log = _beside(path, "-wal")
    if log.exists() and log.stat().st_size > 0:
        raise StoreError(
            f"{log} holds steps of a run whose file {path.name} is gone: put that file back and "
            f"resume the run, or remove {log.name}, or choose another place"
        )
    for end in ("-wal", "-shm"):
        _beside(path, end).unlink(missing_ok=True)


def _write_empty(path: Path, manifest: Manifest) -> None:
    """A store without steps, whole or not at all: it bears another name until it is whole."""
    unfinished = _beside(path, ".new")
    unfinished.unlink(missing_ok=True)
    connection = sqlite3.connect(unfinished)
    try:
        connection.executescript(_SCHEMA)
        with connection:
            rows = [("schema", str(SCHEMA_VERSION)), ("manifest", _dump(_MANIFEST, manifest))]
            connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
        connection.close()
        unfinished.rename(path)
    finally:
        connection.close()
        unfinished.unlink(missing_ok=True)


def _connect(path: Path, *, write: bool) -> sqlite3.Connection:
    mode = "rw" if write else "ro"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    try:
        # Before anything is changed: the file may be somebody else's database.
        _check_version(path, connection)
        if write:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_version(path: Path, connection: sqlite3.Connection) -> None:
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'"
    try:
        described = connection.execute(known).fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        described = None
    if described is None:
        raise StoreError(f"{path} is no run store: choose a file that a run has written")
    row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    found = row[0] if row else "none"
    if found != str(SCHEMA_VERSION):
        raise StoreError(
            f"{path} has store version {found}, this Workbench reads "
            f"{SCHEMA_VERSION}: use the Workbench that wrote it"
        )


def _beside(path: Path, end: str) -> Path:
    """The file of the same whole name with more at its end; a name may hold dots of its own."""
    return path.with_name(path.name + end)


def _lock(path: Path) -> int:
    """Take the writer's lock; it goes with the process, however that ends.

    The file names its owner, so that whoever is refused knows whom to ask.
    """
    descriptor = os.open(_beside(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, 20, 0).decode("ascii", errors="replace")
        os.close(descriptor)
        raise StoreError(_refusal(path, owner)) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor


def _refusal(path: Path, owner: str) -> str:
    if owner == str(os.getpid()):
        return (
            f"this process writes to {path} already: go on with the run that has it open, or "
            "close it first with `run.store.close()`"
        )
    which = f" (number {owner})" if owner.isdecimal() else ""
    return f"another process{which} is writing to {path}: stop it first"
