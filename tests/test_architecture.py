"""Rules of the house that no linter knows."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "workbench"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
MOST_PUBLIC_NAMES = 10


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= MOST_FILE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < MOST_FUNCTION_LINES, node.name


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("__init__.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_packages_have_few_public_names(path: Path) -> None:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            names = ast.literal_eval(node.value)
            assert len(names) <= MOST_PUBLIC_NAMES


def test_importing_the_package_is_quick_and_needs_no_heavy_library() -> None:
    code = (
        "import time; began = time.perf_counter(); import workbench; "
        "took = time.perf_counter() - began; import sys; "
        "print(took, 'torch' in sys.modules or 'plotly' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    answers = [run.stdout.split() for run in runs]
    assert min(float(took) for took, _ in answers) < 0.3
    assert {heavy for _, heavy in answers} == {"False"}


def test_every_module_imports_where_no_model_library_is_installed() -> None:
    names = [
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in MODULES
        if path.name != "__main__.py"
    ]
    code = (
        "import sys, importlib\n"
        "for name in ('torch', 'transformers', 'vllm', 'unsloth', 'trl', 'peft', 'openai'):\n"
        "    sys.modules[name] = None\n"
        f"for name in {names!r}:\n"
        "    importlib.import_module(name.removesuffix('.__init__'))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
