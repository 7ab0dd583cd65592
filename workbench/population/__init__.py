"""Populations: who survives, who is a parent next, who migrates."""

from workbench.population.candidate import Candidate
from workbench.population.islands import Islands, IslandSettings, Migration
from workbench.population.parents import ParentRatios

__all__ = ["Candidate", "IslandSettings", "Islands", "Migration", "ParentRatios"]
