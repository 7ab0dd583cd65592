import sys
from pathlib import Path

import pytest

from workbench.errors import TaskError
from workbench.tasks import find_task, list_tasks
from workbench.tasks.bundled import bundled_names, data_root


def test_the_bundled_tasks_are_listed_by_name() -> None:
    assert [task.name for task in list_tasks()] == bundled_names()
    assert len(list_tasks()) == 16


def test_a_task_is_found_by_name_and_by_path() -> None:
    folder = data_root() / "tasks" / "sum-to"
    assert find_task("sum-to") == find_task(str(folder))
    assert find_task("sum-to").digest == find_task(str(folder)).digest


def test_an_unknown_name_gets_near_ones_and_the_way_to_all() -> None:
    with pytest.raises(TaskError, match=r"did you mean sum-to.*list_tasks\(\)"):
        find_task("sum-too")
    with pytest.raises(TaskError, match="no task 'zzzz'; list_tasks"):
        find_task("zzzz")


@pytest.mark.parametrize("name", ["a" * 300, "humaneval-" + "1" * 5000, "x\0", "humaneval-²"])
def test_a_name_that_can_be_none_is_refused_like_any_other(name: str) -> None:
    with pytest.raises(TaskError, match="no task"):
        find_task(name)


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(TaskError, match="there are bundled, humaneval"):
        list_tasks("elsewhere")


def test_finding_one_task_opens_no_file_of_another() -> None:
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "open":
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)  # it cannot be taken away again, only told to be idle
    find_task("sum-to")
    watching = False
    folders = {Path(path).relative_to(data_root() / "tasks").parts[0] for path in opened}
    assert folders == {"sum-to"}
