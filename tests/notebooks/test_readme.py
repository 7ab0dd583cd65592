"""The README's example does what it says."""

import re
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

_README = Path(__file__).parent.parent.parent / "README.md"


def _example() -> str:
    found = re.search(r"```python\n(.*?)```", _README.read_text(), re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_example_can_be_run_again_in_the_same_kernel_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell = InteractiveShell.instance()
    try:
        for round_ in (0, 1):
            shell.run_cell(_example()).raise_error()
            assert {request.round for request in shell.user_ns["requests"]} == {round_}
            shell.user_ns["evaluator"].sandbox.close()
    finally:
        InteractiveShell.clear_instance()
