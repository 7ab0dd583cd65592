"""What crosses the socket means the same on both ends."""

import pytest

from workbench.sandbox import Call, Ending, Limits, Script, frame


@pytest.mark.parametrize("ending", Ending)
@pytest.mark.parametrize(("exit_code", "signal"), [(0, None), (255, None), (None, 9), (None, 64)])
def test_figures_survive_the_journey(ending: Ending, exit_code: int, signal: int) -> None:
    sent = frame.Measured(
        ending=ending,
        exit_code=exit_code,
        signal=signal,
        cpu_s=1 / 3,
        wall_s=1e-9,
        baseline_cpu_s=0.0,
        baseline_wall_s=2.5,
        peak_mib=1e6,
        preemptions=2**32 - 1,
        has_value=True,
    )
    assert frame.unpack(frame.pack(sent)) == sent


def test_limits_survive_the_journey() -> None:
    limits = Limits(cpu_s=0.1, wall_s=1e5, memory_mib=2**31, output_kib=1)
    packed, *_ = frame.request(Script(source=""), limits)
    assert frame.limits(packed) == limits


def test_a_call_is_told_from_a_script_by_its_function() -> None:
    script = frame.request(Script(source="é", stdin=b"\0"), Limits())
    call = frame.request(Call(source="\ud800", function="f", arguments="[1]"), Limits())
    assert script[1:] == ("é".encode(), b"\0")
    assert call[1:] == (b"\xed\xa0\x80", b"[1]", b"f")
