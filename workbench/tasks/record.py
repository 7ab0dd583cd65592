"""One JSON object of a task file, read key by key; what is wrong is said with its place."""

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import TaskError, boundary


@dataclass(kw_only=True)
class Record:
    """An object with the place it came from.

    Each getter takes its key out of the record; `finish` refuses what is left over.

    Attributes:
        path: the file.
        line: number of its first line in the file.
        text: the JSON text from that line on.
        values: what it holds, by key.
    """

    path: Path
    line: int
    text: str
    values: dict[str, Any] = field(repr=False)

    @classmethod
    def parse(cls, text: str, *, path: Path, line: int = 1) -> "Record":
        """Read a JSON object.

        Args:
            text: the object alone.
            path: the file it is in, for messages.
            line: where in that file it begins.

        Raises:
            TaskError: the text is not JSON, or not an object, or repeats a key.
        """
        try:
            values = json.loads(text, object_pairs_hook=_no_repeats, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            place = f"{path}, line {line + error.lineno - 1}"
            raise TaskError(f"{place}: not valid JSON: {error.msg}") from error
        except (ValueError, RecursionError) as error:
            raise TaskError(f"{path}, line {line}: {error}") from error
        if not isinstance(values, dict):
            raise TaskError(f"{path}, line {line}: expected a JSON object, got {_named(values)}")
        return cls(path=path, line=line, text=text, values=values)

    def string(self, key: str, *, empty: bool = False) -> str:
        """A text; `empty` says whether it may be so."""
        expected = "a text" if empty else "a text that is not empty"
        value = self.take(key, expected)
        if not isinstance(value, str) or not (value or empty):
            raise self.wrong(key, expected, value)
        return value

    def choice(self, key: str, options: tuple[str, ...]) -> str:
        """One of `options`."""
        words = " or ".join(map(repr, options))
        value = self.take(key, words)
        if value not in options:
            raise self.wrong(key, words, value)
        return str(value)

    def number(self, key: str) -> float:
        """A finite number greater than zero."""
        value = self.take(key, "a number")
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise self.wrong(key, "a number greater than zero", value)
        if value == math.inf:  # 1e999 is JSON
            raise self.wrong(key, "a finite number", value)
        return value

    def integer(self, key: str) -> int:
        """A whole number greater than zero."""
        value = self.take(key, "a whole number")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(key, "a whole number greater than zero", value)
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of texts, maybe empty."""
        value = self.take(key, "a list of texts")
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "a list of texts", value)
        return tuple(value)

    def record(self, key: str) -> "Record":
        """An object inside this one."""
        value = self.take(key, "an object")
        if not isinstance(value, dict):
            raise self.wrong(key, "an object", value)
        line = self._line_of(key)
        text = "\n".join(self.text.split("\n")[line - self.line :])
        return Record(path=self.path, line=line, text=text, values=value)

    def take(self, key: str, expected: str) -> Any:
        """Any value.

        Args:
            key: whose value.
            expected: what it should be, in words.

        Raises:
            TaskError: there is no such key.
        """
        if key not in self.values:
            raise TaskError(
                f"{self.path}, line {self.line}: field {key!r} is missing; expected {expected}"
            )
        return self.values.pop(key)

    def finish(self) -> None:
        """Refuse keys that nobody asked for: they are misspelt or mean something unknown.

        Raises:
            TaskError: there is one.
        """
        for key in self.values:
            raise TaskError(f"{self.path}, line {self._line_of(key)}: unknown field {key!r}")

    def wrong(self, key: str, expected: str, value: Any) -> TaskError:
        """The error that says what `key` should have been and what it was."""
        return TaskError(
            f"{self.path}, line {self._line_of(key)}: field {key!r} must be {expected}, "
            f"got {_named(value)}"
        )

    def _line_of(self, key: str) -> int:
        found = re.search(rf"{re.escape(json.dumps(key))}\s*:", self.text)
        return self.line + (self.text.count("\n", 0, found.start()) if found else 0)


def read_text(path: Path) -> str:
    """The text of a task file.

    Raises:
        TaskError: it is missing, unreadable, or not UTF-8.
    """
    with boundary(TaskError, f"read {path}"):
        return path.read_text(encoding="utf-8")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"field {next(key for key in keys if keys.count(key) > 1)!r} is repeated")
    return values


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _named(value: Any) -> str:
    shown = json.dumps(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
