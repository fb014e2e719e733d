"""Ranking with numpy on the postings in place: totals, block maxima, partial order.

Postings are added up in pieces that stay in the processor's cache. Nothing is sorted that is not asked for:
the top of the order is found through the largest total of each block of documents, and so is what still
fits the budget.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..cache.postings import ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ..cache.index import Index, Postings
    from .query import Clause, Query, Ranked

    Array = NDArray[Any]

BLOCK = 64
"""Documents of which the largest total is kept."""
PIECE = 1 << 15
"""Postings that are added up together: they take some 400 kilobytes on the way."""
GROWTH = 4


class NumpyAccumulator:
    """The matching documents of a query, totals added up posting list by posting list."""

    def __init__(self, query: Query, index: Index) -> None:
        """Read the postings of the query's terms from `index`."""
        self._index = index
        self._arrays = index.arrays
        # Half the width is half the memory traffic, where no sum can exceed it.
        self._dtype = np.uint32 if query.max_score < 1 << 32 else np.uint64
        self._file_starts = self._arrays.file_starts().astype(np.int64) if index.files else None
        self._totals: Array = np.zeros(max(1, -(-index.documents // BLOCK)) * BLOCK, self._dtype)
        # A block is a column of this shape, so that maxima are taken row by row.
        self._blocks: Array = self._totals.reshape(BLOCK, -1)
        self._add_up(query)
        self._block_max: Array = self._blocks.max(axis=0)

    def _add_up(self, query: Query) -> None:
        """Fill the totals: first the addends that make documents match, then those that only order them."""
        scratch = np.empty(PIECE, self._dtype), np.empty(PIECE, np.intp)
        for addend in self._matching_addends(query):
            addend.add(self._totals, scratch)
        matching = self._totals > 0
        self.matches = int(np.count_nonzero(matching))
        files = self._file_totals(query, scratch)
        if not (query.light or query.exact or query.title or query.heading or files is not None):
            return
        for addend in self._ordering_addends(query):
            addend.add(self._totals, scratch)
        if query.title:
            self._totals[self._title_matches(query)] += self._dtype(query.title_bonus)
        if query.heading is not None:
            documents, impacts = self._postings(query.heading.postings, query.heading.idf)
            headed = np.flatnonzero(impacts) if documents is None else documents
            self._totals[headed] += self._dtype(query.heading_bonus)
        if files is not None:
            sizes = np.diff(self._arrays.file_starts(), append=np.uint32(self._index.documents))
            self._totals[: self._index.documents] += np.repeat(files, sizes)
        self._totals *= matching

    def _matching_addends(self, query: Query) -> Iterator[_Addend]:
        """The addends that make a document match: clauses, alternatives, names of files and folders."""
        factors = query.factors
        for clause in query.clauses:
            if clause.term is not None:
                term = clause.term
                yield self._addend(term.postings, term.idf, factors.text * term.weight)
            if clause.variants:
                # A common word has rare variants, and the next query has the same: what they give
                # above the term is remembered, by kind too: a repair counts unlike a relative.
                variants = [(variant.kind, variant.term.text) for variant in clause.variants]
                key = (self._dtype, clause.text, clause.weight, *variants)
                surplus, values, *merged = self._arrays.remembered(key, partial(self._merge, clause))
                clause.merged = MergedPostings(*merged)
                yield _Addend(surplus, values, factors.text)
        share, divisor = query.alternative_share
        for term in query.alternatives:
            documents, impacts = self._postings(term.postings, term.idf)
            values = np.maximum(impacts.astype(np.int64) * (term.weight * share) // divisor, 1)
            values[impacts == 0] = 0  # in a column, documents without the term
            yield _Addend(documents, values.astype(self._dtype), 1)
        for term in query.names:
            yield self._addend(term.postings, term.idf, factors.name * term.weight)

    def _ordering_addends(self, query: Query) -> Iterator[_Addend]:
        """The addends that only order matching documents: light words and exact forms."""
        factors = query.factors
        for factor, terms in ((factors.text, query.light), (factors.exact, query.exact)):
            for term in terms:
                yield self._addend(term.postings, term.idf, factor * term.weight)

    def _title_matches(self, query: Query) -> Array:
        """The documents whose title holds all words of a short query."""
        first, *others = (self._arrays.titled(term.postings) for term in query.title)
        for documents in others:
            first = np.intersect1d(first, documents, assume_unique=True)
        return first

    def _file_totals(self, query: Query, scratch: tuple[Array, Array]) -> Array | None:
        """The total of each file, which all its documents get; None where no term has postings over files."""
        terms = query.file_terms
        if not terms:
            return None
        files = np.zeros(self._index.files, self._dtype)
        for term in terms:
            assert term.file_postings is not None
            weight = query.factors.file * term.weight
            self._addend(term.file_postings, term.file_idf, weight).add(files, scratch)
        return files

    def _merge(self, clause: Clause) -> tuple[Array, ...]:
        """Merge the postings of a clause's variants.

        First the documents to which some variant gives more than the clause's term, and how much more; then
        the columns of `MergedPostings`.
        """
        columns = []
        for number, variant in enumerate(clause.variants):
            postings = variant.term.postings
            documents, impacts = self._postings(postings, variant.term.idf)
            if documents is None:
                documents = np.flatnonzero(impacts)
                impacts = impacts[documents]
                offsets = documents
            else:
                offsets = np.arange(len(documents))
            values = np.maximum(impacts.astype(np.int64) * variant.factor // variant.divisor, 1)
            numbers = np.full(len(documents), number, np.uint8)
            columns.append(
                (documents.astype(np.uint32), values * variant.weight, numbers, offsets.astype(np.uint32))
            )
        documents, values, numbers, offsets = map(np.concatenate, zip(*columns, strict=True))
        order = documents.argsort(kind="stable")
        documents = documents[order]
        merged = documents, numbers[order], offsets[order]
        firsts = np.flatnonzero(np.diff(documents, prepend=-1))
        documents, values = documents[firsts], np.maximum.reduceat(values[order], firsts)
        if clause.term is not None:
            values -= self._impacts_at(clause.term.postings, clause.term.idf, documents) * clause.term.weight
        more = np.flatnonzero(values > 0)
        return documents[more], values[more].astype(self._dtype), *merged

    def _impacts_at(self, postings: Postings, idf: int, wanted: Array) -> Array:
        """The impacts of a term in some documents, 0 in those without it."""
        documents, impacts = self._postings(postings, idf)
        if documents is None:
            return impacts[wanted].astype(np.int64)
        rows = np.minimum(documents.searchsorted(wanted), len(documents) - 1)
        there: Array = impacts[rows].astype(np.int64) * (documents[rows] == wanted)
        return there

    def _addend(self, postings: Postings, idf: int, weight: int) -> _Addend:
        return _Addend(*self._postings(postings, idf), weight)

    def _postings(self, postings: Postings, idf: int) -> tuple[Array | None, Array]:
        """The documents of a term and its impacts there; a column of impacts has no documents."""
        if postings.arrays is None:
            postings.arrays = self._read_postings(postings, idf)
        arrays: tuple[Array | None, Array] = postings.arrays
        return arrays

    def _read_postings(self, postings: Postings, idf: int) -> tuple[Array | None, Array]:
        """The same from the index. Raises `CacheInvalid` unless documents ascend and impacts are bounded."""
        documents = None
        if postings.dense:
            impacts = self._arrays.column(postings)
        else:
            documents, impacts = self._arrays.posting_list(postings)
            count = self._index.files if postings.of_files else self._index.documents
            self._arrays.require_ascending(documents, count)
        if not postings.bounded:
            self._index.require_bounded(postings, int(impacts.max(initial=0)), idf)
        return documents, impacts

    def top(self, count: int) -> list[Ranked]:
        """The first `count` in order, or all there are."""
        wanted = count if self._file_starts is None else 2 * count
        while True:
            documents, totals, floor = self._best(self._block_max, wanted)
            documents, totals = _in_order(documents, totals)
            if self._file_starts is not None:
                # What precedes a document in its file has a larger total, so it is among these.
                decayed = self._decayed(documents, totals)
                final = decayed > floor
                documents, totals = _in_order(documents[final], decayed[final])
            if not floor or len(documents) >= count:
                return self._ranked(documents[:count], totals[:count])
            wanted *= GROWTH

    def next_fitting(self, last: Ranked, tokens: int, count: int) -> list[Ranked]:
        """The first `count` after `last` of at most so many tokens, or all there are."""
        least = self._arrays.least_tokens(self._blocks.shape)
        largest = np.where(least <= tokens, self._block_max, 0)
        wanted = GROWTH * count
        while True:
            documents, totals, floor = self._best(largest, wanted, tokens)
            if self._file_starts is not None:
                totals = self._decayed_among_all(documents)
            later = (totals < last[1]) | ((totals == last[1]) & (documents > last[0]))
            if self._file_starts is not None:
                later &= totals > floor
            documents, totals = _in_order(documents[later], totals[later])
            if not floor or len(documents) >= count:
                return self._ranked(documents[:count], totals[:count])
            wanted *= GROWTH

    def _best(self, largest: Array, count: int, tokens: int | None = None) -> tuple[Array, Array, int]:
        """Documents, their totals, and a floor: at least the first `count`, and all with more than the floor.

        With `tokens`, only documents of at most so many; `largest` is 0 for blocks that have none.
        """
        threshold = 1 if count >= self.matches else _nth_largest(largest, count)
        columns = np.flatnonzero(largest >= threshold)
        if count >= self.matches or len(columns) > GROWTH * count:
            # All, or many equal totals: then reading their blocks would be reading everything.
            documents: Array = np.flatnonzero(self._totals >= threshold)
        else:
            row, column = np.nonzero(self._blocks[:, columns] >= threshold)
            documents = row * self._blocks.shape[1] + columns[column]
        if tokens is not None:
            documents = documents[self._arrays.tokens(documents) <= tokens]
        totals, floor = self._totals[documents], threshold - 1
        if count < self.matches and len(documents) > GROWTH * count:
            documents, totals = _without_most_equal(documents, totals, threshold, count)
            floor = threshold
        return documents, totals, floor

    def _decayed(self, documents: Array, totals: Array) -> Array:
        """The totals of documents in order, less for each that comes before it in its file."""
        assert self._file_starts is not None
        files = np.searchsorted(self._file_starts, documents, side="right")
        order = files.argsort(kind="stable")
        grouped = files[order]
        firsts = np.flatnonzero(np.diff(grouped, prepend=-1))
        ranks = np.empty(len(files), np.int64)
        ranks[order] = np.arange(len(files)) - np.repeat(firsts, np.diff(firsts, append=len(files)))
        decay = self._index.scorer.decay
        shares = np.maximum(1, decay - ranks).astype(np.uint64)
        decayed = totals.astype(np.uint64) * shares // np.uint64(decay)
        raised: Array = np.maximum(decayed, np.uint64(1)).astype(totals.dtype)
        return raised

    def _decayed_among_all(self, documents: Array) -> Array:
        """The decayed totals of some matching documents, all documents of their files looked at."""
        assert self._file_starts is not None
        files = np.unique(np.searchsorted(self._file_starts, documents, side="right") - 1)
        firsts = self._file_starts[files]
        sizes = np.append(self._file_starts, self._index.documents)[files + 1] - firsts
        offsets = np.cumsum(sizes) - sizes
        siblings = np.arange(sizes.sum()) + np.repeat(firsts - offsets, sizes)
        siblings = siblings[self._totals[siblings] > 0]
        ordered, totals = _in_order(siblings, self._totals[siblings])
        decayed: Array = np.zeros(len(siblings), self._dtype)
        decayed[np.searchsorted(siblings, ordered)] = self._decayed(ordered, totals)
        return decayed[np.searchsorted(siblings, documents)]

    def _ranked(self, documents: Array, totals: Array) -> list[Ranked]:
        """Documents in order with their totals and their tokens."""
        documents = documents.astype(np.intp)
        tokens = self._arrays.tokens(documents)
        return list(zip(documents.tolist(), totals.tolist(), tokens.tolist(), strict=True))


class MergedPostings:
    """The postings of all variants of a clause, by document."""

    def __init__(self, documents: Array, variants: Array, offsets: Array) -> None:
        """Ascending `documents`, each with a variant that it holds and its offset among its postings."""
        self._documents = documents
        self._variants = variants
        self._offsets = offsets

    def among(self, documents: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Which of some ascending documents hold which variants, as in these columns."""
        wanted = np.array(documents, self._documents.dtype)
        firsts = self._documents.searchsorted(wanted)
        rows = ranges(firsts, self._documents.searchsorted(wanted, side="right") - firsts)
        columns = (self._documents, self._variants, self._offsets)
        return zip(*(column[rows].tolist() for column in columns), strict=True)


class _Addend:
    """The impacts of a posting list or column, to be added to totals times a weight."""

    def __init__(self, documents: Array | None, impacts: Array, weight: int) -> None:
        """Ascending `documents`, each with its impact; or a column of impacts, for all of them."""
        self._documents = documents
        self._impacts = impacts
        self._weight = weight

    def add(self, totals: Array, scratch: tuple[Array, Array]) -> None:
        """Add the weighted impacts to the totals of all documents, or files."""
        # Memory that is used again and again is neither fetched nor mapped anew for each piece; with
        # indices and values of these types numpy takes 1 ns a posting.
        weight = totals.dtype.type(self._weight)
        for start in range(0, len(self._impacts), PIECE):
            impacts = self._impacts[start : start + PIECE]
            values, indices = scratch[0][: len(impacts)], scratch[1][: len(impacts)]
            np.multiply(impacts, weight, out=values)
            if self._documents is None:
                part = totals[start : start + PIECE]
                part[: len(values)] += values
            else:
                np.copyto(indices, self._documents[start : start + PIECE])
                np.add.at(totals, indices, values)


def _in_order(documents: Array, totals: Array) -> tuple[Array, Array]:
    """Sort by descending total, then by ascending number."""
    order = np.lexsort((documents, ~totals))
    return documents.take(order), totals.take(order)


def _without_most_equal(documents: Array, totals: Array, threshold: int, count: int) -> tuple[Array, Array]:
    """All above the threshold; of those equal to it, by number, as many as `count` in all needs."""
    above = np.flatnonzero(totals > threshold)
    equal = np.flatnonzero(totals == threshold)
    equal = equal[documents[equal].argsort(kind="stable")]
    rows = np.concatenate([above, equal[: max(0, count - len(above))]])
    return documents[rows], totals[rows]


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
