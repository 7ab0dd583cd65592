"""environment.yml and pyproject.toml name the same pins."""

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def test_the_conda_file_has_the_same_pins_as_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *conda, pip = environment["dependencies"]
    *pins, package = pip["pip"]
    assert f"python {project['requires-python']}" in conda
    assert sorted(pins) == sorted(project["dependencies"])
    assert package == "-e ."


def test_what_the_project_is_built_on_is_among_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = " ".join(project["dependencies"] + project["optional-dependencies"]["gpu"])
    for package in (
        "jupyterlab", "ipywidgets", "plotly", "vllm", "unsloth", "trl", "torch", "numpy", "zss",
        "codebleu",
    ):  # fmt: skip
        assert package in declared
