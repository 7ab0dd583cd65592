"""`python -m workbench.cli`, for where the command is not on the path."""

from workbench.cli import main

main()
