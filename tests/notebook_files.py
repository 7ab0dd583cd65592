"""The notebooks in the repository, and copies of them with other parameters."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

# A model that needs no weights, and a few seconds' work.
QUICK: Mapping[str, Any] = {"model_name": "rewriter", "rounds": 2}


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_parameters(cell: nbformat.NotebookNode) -> bool:
    return "parameters" in cell.metadata.get("tags", [])


def with_parameters(path: Path, values: Mapping[str, Any]) -> nbformat.NotebookNode:
    """The notebook with `values` put after its own parameters, and no outputs."""
    notebook = read(path)
    for cell in code_cells(notebook):
        cell.outputs = []
        cell.execution_count = None
        if is_parameters(cell):
            cell.source += "".join(f"\n{name} = {value!r}" for name, value in values.items())
    return notebook
