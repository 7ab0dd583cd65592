"""Telling a model's thinking from its answer; the program in the answer is found elsewhere."""

import re

# An opening tag counts only where a line starts: a program may print one.
_OPENING = re.compile(r"^[ \t]*<think>", re.MULTILINE)
_CLOSING = "</think>"


def split_reasoning(reply: str, *, opened: bool = False) -> tuple[str, str]:
    """Split a raw reply into answer and reasoning.

    Everything between `<think>` and `</think>` is reasoning, wherever it stands; so is everything
    after an opening tag that was never closed, because the reply was cut while still thinking,
    and everything before a closing tag that was never opened, because some chat templates put
    the opening tag into the prompt.

    Args:
        reply: what the model wrote.
        opened: whether the prompt already ended with the opening tag, so that a reply without
            any tag is all reasoning.

    Returns:
        (answer, reasoning), each without surrounding blank lines; a reply without tags is
        returned unchanged as the answer.
    """
    first = _OPENING.search(reply)
    if opened or _CLOSING in reply[: first.start() if first else None]:
        reply = f"<think>{reply}"
    if not _OPENING.search(reply):
        return reply, ""
    answers: list[str] = []
    thoughts: list[str] = []
    rest = reply
    while opening := _OPENING.search(rest):
        answers.append(rest[: opening.start()])
        thought, _, rest = rest[opening.end() :].partition(_CLOSING)
        thoughts.append(thought.strip())
    answers.append(rest)
    return "".join(answers).strip("\r\n"), "\n\n".join(thoughts)
