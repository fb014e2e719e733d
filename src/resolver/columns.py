"""Ranking with numpy on the mapped postings: accumulators, block maxima, partial order.

Nothing is sorted that is not asked for: the top of the order is found through the largest
total of each block of documents, and of the rest only what still fits the budget is sorted.
"""

from __future__ import annotations

from functools import reduce
from math import gcd

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ..cache.index import Index
    from .query import Query, Term
    from .ranking import Ranked

    Array = NDArray[Any]

LAST = np.uint64(0xFFFFFFFF)
BLOCK = 128  # documents whose largest total is kept together
SORTED_WHOLE = 20_000  # up to so many matches, one sort beats finding the top first


class ColumnRanking:
    """The matching documents of a query, totals added up column by column."""

    def __init__(self, query: Query, index: Index) -> None:
        """Read the postings of the query's terms from `index`."""
        self._index = index
        self._scale = reduce(gcd, (term.weight for term in query.terms), 0) or 1
        self._accumulator: Array | None = None
        if len(query.terms) == 1 and not query.terms[0].postings.dense:
            # The postings of one term are the answer already.
            self._documents, impacts = self._postings(query.terms[0])
            self._totals = impacts
            self.matches = len(impacts)
        else:
            self._accumulator = self._accumulate(query.terms)
            self.matches = int(np.count_nonzero(self._accumulator))
        self._keys: Array | None = None
        if self.matches <= SORTED_WHOLE:
            self._keys = self._sorted(*self._candidates(1))

    def top(self, count: int) -> list[Ranked]:
        """At least the first `count` in order, or all there are."""
        if self._keys is not None:
            return self._ranked(self._keys[:count])
        return self._ranked(self._sorted(*self._candidates(self._threshold(count))))

    def after(self, last: Ranked | None, fitting: int | None = None) -> list[Ranked]:
        """All that come after `last` in order; only those of at most `fitting` tokens, if given."""
        documents, totals = self._candidates(1)
        if last is not None:
            document, total = last[0], last[1] // self._scale
            later = (totals < total) | ((totals == total) & (documents > document))
            documents, totals = documents[later], totals[later]
        if fitting is not None:
            # Sizes first: few of many matches still fit, and only those are sorted.
            few = self._column("tokens", 0, self._index.documents, "<u4")[documents] <= fitting
            documents, totals = documents[few], totals[few]
        return self._ranked(self._sorted(documents, totals))

    def _accumulate(self, terms: list[Term]) -> Array:
        """The total of each document over `scale`, padded to whole blocks."""
        blocks = -(-max(1, self._index.documents) // BLOCK)
        most = sum(term.most for term in terms) // self._scale
        # Half the width is half the memory traffic, where no sum can exceed it.
        totals: Array = np.zeros(blocks * BLOCK, np.uint16 if most < 1 << 16 else np.uint32)
        for term in terms:
            weight = totals.dtype.type(term.weight // self._scale)
            if term.postings.dense:
                column = self._column("dense_impacts", term.postings.start, term.postings.end, "<u2")
                totals[: len(column)] += column if weight == 1 else column * weight
            else:
                documents, impacts = self._postings(term)
                values = impacts.astype(totals.dtype, copy=False)
                # `add.at` is fast only where the values have the accumulator's own type.
                np.add.at(totals, documents, values if weight == 1 else values * weight)
        return totals

    def _postings(self, term: Term) -> tuple[Array, Array]:
        start, end = term.postings.start, term.postings.end
        width = self._index.widths["posting_documents"]
        documents = self._column("posting_documents", start, end, f"<u{width}")
        return documents, self._column("posting_impacts", start, end, "<u2")

    def _column(self, section: str, start: int, end: int, form: str) -> Array:
        """Items of a section as an array on the mapped bytes, checked."""
        index = self._index
        first, last = index.place(section, start), index.place(section, end)
        index.file.check(first, last)
        return np.frombuffer(index.file.bytes, form, end - start, first)

    def _threshold(self, count: int) -> int:
        """A total that at least `count` documents reach: few more, so that few are sorted."""
        if self._accumulator is None:
            largest = self._totals
        else:
            # Blocks are columns of this shape: reducing along the first axis is vectorised.
            largest = self._accumulator.reshape(BLOCK, -1).max(axis=0)
        if len(largest) <= count:
            return 1
        return max(1, int(np.partition(largest, len(largest) - count)[len(largest) - count]))

    def _candidates(self, threshold: int) -> tuple[Array, Array]:
        """All documents whose total over `scale` is at least `threshold`, with that total."""
        if self._accumulator is None:
            if threshold == 1:
                return self._documents, self._totals
            reached = self._totals >= threshold
            return self._documents[reached], self._totals[reached]
        if threshold == 1:
            documents = np.flatnonzero(self._accumulator)
            return documents, self._accumulator[documents]
        blocks = self._accumulator.reshape(BLOCK, -1)
        columns = np.flatnonzero(blocks.max(axis=0) >= threshold)
        values = blocks[:, columns]
        row, column = np.nonzero(values >= threshold)
        return row * blocks.shape[1] + columns[column], values[row, column]

    def _sorted(self, documents: Array, totals: Array) -> Array:
        """One integer for each document, of total and number, so that one sort orders both."""
        keys = totals.astype(np.uint64) << np.uint64(32) | LAST - documents.astype(np.uint64)
        keys.sort()
        return keys[::-1]

    def _ranked(self, keys: Array) -> list[Ranked]:
        documents = (LAST - (keys & LAST)).astype(np.int64)
        base = self._index.place("tokens", 0)
        numbers = documents.tolist()
        self._index.file.check_each([base + 4 * number for number in numbers], 4)
        tokens = np.frombuffer(self._index.file.bytes, "<u4", self._index.documents, base)[documents]
        totals = (keys >> np.uint64(32)).astype(np.int64) * self._scale
        return list(zip(numbers, totals.tolist(), tokens.tolist(), strict=True))
