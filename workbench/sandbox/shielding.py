"""What shields this host from programs, and what would shield it better."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.sandbox.layer import Layer
from workbench.sandbox.trust import TrustLevel


@dataclass(frozen=True, kw_only=True)
class Survey:
    """The layers of one worker, as found by trying.

    Attributes:
        active: layers that hold.
        failures: why each of the others does not, in the host's words.
        notes: what else is worth knowing (why numpy is not loaded ahead).
    """

    active: frozenset[Layer]
    failures: Mapping[Layer, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def trust(self) -> TrustLevel:
        """The level that these layers add up to."""
        if {Layer.NAMESPACES, Layer.ROOT, Layer.FILTER} <= self.active:
            return TrustLevel.L3 if Layer.CGROUP in self.active else TrustLevel.L2
        if {Layer.LANDLOCK, Layer.FILTER} <= self.active or Layer.SEATBELT in self.active:
            return TrustLevel.L1
        return TrustLevel.L0

    @property
    def layers(self) -> dict[str, bool]:
        """Whether each layer holds, by name; those of other systems are left out."""
        return {
            layer.value: layer in self.active
            for layer in Layer
            if layer in self.active or layer in self.failures
        }

    @property
    def still_possible(self) -> str:
        """What an attacker could still do, in one sentence."""
        return self.trust.still_possible

    @property
    def hints(self) -> tuple[str, ...]:
        """What to change on this host for a higher level; empty at the highest."""
        if self.trust is TrustLevel.L3:
            return ()
        return tuple(
            f"{layer.value}: {reason}; {layer.remedy}" for layer, reason in self.failures.items()
        )
