"""The command line: thin shells over the packages below."""

from workbench.cli.app import main

__all__ = ["main"]
