"""Ranking with numpy on the postings in place: accumulators, block maxima, partial order.

Nothing is sorted that is not asked for: the top of the order is found through the largest
total of each block of documents, and of the rest only what still fits the budget is sorted.
Figures in comments are for 100,000 documents on the machine of `docs/performance.md`.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ..cache.index import Index, Postings
    from .query import Clause, Query
    from .rank import Ranked

    Array = NDArray[Any]

BLOCKS = 64  # rows of the accumulator whose largest total is taken column by column
GROWTH = 4


class NumpyAccumulator:
    """The matching documents of a query, totals added up column by column."""

    def __init__(self, query: Query, index: Index) -> None:
        """Read the postings of the query's terms from `index`."""
        self._index = index
        self._arrays = index.arrays
        # Half the width is half the memory traffic, where no sum can exceed it.
        self._kind = np.uint32 if query.max_score < 1 << 32 else np.uint64
        self._count = index.documents
        self._totals = self._zeros(max(1, -(-self._count // BLOCKS)) * BLOCKS)
        for clause in query.clauses:
            self._add_clause(clause, query.scorer.text_factor)
        self._add_alternatives(query)
        for term in query.names:
            self._add(self._totals, term.postings, term.idf, query.scorer.name_factor * term.weight)
        self._add_orders(query)
        self._best = _Totals(self._totals)
        self.matches = self._best.matches
        self._starts = self._arrays.file_starts().astype(np.int64) if index.files else None

    def top(self, count: int) -> list[Ranked]:
        """The first `count` in order, or all there are."""
        wanted = count if self._starts is None else 2 * count
        while True:
            documents, totals = _in_order(*self._best.best(wanted))
            if self._starts is None:
                return self._ranked(documents[:count], totals[:count])
            documents, totals = documents[:wanted], totals[:wanted]
            # What precedes a document in its file has a larger total, so it is among these.
            lower = self._decayed(documents, totals)
            if wanted >= self.matches:
                return self._ranked(*_in_order(documents, lower, count))
            final = lower > totals[-1]  # what was not looked at has no more
            if np.count_nonzero(final) >= count:
                return self._ranked(*_in_order(documents[final], lower[final], count))
            wanted *= GROWTH

    def all(self) -> list[Ranked]:
        """All in order."""
        documents, totals = self._at(np.flatnonzero(self._totals > 0))
        if self._starts is not None and len(documents):
            totals = self._decayed_among_all(documents)
        return self._ranked(*_in_order(documents, totals))

    def next_fitting(self, last: Ranked, tokens: int, count: int) -> list[Ranked]:
        """The first `count` after `last` of at most so many tokens, or all there are."""
        totals = self._totals.copy()
        totals[: self._count] *= self._arrays.all_tokens() <= tokens
        fitting = _Totals(totals)
        wanted = GROWTH * count
        while True:
            documents, totals = _in_order(*fitting.best(wanted), wanted)
            lower = totals if self._starts is None else self._decayed_among_all(documents)
            later = (lower < last[1]) | ((lower == last[1]) & (documents > last[0]))
            if wanted >= fitting.matches:
                return self._ranked(*_in_order(documents[later], lower[later], count))
            if self._starts is not None:
                later &= lower > totals[-1]  # what was not looked at has no more
            if np.count_nonzero(later) >= count:
                return self._ranked(*_in_order(documents[later], lower[later], count))
            wanted *= GROWTH

    def _zeros(self, count: int) -> Array:
        return np.zeros(count, self._kind)

    def _add_clause(self, clause: Clause, factor: int) -> None:
        """Add `factor` times the most of what a term and its variants give each document."""
        if clause.term is not None:
            self._add(self._totals, clause.term.postings, clause.term.idf, factor * clause.term.weight)
        if clause.variants:
            # A common word has rare variants, and the next query has the same: what they give
            # above the term is remembered, which spares a column for each clause.
            variants = [(variant.kind, variant.term.text) for variant in clause.variants]
            key = (self._kind, clause.text, clause.weight, *variants)  # a repair counts unlike a relative
            surplus = self._arrays.remembered(key, lambda: self._surplus(clause, factor))
            self._arrays.add(self._totals, *surplus)

    def _surplus(self, clause: Clause, factor: int) -> tuple[Array, Array]:
        """The documents to which a variant gives more than the term, and `factor` times how much more."""
        best = self._zeros(self._count)
        if clause.term is not None:
            self._add(best, clause.term.postings, clause.term.idf, clause.term.weight)
        own = best.copy()
        for variant in clause.variants:
            documents, impacts = self._postings(variant.term.postings, variant.term.idf)
            values = impacts.astype(np.int64) * variant.factor // variant.divisor
            values = (np.maximum(values, 1) * variant.weight).astype(self._kind)
            values[impacts == 0] = 0  # in a column, documents without the variant
            best[documents] = np.maximum(best[documents], values)
        surplus = np.flatnonzero(best > own)
        return surplus, (best[surplus] - own[surplus]) * self._kind(factor)

    def _add_alternatives(self, query: Query) -> None:
        share, divisor = query.alternative_share
        for term in query.alternatives:
            documents, impacts = self._postings(term.postings, term.idf)
            values = np.maximum(impacts.astype(np.int64) * (term.weight * share) // divisor, 1)
            values[impacts == 0] = 0
            self._add_values(self._totals, documents, values.astype(self._kind))

    def _add_orders(self, query: Query) -> None:
        """Add what only orders the documents that match: light words, exact forms, their files."""
        file_terms = query.file_terms
        if not (query.light or query.exact or file_terms):
            return
        extra = self._zeros(len(self._totals))
        for term in query.light:
            self._add(extra, term.postings, term.idf, query.scorer.text_factor * term.weight)
        for term in query.exact:
            self._add(extra, term.postings, term.idf, query.scorer.exact_factor * term.weight)
        if file_terms:
            files = self._zeros(self._index.files)
            for term in file_terms:
                assert term.file_postings is not None
                self._add(files, term.file_postings, term.file_idf, query.scorer.file_factor * term.weight)
            starts = self._arrays.file_starts()
            extra[: self._count] += np.repeat(files, np.diff(starts, append=np.uint32(self._count)))
        extra *= self._totals > 0
        self._totals += extra

    def _add(self, totals: Array, postings: Postings, idf: int, weight: int) -> None:
        """Add `weight` times the impacts of a term."""
        documents, impacts = self._postings(postings, idf)
        self._add_values(totals, documents, impacts.astype(totals.dtype) * totals.dtype.type(weight))

    def _add_values(self, totals: Array, documents: Array | slice, values: Array) -> None:
        if isinstance(documents, slice):
            part = totals[documents]
            part += values
        else:
            self._arrays.add(totals, documents, values)

    def _postings(self, postings: Postings, idf: int) -> tuple[Array | slice, Array]:
        """Where a term stands, and its impacts there."""
        if postings.arrays is None:
            postings.arrays = self._checked(postings, idf)
        found: tuple[Array | slice, Array] = postings.arrays
        return found

    def _checked(self, postings: Postings, idf: int) -> tuple[Array | slice, Array]:
        """The same, looked through."""
        if postings.dense:
            impacts = self._arrays.column(postings)
            documents: Array | slice = slice(0, len(impacts))
        else:
            documents, impacts = self._arrays.list(postings)
            self._arrays.require_within(documents, self._index.files if postings.of_files else self._count)
        if not postings.sound:
            self._index.require_bounded(postings, int(impacts.max(initial=0)), idf)
        return documents, impacts

    def _at(self, documents: Array) -> tuple[Array, Array]:
        return documents, self._totals[documents]

    def _decayed(self, documents: Array, totals: Array) -> Array:
        """The totals of documents in order, less for each that comes before it in its file."""
        assert self._starts is not None
        files = np.searchsorted(self._starts, documents, side="right")
        order = files.argsort(kind="stable")
        grouped = files[order]
        firsts = np.flatnonzero(np.diff(grouped, prepend=-1))
        ranks = np.empty(len(files), np.int64)
        ranks[order] = np.arange(len(files)) - np.repeat(firsts, np.diff(firsts, append=len(files)))
        decay = self._index.scorer.decay
        shares = np.maximum(1, decay - ranks).astype(np.uint64)
        lower = totals.astype(np.uint64) * shares // np.uint64(decay)
        found: Array = np.maximum(lower, np.uint64(1)).astype(totals.dtype)
        return found

    def _decayed_among_all(self, documents: Array) -> Array:
        """The decayed totals of some matching documents, all documents of their files looked at."""
        assert self._starts is not None
        files = np.unique(np.searchsorted(self._starts, documents, side="right") - 1)
        firsts = self._starts[files]
        sizes = np.append(self._starts, self._count)[files + 1] - firsts
        offsets = np.cumsum(sizes) - sizes
        all_of = np.arange(sizes.sum()) + np.repeat(firsts - offsets, sizes)
        all_of = all_of[self._totals[all_of] > 0]
        ordered, totals = _in_order(all_of, self._totals[all_of])
        lower = self._zeros(len(all_of))
        lower[np.searchsorted(all_of, ordered)] = self._decayed(ordered, totals)
        found: Array = lower[np.searchsorted(all_of, documents)]
        return found

    def _ranked(self, documents: Array, totals: Array) -> list[Ranked]:
        """Documents in order with their totals and their tokens."""
        documents = documents.astype(np.intp)
        tokens = self._arrays.tokens(documents)
        return list(zip(documents.tolist(), totals.tolist(), tokens.tolist(), strict=True))


class _Totals:
    """The totals of all documents, of which the largest are asked for."""

    def __init__(self, totals: Array) -> None:
        self._totals = totals
        self.matches = int(np.count_nonzero(totals))
        # Blocks are columns of this shape, so that their maxima are taken row by row, 16 µs.
        self._blocks = totals.reshape(BLOCKS, -1)
        self._largest = self._blocks.max(axis=0)

    def best(self, count: int) -> tuple[Array, Array]:
        """At least the first `count`, or all: ascending documents with their totals."""
        if self.matches <= count:
            return self._at(np.flatnonzero(self._totals > 0))
        threshold = _nth_largest(self._largest, count)
        columns = np.flatnonzero(self._largest >= threshold)
        if len(columns) > 4 * count:  # many equal totals: reading their blocks would be reading everything
            return self._at(_reaching(self._totals, threshold, count))
        values = self._blocks[:, columns]
        row, column = np.nonzero(values >= threshold)
        return row * self._blocks.shape[1] + columns[column], values[row, column]

    def _at(self, documents: Array) -> tuple[Array, Array]:
        return documents, self._totals[documents]


def _in_order(documents: Array, totals: Array, most: int | None = None) -> tuple[Array, Array]:
    """The first `most` by total, then by number."""
    if len(documents) and np.any(documents[1:] < documents[:-1]):
        by_number = documents.argsort(kind="stable")
        documents, totals = documents.take(by_number), totals.take(by_number)
    order = (~totals).argsort(kind="stable")[:most]  # equal totals may be many more than are asked for
    return documents.take(order), totals.take(order)


def _reaching(totals: Array, threshold: int, count: int) -> Array:
    """The positions of all totals above `threshold`, and of the first equal ones: `count` or more in all."""
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
    position = len(values) - count
    if position <= 0:
        return 1
    parted = values.copy()
    parted.partition(position)
    return max(1, int(parted[position]))
