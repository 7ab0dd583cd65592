"""Template files: their text, and a digest that names exactly what was used."""

import hashlib
from functools import cache
from importlib.resources import files
from string import Template

_DIGEST_DIGITS = 12


@cache
def load(name: str) -> Template:
    """The template of that name, without the final newline of its file."""
    text = (files("workbench.prompts") / "templates" / f"{name}.txt").read_text("utf-8")
    return Template(text.removesuffix("\n"))


def digest(*names: str) -> str:
    """First 12 hexadecimal digits of the SHA-256 over the named templates' texts, in order."""
    text = "\x1f".join(load(name).template for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_DIGITS]
