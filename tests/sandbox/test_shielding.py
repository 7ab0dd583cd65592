"""Which layers hold here, what they add up to, and that each one is what protects."""

import pytest

from workbench.sandbox import Limits, LocalSandbox, Script, TrustLevel, survey
from workbench.sandbox.layer import Layer
from workbench.sandbox.shielding import Survey

LIMITS = Limits(cpu_s=2, wall_s=6, memory_mib=256)
N, R, F, L, S = Layer.NAMESPACES, Layer.ROOT, Layer.FILTER, Layer.LANDLOCK, Layer.SEATBELT
C = Layer.CGROUP


@pytest.mark.parametrize(
    ("active", "level"),
    [
        ({N, R, F, C}, TrustLevel.L3),
        ({N, R, F}, TrustLevel.L2),
        ({N, R, C}, TrustLevel.L0),
        ({N, R}, TrustLevel.L0),
        ({N, F}, TrustLevel.L0),
        ({N, L, F}, TrustLevel.L1),
        ({L, F}, TrustLevel.L1),
        ({F}, TrustLevel.L0),
        ({S}, TrustLevel.L1),
        (set(), TrustLevel.L0),
    ],
)
def test_the_level_follows_from_the_layers(active: set[Layer], level: TrustLevel) -> None:
    assert Survey(active=frozenset(active)).trust is level


def test_hints_name_the_layer_the_reason_and_the_remedy() -> None:
    found = Survey(active=frozenset({F}), failures={N: "unshare: Operation not permitted"})
    (hint,) = found.hints
    assert hint.startswith("namespaces: unshare: Operation not permitted; ")
    assert "kernel.unprivileged_userns_clone" in hint
    assert found.layers == {"namespaces": False, "filter": True}


def test_a_survey_reports_what_a_sandbox_would_have() -> None:
    found = survey()
    with LocalSandbox(allow=TrustLevel.L0) as box:
        assert box.survey == found
    assert found.still_possible == found.trust.still_possible


def refused(attempt: str) -> str:
    """A program that says whether an attempt went through."""
    return f"import os, socket\ntry:\n    print(bool({attempt}))\nexcept OSError: print(False)"


# What each prints where the layer stands is False, and True where it is left out.
ATTACKS = [
    (Layer.FILTER, "a new process", refused("[os.fork()]")),
    (Layer.FILTER, "a socket", refused("socket.socket(socket.AF_UNIX)")),
    (Layer.FILTER, "a file in memory", refused("os.memfd_create('x')")),
    (Layer.FILTER, "another core", refused("[os.sched_setaffinity(0, os.sched_getaffinity(0))]")),
    (Layer.NAMESPACES, "processes of others", "import os\nprint(os.getppid() > 1)"),
    (Layer.NAMESPACES, "the host's name", "import os\nprint(os.uname().nodename != 'sandbox')"),
    (Layer.ROOT, "the kernel's files", refused("os.path.exists('/sys/kernel')")),
    (Layer.ROOT, "what else there is", refused("os.path.exists('/var')")),
    (Layer.LANDLOCK, "files outside", refused("open('/etc/hostname').read()")),
]


@pytest.mark.parametrize(
    ("layer", "attack"),
    [(layer, attack) for layer, _, attack in ATTACKS],
    ids=[f"{layer.value}: {name}" for layer, name, _ in ATTACKS],
)
def test_leaving_a_layer_out_lets_its_attack_through(layer: Layer, attack: str) -> None:
    # Landlock stands only where there are no namespaces.
    base = [Layer.NAMESPACES] if layer is Layer.LANDLOCK else []
    outcomes = []
    for without in (base, [*base, layer]):
        with LocalSandbox(allow=TrustLevel.L0, without=without) as box:
            (execution,) = box.run([Script(source=attack)], LIMITS)
            outcomes.append(execution.stdout.split())
    assert outcomes[0] == [b"False"]
    assert b"True" in outcomes[1]
