"""Telling a model's thinking from its answer; the program in the answer is found elsewhere."""

import re

# An opening tag counts only where a line starts: a program may print one.
_OPENING = re.compile(r"^[ \t]*<think>", re.MULTILINE)
_NEXT = re.compile(r"[ \t]*<think>")
_CLOSING = "</think>"
# Without an opening tag, a closing one counts only at an end of its line, for the same reason.
_BARE_CLOSING = re.compile(r"^[ \t]*</think>|</think>[ \t]*$", re.MULTILINE)


def split_reasoning(reply: str, *, opened: bool = False) -> tuple[str, str]:
    """Split a raw reply into answer and reasoning.

    Everything between `<think>` and `</think>` is reasoning, wherever it stands; so is everything
    after an opening tag that was never closed, because the reply was cut while still thinking,
    and everything before a closing tag that was never opened, because some chat templates put
    the opening tag into the prompt; that one must stand at the start or end of a line.

    Args:
        reply: what the model wrote.
        opened: whether the prompt already ended with the opening tag, so that a reply without
            any tag is all reasoning.

    Returns:
        (answer, reasoning), each without surrounding blank lines; a reply without tags is
        returned unchanged as the answer.
    """
    first = _OPENING.search(reply)
    if opened or _BARE_CLOSING.search(reply, 0, first.start() if first else len(reply)):
        reply = f"<think>{reply}"
    answers: list[str] = []
    thoughts: list[str] = []
    position = 0
    # By positions, not by what is left: copies of it would take quadratic time.
    while opening := _NEXT.match(reply, position) or _OPENING.search(reply, position):
        answers.append(reply[position : opening.start()])
        closing = reply.find(_CLOSING, opening.end())
        end = closing if closing >= 0 else len(reply)
        thoughts.append(reply[opening.end() : end].strip())
        position = end + len(_CLOSING)
    if not thoughts:
        return reply, ""
    answers.append(reply[position:])
    return "".join(answers).strip("\r\n"), "\n\n".join(thoughts)
