"""Running untrusted programs: one gateway to processes, clocks and limits outside them."""

from workbench.sandbox.execution import Ending, Execution
from workbench.sandbox.job import Call, Job, Script
from workbench.sandbox.limits import Limits
from workbench.sandbox.link import survey
from workbench.sandbox.local import LocalSandbox
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.trust import TrustLevel

__all__ = [
    "Call",
    "Ending",
    "Execution",
    "Job",
    "Limits",
    "LocalSandbox",
    "Sandbox",
    "Script",
    "TrustLevel",
    "survey",
]
