"""A table of behaviours and levels, from what a run of the tests has seen."""

import os
import platform
import re
from pathlib import Path

import pytest

LEVELS = ("L3", "L2", "L1", "L0")
_CASE = re.compile(r"test_a_behaviour\[(L\d)-(\d+)-(.*)\]$")
_SEEN: dict[tuple[str, str], dict[str, str]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--behaviours", metavar="PATH", help="write the table of behaviours there")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    found = _CASE.search(report.nodeid)
    if found is None or (report.when != "call" and not report.skipped):
        return
    level, number, name = found.groups()
    row = _SEEN.setdefault((number, name), {})
    if report.skipped:
        row[level] = "-"
    else:
        row[level] = str(dict(report.user_properties).get("verdict", "?"))
        row[level] += "" if report.passed else " (!)"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if not _SEEN:
        return
    cells = [cell for row in _SEEN.values() for cell in row.values()]
    ran, wrong = sum(cell != "-" for cell in cells), sum("!" in cell for cell in cells)
    terminalreporter.write_line(f"{len(_SEEN)} behaviours: {ran} verdicts, {wrong} unexpected")
    path = config.getoption("--behaviours")
    if path is not None:
        Path(path).write_text(_table(), encoding="utf-8")


def _table() -> str:
    user = "root" if os.getuid() == 0 else "an ordinary user"
    lines = [
        "# What programs do, and what they are judged at each level",
        "",
        f"From a run of `tests/sandbox/test_behaviours.py` by {user} on {platform.system()} "
        f"{platform.release().split('-')[0]}, {platform.machine()}, Python "
        f"{platform.python_version()}. A dash: not run there, for the attack would succeed or the "
        "host affords no such level. Numbers group programs of a kind.",
        "",
        f"| | program | {' | '.join(LEVELS)} |",
        f"|---|---|{'---|' * len(LEVELS)}",
    ]
    for (number, name), row in sorted(_SEEN.items()):
        cells = " | ".join(row.get(level, "-") for level in LEVELS)
        lines.append(f"| {int(number)} | {name} | {cells} |")
    return "\n".join(lines) + "\n"
