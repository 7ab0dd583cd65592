"""The control without a language model: it improves programs by fixed, general rewrites.

It shows what a search gains by selection alone, makes every method runnable without weights,
and is deterministic. It reads no task and no feedback, only the current program.
"""

import ast
import re
import time
import warnings
from collections.abc import Iterator, Sequence

from workbench.models.chat import check_request
from workbench.models.language_model import Completion, Conversation, Role, Sampling
from workbench.models.rewriting import RULES, Rule
from workbench.streams import stream

# The prompts show the current program in the first Python block of the last user message.
_PROGRAM = re.compile(r"^(`{3,})python\n(.*?)^\1`*[ \t]*$", re.DOTALL | re.MULTILINE)
_MOST_RULES = 3
_MOST_CHARACTERS = 30_000


class Rewriter:
    """A `LanguageModel` that applies one to three applicable rules, drawn by the seed.

    A rewrite keeps the meaning of usual programs and may break unusual ones; like every reply
    it is for the sandbox to judge.
    """

    @property
    def name(self) -> str:
        """The name under which it is opened."""
        return "rewriter"

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        """Rewrite the program of every conversation; sampling is not used.

        Yields:
            (position, completion), in order.

        Raises:
            ConfigError: there are not as many seeds as conversations.
        """
        del sampling
        check_request(conversations, seeds)
        for position, (conversation, seed) in enumerate(zip(conversations, seeds, strict=True)):
            yield position, _answer(conversation, seed)

    def close(self) -> None:
        """Nothing is held."""


def _answer(conversation: Conversation, seed: int) -> Completion:
    started = time.perf_counter()
    asked = next((m.content for m in reversed(conversation) if m.role is Role.USER), "")
    found = _PROGRAM.search(asked)
    if found is None:
        text = "I rewrite programs, and there is none in the question."
    else:
        source, reasons = rewritten(found.group(2), seed)
        text = (
            f"{_sentence(reasons)}\n\n{found.group(1)}python\n{source.rstrip()}\n{found.group(1)}"
        )
    return Completion(
        text=text,
        prompt_tokens=sum(len(message.content.split()) for message in conversation),
        completion_tokens=len(text.split()),
        seconds=time.perf_counter() - started,
    )


def rewritten(source: str, seed: int) -> tuple[str, list[str]]:
    """The program after one to three rules, with their reasons.

    Args:
        source: the program; it comes back unchanged, without reasons, if no rule applies, if it
            does not parse, or if it is too deeply nested.
        seed: decides which rules are drawn and how many.
    """
    rng = stream(seed, "rewriter")
    wanted = rng.randint(1, _MOST_RULES)
    reasons: list[str] = []
    for rule in rng.sample(RULES, len(RULES)):
        changed = apply_rule(rule, source)
        if changed is not None:
            source = changed
            reasons.append(rule.reason)
        if len(reasons) == wanted:
            break
    return source, reasons


def apply_rule(rule: Rule, source: str) -> str | None:
    """The text after one rule, or None if it does not apply or the text cannot be read."""
    if len(source) > _MOST_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            # Warnings about the program's text, such as of odd escapes, are not ours.
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            if not rule.rewrite(tree):
                return None
            after = ast.unparse(ast.fix_missing_locations(tree))
            # Parsing alone lets a `yield` pass that has come into a comprehension.
            compile(after, "<rewritten>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return after + "\n"


def _sentence(reasons: Sequence[str]) -> str:
    if not reasons:
        return "I found nothing to rewrite; the program is unchanged."
    return f"I {'; then I '.join(reasons)}."
