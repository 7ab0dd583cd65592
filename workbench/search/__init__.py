"""Search: methods over ask and tell, and the one driver that runs them all."""

from workbench.search.budget import Budget, Spent
from workbench.search.driver import Driver
from workbench.search.methods import IslandSearch, IslandSearchSettings
from workbench.search.opening import RunSettings, open_run, stored_settings
from workbench.search.search import Search

__all__ = [
    "Budget",
    "Driver",
    "IslandSearch",
    "IslandSearchSettings",
    "RunSettings",
    "Search",
    "Spent",
    "open_run",
    "stored_settings",
]
