"""Attacks whose outcome is no verdict; those with one are among the behaviours."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.sandbox import Call, Execution, Limits, LocalSandbox, Script
from workbench.sandbox.codec import decode
from workbench.sandbox.layer import Layer

LIMITS = Limits(cpu_s=2, wall_s=6, memory_mib=256, output_kib=1024)
LEVELS = {"namespaces": (), "landlock": (Layer.NAMESPACES,)}


@pytest.fixture(scope="module", params=LEVELS)
def without(request: pytest.FixtureRequest) -> tuple[Layer, ...]:
    return LEVELS[request.param]


@pytest.fixture(scope="module")
def box(without: tuple[Layer, ...]) -> Iterator[LocalSandbox]:
    with LocalSandbox(without=without) as sandbox:
        yield sandbox


def run(box: LocalSandbox, source: str, limits: Limits = LIMITS) -> Execution:
    (execution,) = box.run([Script(source=source)], limits)
    return execution


def test_a_file_of_the_user_cannot_be_read(box: LocalSandbox, tmp_path: Path) -> None:
    secret = tmp_path / "expected.txt"
    secret.write_text("canary")
    secret.chmod(0o644)
    execution = run(box, f"print(open({str(secret)!r}).read())")
    assert execution.exit_code == 1
    assert "canary" not in execution.stdout.decode()


def test_only_the_standard_descriptors_and_the_result_are_open(box: LocalSandbox) -> None:
    source = (
        "import os\nopen_ones = []\nfor d in range(4096):\n"
        "    try: os.fstat(d); open_ones.append(d)\n    except OSError: pass\nprint(open_ones)"
    )
    assert run(box, source).stdout == b"[0, 1, 2, 3]\n"


def test_a_forged_value_is_judged_as_the_answer_that_it_is(box: LocalSandbox) -> None:
    source = "import os\ndef f():\n    os.write(3, b'V[[[')\n    os._exit(0)"
    (execution,) = box.run([Call(source=source, function="f")], LIMITS)
    assert execution.value == "[[["
    with pytest.raises(ValueError, match="Expecting"):
        decode(execution.value)


def test_another_programs_source_is_not_found_in_memory(box: LocalSandbox) -> None:
    winner = "MARK = 'ZEBRA-CROSSING-77'\n" + "\n".join(f"x{i} = {i}" for i in range(2000))
    assert run(box, winner).succeeded
    source = (
        "import gc, sys\n"
        "seen = repr([o for o in gc.get_objects() if isinstance(o, (dict, list, tuple))])\n"
        "frame = sys._getframe()\nwhile frame:\n    seen += repr(frame.f_locals)\n"
        "    frame = frame.f_back\n"
        "print(len(seen) > 10**4, 'zebra-crossing-77'.upper() in seen)"
    )
    assert run(box, source).stdout == b"True False\n"
