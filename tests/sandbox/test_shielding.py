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


# (the layer, an attack, what it prints where that layer stands and where it is left out)
ATTACKS = [
    (Layer.FILTER, "import os\ntry:\n    print(os.fork() >= 0)\nexcept OSError: print(False)"),
    (
        Layer.NAMESPACES,
        "import os\nprint(os.getppid() > 1)",
    ),
    (
        Layer.ROOT,
        "import os\nprint(os.path.exists('/sys/kernel'))",
    ),
    (
        Layer.LANDLOCK,
        "try:\n    open('/etc/hostname').close(); print(True)\nexcept OSError: print(False)",
    ),
]


@pytest.mark.parametrize(("layer", "attack"), ATTACKS, ids=[layer.value for layer, _ in ATTACKS])
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
