"""A run written by hand, whose figures can be checked on paper.

0  given, accepted at 10 ms: fitness about 0.1
1  of 0 on island 0: accepted at 5 ms, about 0.2, twice as fast; kept, migrates to island 1
2  of 0 on island 1: wrong answer on half the cases
3  of 1 on island 0: the reply holds no program
4  of 1 on island 1: the text of 1 again
5  of 1 on island 0: the parent again, nothing to judge
"""

from builders import FAST_DOUBLE, SLOW_DOUBLE, WRONG_DOUBLE, evaluation, fenced

from workbench.evaluation import Comparison, Decision
from workbench.models import Completion, Message, Role
from workbench.population import Migration
from workbench.programs import EditKind, Program
from workbench.prompts import Prompt
from workbench.runs import Manifest, Request, RoundOutcome, Step

SLOW, FAST, WRONG = Program(SLOW_DOUBLE), Program(FAST_DOUBLE), Program(WRONG_DOUBLE)
STARTED_AT = 1_000.0


def manifest() -> Manifest:
    return Manifest(
        method="island-search",
        task="double",
        task_digest="0" * 64,
        model="by-hand",
        seed=7,
        settings={"search": {"rounds": 2}},
        provenance={"workbench": "0"},
        started_at=STARTED_AT,
    )


def comparison(decision: Decision = Decision.FASTER) -> Comparison:
    return Comparison(
        first=SLOW.id,
        second=FAST.id,
        decision=decision,
        speedup=2.0,
        low=1.8,
        high=2.2,
        pairs=10,
        cases=3,
    )


def prompt(text: str = "Make it faster.") -> Prompt:
    return Prompt(
        conversation=(Message(Role.USER, text),), operator="improve", template="t0", shown=(0,)
    )


def request(number: int, *, parent: int | None = None, island: int = 0) -> Request:
    if parent is None:
        return Request(step=number, round=0, operator="start", island=0, seed=0, program=SLOW)
    return Request(
        step=number,
        round=1 if number < 3 else 2,
        operator="improve",
        island=island,
        seed=number,
        parents=(parent,),
        prompt=prompt(),
    )


def reply_step(
    number: int,
    *,
    parent: int,
    island: int,
    child: Program | None,
    seconds: float | None = None,
    judged: bool = True,
    duplicate_of: int | None = None,
    compared: Comparison | None = None,
    text: str | None = None,
    reasoning: str = "",
) -> Step:
    said = text if text is not None else fenced(child.source) if child else "I cannot."
    return Step(
        request=request(number, parent=parent, island=island),
        completion=Completion(text=said, reasoning=reasoning, completion_tokens=9),
        edit=EditKind.REWRITE if child else EditKind.NONE,
        child=child,
        evaluation=evaluation(child, seconds=seconds) if child and judged else None,
        failure="" if child else "the reply has no code block",
        duplicate_of=duplicate_of,
        comparison=compared,
        finished_at=STARTED_AT + number,
    )


def steps() -> list[Step]:
    given = Step(
        request=request(0),
        completion=None,
        edit=EditKind.GIVEN,
        child=SLOW,
        evaluation=evaluation(SLOW, seconds=0.01),
        finished_at=STARTED_AT,
    )
    return [
        given,
        reply_step(1, parent=0, island=0, child=FAST, seconds=0.005, compared=comparison()),
        reply_step(2, parent=0, island=1, child=WRONG),
        reply_step(3, parent=1, island=0, child=None),
        reply_step(4, parent=1, island=1, child=FAST, seconds=0.005, duplicate_of=1),
        reply_step(5, parent=1, island=0, child=FAST, judged=False),
    ]


def outcomes() -> list[RoundOutcome]:
    """Of rounds 0 and 1; round 2 is not decided yet."""
    return [
        RoundOutcome(round=0, kept=(0,), dropped=(), migrations=(), best=0, best_fitness=0.09999),
        RoundOutcome(
            round=1,
            kept=(1,),
            dropped=(2,),
            migrations=(Migration(candidate=1, source=0, target=1),),
            best=1,
            best_fitness=0.19996,
        ),
    ]
