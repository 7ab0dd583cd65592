"""Every notebook in the repository: what it may hold, and that it runs."""

import ast
import json
import re
from pathlib import Path

import nbformat
import notebook_files
import pytest
from nbclient import NotebookClient

_MOST_CELLS, _MOST_LINES, _MOST_BYTES = 15, 12, 200 * 1024
_EACH = pytest.mark.parametrize("path", notebook_files.NOTEBOOKS, ids=lambda path: path.stem)
# Places of whoever ran it, and addresses that a page would fetch from.
_LOCAL = re.compile(r"/(?:root|home|Users|tmp|work|opt|usr)/|[A-Z]:\\\\")
_REMOTE = re.compile(r"(?:src|href)\s*=\s*\\?[\"']\s*https?:")


def _outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook_files.code_cells(notebook) for output in cell.outputs]


def test_there_are_notebooks() -> None:
    assert "01_one_round" in [path.stem for path in notebook_files.NOTEBOOKS]


@_EACH
def test_cells_are_few_and_short_and_define_nothing(path: Path) -> None:
    cells = notebook_files.code_cells(notebook_files.read(path))
    assert len(cells) <= _MOST_CELLS
    for cell in cells:
        assert len(cell.source.splitlines()) <= _MOST_LINES, cell.source
        for node in ast.walk(ast.parse(cell.source)):
            forbidden = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Try
            assert not isinstance(node, forbidden), cell.source
            assert not (isinstance(node, ast.Name) and node.id in ("print", "open"))


@_EACH
def test_it_begins_with_its_only_title_and_a_question(path: Path) -> None:
    notebook = notebook_files.read(path)
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    titles = [line for text in prose for line in text.splitlines() if line.startswith("# ")]
    assert notebook.cells[0].source.startswith(titles[0])
    assert len(titles) == 1
    assert "?" in notebook.cells[0].source


@_EACH
def test_one_tagged_cell_of_literals_comes_first(path: Path) -> None:
    cells = notebook_files.code_cells(notebook_files.read(path))
    assert [notebook_files.is_parameters(cell) for cell in cells] == [True] + [False] * (
        len(cells) - 1
    )
    for statement in ast.parse(cells[0].source).body:
        assert isinstance(statement, ast.Assign)
        ast.literal_eval(statement.value)


@_EACH
def test_committed_outputs_are_there_in_order_and_without_errors(path: Path) -> None:
    notebook = notebook_files.read(path)
    cells = notebook_files.code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell.outputs for cell in cells[2:])
    assert {output.output_type for output in _outputs(notebook)} <= {
        "execute_result",
        "display_data",
    }


@_EACH
def test_committed_outputs_read_without_widgets_and_name_no_place(path: Path) -> None:
    for output in _outputs(notebook_files.read(path)):
        assert "application/vnd.jupyter.widget-view+json" not in output.data
        # JupyterLab puts a picture beside each figure when a notebook is opened in it and saved.
        assert {"text/html", "image/png"} & set(output.data), "a figure without its picture"
        text = json.dumps(output)
        assert not _LOCAL.search(text), _LOCAL.search(text)
        assert not _REMOTE.search(text)


@_EACH
def test_the_file_is_small_and_carries_no_trace_of_an_editor(path: Path) -> None:
    notebook = notebook_files.read(path)
    assert path.stat().st_size < _MOST_BYTES
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info == {"name": "python"}
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)


@_EACH
def test_it_runs_from_top_to_bottom_without_a_browser(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_STORE", str(tmp_path / "runs"))
    monkeypatch.setenv("PYTHONPATH", str(notebook_files.FOLDER.parent))
    notebook = notebook_files.with_parameters(path, notebook_files.QUICK)
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    kinds = {output.output_type for output in _outputs(notebook)}
    assert "error" not in kinds
    assert "stream" not in kinds, [o for o in _outputs(notebook) if o.output_type == "stream"]
    assert list((tmp_path / "runs").glob("*.sqlite"))
