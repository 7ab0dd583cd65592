"""The launch line on macOS: the worker under a system profile that its forks inherit."""

import sys
from pathlib import Path

_TOOL = Path("/usr/bin/sandbox-exec")


def wrap(command: list[str]) -> list[str]:
    """`command` under a profile that denies network, exec, writing, and reading homes.

    Returns:
        The command as it is where the tool does not exist.
    """
    if not available():
        return command
    return [str(_TOOL), "-p", _profile(), *command]


def available() -> bool:
    """Whether this host has the tool."""
    return sys.platform == "darwin" and _TOOL.exists()


def _profile() -> str:
    """Later rules win over earlier ones."""
    prefixes = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[2])}
    readable = " ".join(f'(subpath "{Path(prefix).resolve()}")' for prefix in sorted(prefixes))
    interpreters = {Path(sys.executable), Path(sys.executable).resolve()}
    runnable = " ".join(f'(literal "{path}")' for path in sorted(interpreters))
    return "\n".join(
        (
            "(version 1)",
            "(allow default)",
            "(deny network*)",
            "(deny process-exec*)",
            # Framework builds start through a stub that executes a bundle below the prefix.
            f"(allow process-exec* {runnable} {readable})",
            '(deny file-read-data (subpath "/Users"))',
            f"(allow file-read-data {readable})",
            "(deny file-write*)",
            # The worker makes its unnamed files there; a program can make files there too.
            '(allow file-write* (literal "/dev/null") (regex #"^/private/tmp/[a-z0-9_]+$"))',
        )
    )
