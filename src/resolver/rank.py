"""All documents that match a query, by total, and the order that follows from it.

A ranking has the total of every matching document and gives documents out from the top.
There are two makers, equal in every number: `PythonAccumulator`, which needs no import, and
`NumpyAccumulator`, which uses numpy and is faster from some hundred thousand postings on.
Order: total descending, id ascending; documents are numbered in id order.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ..cache.index import Index
    from .query import Query

    Ranked = tuple[int, int, int]
    """A document's number, its total, its tokens."""

    class Ranking(Protocol):
        """The matching documents of a query."""

        matches: int
        """How many there are, exactly."""

        def top(self, count: int) -> list[Ranked]:
            """The first `count` in order, or all there are."""

        def after(self, last: Ranked | None, fitting: int | None = None) -> list[Ranked]:
            """All that come after `last` in order (all, if None).

            With `fitting`, only those of at most so many tokens.
            """


# Below this many postings, adding them up in plain Python takes less than importing numpy.
CROSSOVER = 300_000


def rank(query: Query, index: Index) -> Ranking:
    """Rank the documents of `index` for `query`, by the faster of the two equal ways.

    A cache that goes on being asked pays for the import once it has spent as much without it.
    """
    if "numpy" not in sys.modules:
        index.added_up += sum(postings.end - postings.start for postings in query.all_postings())
        if index.added_up <= CROSSOVER:
            from .python_accumulator import (
                PythonAccumulator,
            )  # as little as possible is loaded where numpy is not

            return PythonAccumulator(query, index)
    from .numpy_accumulator import NumpyAccumulator  # numpy: worth its import only here

    return NumpyAccumulator(query, index)
