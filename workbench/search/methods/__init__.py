"""Methods, one file each; a paper's name stands nowhere else in the package."""

from workbench.search.methods.island_search import IslandSearch, IslandSearchSettings

__all__ = ["IslandSearch", "IslandSearchSettings"]
