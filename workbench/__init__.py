"""Workbench: evolve programs with language models, from a notebook.

Sub-packages hold everything (`workbench.search`, `workbench.views`, ...); importing this
one costs next to nothing and pulls in no heavy library.
"""

__version__ = "0.1.0"
