"""Descent: who was made from whom. Only main parents count; prior attempts shown do not."""

from collections.abc import Iterable

from workbench.errors import ConfigError
from workbench.runs import Step


def ancestors(steps: Iterable[Step], candidate: int) -> tuple[Step, ...]:
    """The chain of steps from a starting program to `candidate`, both included.

    Args:
        steps: the run's steps, in any order.
        candidate: id of the candidate, which is the number of its step.

    Raises:
        ConfigError: a step of the chain is not among `steps`, or descends from itself.
    """
    known = {step.id: step for step in steps}
    chain: list[Step] = []
    wanted: int | None = candidate
    while wanted is not None:
        if wanted not in known:
            raise ConfigError(f"candidate must be a step of the run, got {wanted}")
        if len(chain) == len(known):
            raise ConfigError(f"candidate {candidate} descends from itself: the steps are damaged")
        chain.append(known[wanted])
        wanted = next(iter(known[wanted].request.parents), None)
    return tuple(reversed(chain))


def offspring(steps: Iterable[Step]) -> dict[int, tuple[int, ...]]:
    """Ids of the children that hold a program, by id of their main parent, each in order."""
    children: dict[int, list[int]] = {}
    for step in steps:
        if step.parsed and step.request.parents:
            children.setdefault(step.request.parents[0], []).append(step.id)
    return {parent: tuple(sorted(ids)) for parent, ids in children.items()}
