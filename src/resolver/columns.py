"""Ranking with numpy on postings in place: accumulators, block maxima, partial order.

Nothing is sorted that is not asked for: the top of the order is found through the largest
total of each block of documents, and of the rest only what still fits the budget is sorted.
Figures in comments are for 100,000 documents on the machine of `docs/performance.md`.
"""

from __future__ import annotations

from math import gcd

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ..cache.arrays import Arrays
    from ..cache.index import Index
    from .query import Query, Term
    from .ranking import Ranked

    Array = NDArray[Any]

BLOCKS = 64  # rows of the accumulator whose largest total is taken column by column


class ColumnRanking:
    """The matching documents of a query, totals added up column by column."""

    def __init__(self, query: Query, index: Index) -> None:
        """Read the postings of the query's terms from `index`."""
        self._arrays = index.arrays
        # Whole words alone have even weights: sums of half the size fit a smaller type.
        self._scale = gcd(*[term.weight for term in query.terms]) or 1
        terms = query.terms
        if len(terms) == 1 and not terms[0].postings.dense:
            # The postings of one term are the answer already.
            documents, totals = self._arrays.list(terms[0].postings)
            _require_bounded(index, terms[0], totals)
            self._found: _List | _Accumulator = _List(documents, totals)
        else:
            self._found = _Accumulator(terms, index, self._scale)
        self.matches = self._found.matches

    def top(self, count: int) -> list[Ranked]:
        """The first `count` in order, or all there are."""
        return self._ranked(*self._found.best(count), most=count)

    def after(self, last: Ranked | None, fitting: int | None = None) -> list[Ranked]:
        """All that come after `last` in order; only those of at most `fitting` tokens, if given."""
        documents, totals = self._found.fitting(fitting, self._arrays)
        if last is not None and len(documents):
            document, total = last[0], last[1] // self._scale
            later = np.flatnonzero((totals < total) | ((totals == total) & (documents > document)))
            documents, totals = documents.take(later), totals.take(later)
        return self._ranked(documents, totals) if len(documents) else []

    def _ranked(self, documents: Array, totals: Array, most: int | None = None) -> list[Ranked]:
        """The first `most` by total, with their tokens; documents come in ascending order and stay so."""
        order = (~totals).argsort(kind="stable")[:most]  # equal totals may be many more than are asked for
        documents = documents.take(order).astype(np.intp)
        totals = totals.take(order).astype(np.int64) * self._scale
        tokens = self._arrays.tokens(documents)
        return list(zip(documents.tolist(), totals.tolist(), tokens.tolist(), strict=True))


class _List:
    """The matches of a single term, as its postings have them."""

    def __init__(self, documents: Array, totals: Array) -> None:
        self._documents = documents
        self._totals = totals
        self.matches = len(totals)

    def best(self, count: int) -> tuple[Array, Array]:
        """At least the first `count` in order, or all there are: ascending documents with their totals."""
        if self.matches <= count:
            return self._documents, self._totals
        places = _reaching(self._totals, _nth_largest(self._totals, count), count)
        return self._documents.take(places), self._totals.take(places)

    def fitting(self, tokens: int | None, arrays: Arrays) -> tuple[Array, Array]:
        """All documents of at most so many tokens, with their totals."""
        if tokens is None:
            return self._documents, self._totals
        few = np.flatnonzero(arrays.tokens(self._documents.astype(np.intp)) <= tokens)
        return self._documents.take(few), self._totals.take(few)


class _Accumulator:
    """The totals of all documents, most of them 0."""

    def __init__(self, terms: list[Term], index: Index, scale: int) -> None:
        most = sum(term.most for term in terms) // scale
        # Half the width is half the memory traffic, where no sum can exceed it.
        kind = np.uint16 if most < 1 << 16 else np.uint32
        self._totals: Array = np.zeros(-(-max(1, index.documents) // BLOCKS) * BLOCKS, kind)
        for term in terms:
            self._add(term, term.weight // scale, index)
        self.matches = int(np.count_nonzero(self._totals))
        # Blocks are columns of this shape, so that their maxima are taken row by row, 16 µs.
        self._blocks = self._totals.reshape(BLOCKS, -1)
        self._largest = self._blocks.max(axis=0)

    def _add(self, term: Term, weight: int, index: Index) -> None:
        """Add what one term gives each document that holds it."""
        totals, arrays = self._totals, index.arrays
        if term.postings.dense:
            values = arrays.column(term.postings)
            _require_bounded(index, term, values)
            part = totals[: len(values)]
            part += values if weight == 1 else values * totals.dtype.type(weight)
            return
        documents, impacts = arrays.list(term.postings)
        _require_bounded(index, term, impacts)
        values = impacts.astype(totals.dtype, copy=False)
        arrays.add(totals, documents, values if weight == 1 else values * totals.dtype.type(weight))

    def best(self, count: int) -> tuple[Array, Array]:
        """At least the first `count` in order, or all there are: ascending documents with their totals."""
        if self.matches <= count:
            return self._at(np.flatnonzero(self._totals))
        threshold = _nth_largest(self._largest, count)
        columns = np.flatnonzero(self._largest >= threshold)
        if len(columns) > 4 * count:  # many equal totals: reading their blocks would be reading everything
            return self._at(_reaching(self._totals, threshold, count))
        values = self._blocks[:, columns]
        row, column = np.nonzero(values >= threshold)
        return row * self._blocks.shape[1] + columns[column], values[row, column]

    def fitting(self, tokens: int | None, arrays: Arrays) -> tuple[Array, Array]:
        """All documents of at most so many tokens, with their totals."""
        if tokens is None:
            return self._at(np.flatnonzero(self._totals))
        # Two comparisons over all documents, 30 µs, are less than listing the matches first.
        sizes = arrays.all_tokens()
        return self._at(np.flatnonzero((sizes <= tokens) & (self._totals[: len(sizes)] > 0)))

    def _at(self, documents: Array) -> tuple[Array, Array]:
        return documents, self._totals[documents]


def _require_bounded(index: Index, term: Term, impacts: Array) -> None:
    """Look at a term's impacts before they are first added up."""
    if not term.postings.sound:
        index.require_bounded(term.postings, int(impacts.max(initial=0)), term.rarity)


def _reaching(totals: Array, threshold: int, count: int) -> Array:
    """The places of all totals above `threshold`, and of the first that equal it, `count` in all or more."""
    reached = np.flatnonzero(totals >= threshold)
    if len(reached) <= 4 * count:
        return reached
    above = np.flatnonzero(totals > threshold)
    equal = reached[totals.take(reached) == threshold][: max(0, count - len(above))]
    return np.sort(np.concatenate([above, equal]))


def _nth_largest(values: Array, count: int) -> int:
    """The `count`-th largest of some totals, at least 1; 1 when there are not so many.

    Of the largest totals of blocks: at least `count` documents reach it, seldom many more.
    """
    place = len(values) - count
    if place <= 0:
        return 1
    parted = values.copy()
    parted.partition(place)
    return max(1, int(parted[place]))
