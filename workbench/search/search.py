"""The search protocol: ask for requests, tell what came of them. Nothing runs here."""

from collections.abc import Sequence
from typing import Protocol

from workbench.population import Candidate
from workbench.runs import Request, RoundOutcome, Step


class Search(Protocol):
    """A method, reduced to its decisions.

    The state after `tell` is a function of the settings, the seed and the steps told so far,
    never of the order in which the steps of one round arrive; that is what makes a run
    resumable by telling it its own past again.
    """

    @property
    def finished(self) -> bool:
        """Whether the method has nothing more to ask."""
        ...

    @property
    def start(self) -> Candidate | None:
        """The candidate that gains are measured from, None before it is known."""
        ...

    @property
    def best(self) -> Candidate | None:
        """The best candidate told so far, None before the first."""
        ...

    def candidate(self, candidate_id: int) -> Candidate:
        """Any candidate told so far, whether or not it is still in the population.

        Raises:
            KeyError: there is none of that id.
        """
        ...

    def ask(self, at_most: int | None = None) -> list[Request]:
        """The next round's requests.

        Args:
            at_most: ask for no more than this, because the budget ends there.

        Raises:
            RuntimeError: the requests of the previous `ask` have not been told yet, or the
                search is finished.
        """
        ...

    def tell(self, steps: Sequence[Step]) -> RoundOutcome:
        """Take in a whole round, one step a request, in any order.

        Raises:
            ValueError: the steps do not answer exactly the requests that were asked.
        """
        ...
