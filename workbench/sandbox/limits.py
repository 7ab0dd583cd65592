"""What one run of a program may use."""

from dataclasses import dataclass, fields

from workbench.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds on a single execution; every one of them is enforced outside the program.

    Attributes:
        cpu_s: user plus system seconds of the whole process.
        wall_s: seconds between start and death.
        memory_mib: address space above what the interpreter itself occupies.
        output_kib: standard output; more ends the program.
    """

    cpu_s: float = 2.0
    wall_s: float = 7.0
    memory_mib: int = 512
    output_kib: int = 16_384

    def __post_init__(self) -> None:
        """Refuse what cannot be a limit.

        Raises:
            ConfigError: a bound is zero, negative, NaN, infinite, or no whole number of units.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 < value < float("inf"):
                raise ConfigError(f"limits.{field.name} must be positive and finite, got {value}")
            if not field.name.endswith("_s") and not isinstance(value, int):
                raise ConfigError(f"limits.{field.name} must be a whole number, got {value}")
