"""Tasks: what is asked and what judges the answer, from whatever source."""

from workbench.tasks.case import Case, Group
from workbench.tasks.catalog import find_task, list_tasks
from workbench.tasks.task import Exhibit, Mode, Task

__all__ = ["Case", "Exhibit", "Group", "Mode", "Task", "find_task", "list_tasks"]
