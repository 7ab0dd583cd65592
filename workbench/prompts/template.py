"""Template files: all words of a prompt, and a digest that names exactly those used."""

import hashlib
from functools import cache
from importlib.resources import files
from string import Template

_DIGEST_DIGITS = 12


class Page:
    """Renders one prompt out of templates and notes which of them it took.

    No word that a model reads stands outside the template files, apart from what the task,
    the programs and their verdicts bring, so that the digest covers every change of wording.
    """

    def __init__(self) -> None:
        self._used: dict[str, str] = {}

    def render(self, name: str, **fields: str) -> str:
        """The template of that name with its fields filled in.

        Raises:
            KeyError: a field is missing.
        """
        template = _load(name)
        self._used[name] = template.template
        return template.substitute(fields)

    @property
    def digest(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 over the texts used, by name."""
        text = "\x1f".join(self._used[name] for name in sorted(self._used))
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_DIGITS]


@cache
def _load(name: str) -> Template:
    """The template of that name, without the final newline of its file."""
    text = (files("workbench.prompts") / "templates" / f"{name}.txt").read_text("utf-8")
    return Template(text.removesuffix("\n"))
