"""Every behaviour at every level: its verdict, and what must not have happened besides."""

import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from behaviours import ALL, CANARY, USUAL, Behaviour

from workbench.evaluation.judging import job_of, judge
from workbench.evaluation.verdict import Verdict
from workbench.programs import Program
from workbench.sandbox import LocalSandbox, Script, TrustLevel
from workbench.sandbox.layer import Layer
from workbench.tasks import Case, Group, Mode, Task
from workbench.tasks.structural import Structural

# What is left out, so that a host that affords more still shows each level below.
WITHOUT = {
    TrustLevel.L3: (),
    TrustLevel.L2: (Layer.CGROUP,),
    TrustLevel.L1: (Layer.NAMESPACES,),
    TrustLevel.L0: (Layer.NAMESPACES, Layer.LANDLOCK, Layer.FILTER),
}
PLANTED = [
    Path(folder) / "planted"
    for folder in ("/", "/tmp", "/dev/shm", Path(os.__file__).parent / "site-packages/numpy")
] + [Path("/tmp/kept"), Path("/dev/shm/kept"), Path("/kept")]


@pytest.fixture(scope="module", params=WITHOUT, ids=lambda level: level.name)
def box(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalSandbox]:
    level: TrustLevel = request.param
    secret = tmp_path_factory.mktemp("expected") / "answers.txt"  # in /tmp/pytest-of-<user>
    secret.write_text(CANARY)
    secret.chmod(0o644)
    os.environ["CANARY"] = CANARY
    try:
        with LocalSandbox(allow=TrustLevel.L0, without=WITHOUT[level]) as sandbox:
            found = sandbox.survey
            if found.trust is not level:
                reasons = "; ".join(f"{k.value}: {v}" for k, v in found.failures.items())
                pytest.skip(f"this host affords no {level.name} ({reasons})")
            yield sandbox
    finally:
        del os.environ["CANARY"]


@pytest.mark.parametrize("behaviour", ALL, ids=lambda b: f"{b.number:02}-{b.name}")
def test_a_behaviour(
    box: LocalSandbox, behaviour: Behaviour, record_property: Callable[[str, object], None]
) -> None:
    level = box.trust.name
    if level in behaviour.unsafe:
        pytest.skip(f"not run at {level}: {behaviour.unsafe[level]}")
    if "call(" in behaviour.source and os.uname().machine != "x86_64":
        pytest.skip("names system calls by their numbers on x86_64")
    assert next_job_is_right(box)
    before = descendants(os.getpid())
    task = task_of(behaviour)
    jobs = [job_of(Program(behaviour.source), task, task.cases[0])] * behaviour.runs
    executions = box.run(jobs, behaviour.limits)
    verdicts = {judge(execution, task, task.cases[0], box)[0] for execution in executions}
    record_property("verdict", "/".join(sorted(verdict.words for verdict in verdicts)))

    assert verdicts == {behaviour.at(level)}, executions
    assert len({execution.stdout for execution in executions}) == 1
    least, most = behaviour.cpu_s
    assert all(least <= execution.cpu_s <= most for execution in executions), executions
    for execution in executions:
        assert CANARY.encode() not in execution.stdout
        assert CANARY not in execution.stderr + (execution.value or "")
    assert next_job_is_right(box)
    assert descendants(os.getpid()) == before, "the worker is another one, or something is left"
    assert not [path for path in PLANTED if path.exists()]


def task_of(behaviour: Behaviour) -> Task:
    is_call = behaviour.function is not None
    case = Case(
        id="1",
        group=Group.HIDDEN,
        input="[]" if is_call else behaviour.stdin.decode(),
        expected=behaviour.expected,
    )
    shared = {"checker": Structural()} if is_call else {}
    return Task(
        name="behaviour",
        title="Behaviour",
        statement="",
        mode=Mode.FUNCTION if is_call else Mode.SCRIPT,
        function=behaviour.function,
        cases=(case,),
        **shared,  # type: ignore[arg-type]
    )


def next_job_is_right(box: LocalSandbox) -> bool:
    number = random.Random(0).randrange(10**9)
    source = "import json, math\nprint(int(input()) + math.floor(json.loads('1.5')))"
    (execution,) = box.run([Script(source=source, stdin=b"%d" % number)], USUAL)
    return execution.stdout == b"%d\n" % (number + 1)


def descendants(root: int) -> set[int]:
    found = set()
    for task in Path(f"/proc/{root}/task").iterdir():
        for pid in map(int, (task / "children").read_text().split()):
            found |= {pid} | descendants(pid)
    return found


def test_every_number_of_the_list_is_there_and_no_record_twice() -> None:
    assert {behaviour.number for behaviour in ALL} == set(range(1, 96))
    names = [(behaviour.number, behaviour.name) for behaviour in ALL]
    assert len(set(names)) == len(names)
    assert all(isinstance(b.at(level.name), Verdict) for b in ALL for level in WITHOUT)
    assert CANARY not in Path(sys.modules["behaviours"].__file__ or "").read_text()
