"""All documents that match a query, by total, and the order that follows from it.

A ranking has the total of every matching document and gives documents out from the top.
There are two implementations, equal in every number: `PythonAccumulator`, dictionaries and one sort, which
needs no import, and `NumpyAccumulator`, which uses numpy and is faster from some hundred thousand
postings on. Order: total descending, id ascending; documents are numbered in id order.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import Counter
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from ..cache.index import Index, Postings
    from .query import Clause, Query, Ranked

    class Ranking(Protocol):
        """The matching documents of a query."""

        matches: int
        """How many there are, exactly."""

        def top(self, count: int) -> list[Ranked]:
            """The first `count` in order, or all there are."""

        def next_fitting(self, last: Ranked, tokens: int, count: int) -> list[Ranked]:
            """The first `count` after `last` of at most so many tokens, or all there are."""


CROSSOVER = 200_000
"""Postings that plain Python adds up in the time that importing numpy takes."""


def rank(query: Query, index: Index) -> Ranking:
    """Rank the documents of `index` for `query`, with the accumulator that is faster for it.

    numpy is imported when the queries to this index have added up `CROSSOVER` postings without it.
    """
    if "numpy" not in sys.modules:
        index.postings_added += sum(postings.end - postings.start for postings in query.all_postings())
        if index.postings_added <= CROSSOVER:
            return PythonAccumulator(query, index)
    from .numpy_accumulator import NumpyAccumulator  # numpy: worth its import only here

    return NumpyAccumulator(query, index)


LAST = 0xFFFFFFFF
"""A sort key is a total and, in its low 32 bits, this less the number: larger keys come first."""


class PythonAccumulator:
    """The matching documents of a query, totals added up one by one."""

    def __init__(self, query: Query, index: Index) -> None:
        """Read the postings of the query's terms from `index`."""
        self._index = index
        totals = _matching_totals(query, index)
        self.matches = len(totals)
        _add_ordering(query, index, totals)
        keys = sorted([_key(*item) for item in totals.items()], reverse=True)  # faster than tuples
        self._keys = sorted(self._decayed(keys), reverse=True) if index.files else keys

    def top(self, count: int) -> list[Ranked]:
        """The first `count` in order, or all there are."""
        return [self._ranked(key) for key in self._keys[:count]]

    def next_fitting(self, last: Ranked, tokens: int, count: int) -> list[Ranked]:
        """The first `count` after `last` of at most so many tokens, or all there are."""
        first = self._keys.index(_key(last[0], last[1])) + 1
        column = self._index.numbers("tokens", 0, self._index.documents)
        later = islice(self._keys, first, None)
        fitting = (key for key in later if column[LAST - (key & LAST)] <= tokens)
        return [self._ranked(key) for key in islice(fitting, count)]

    def _ranked(self, key: int) -> Ranked:
        document = LAST - (key & LAST)
        return document, key >> 32, self._index.number("tokens", document)

    def _decayed(self, keys: list[int]) -> Iterator[int]:
        """The keys in order, each total less the more documents of its file come before it."""
        starts = self._index.numbers("file_starts", 0, self._index.files)
        before: Counter[int] = Counter()
        decayed = self._index.scorer.decayed
        for key in keys:
            document = LAST - (key & LAST)
            file = bisect_right(starts, document)
            yield _key(document, decayed(key >> 32, before[file]))
            before[file] += 1


def _key(document: int, total: int) -> int:
    return total << 32 | LAST - document


def _matching_totals(query: Query, index: Index) -> dict[int, int]:
    """What clauses, alternatives and names of files give each document that matches."""
    totals: dict[int, int] = {}
    section = query.factors.text
    for clause in query.clauses:
        for document, value in _clause_values(clause, index).items():
            totals[document] = totals.get(document, 0) + section * value
    share, divisor = query.alternative_share
    for term in query.alternatives:
        for document, impact in _impacts(term.postings, term.idf, index):
            added = max(1, term.weight * impact * share // divisor)
            totals[document] = totals.get(document, 0) + added
    for term in query.names:
        for document, impact in _impacts(term.postings, term.idf, index):
            totals[document] = totals.get(document, 0) + query.factors.name * term.weight * impact
    return totals


def _clause_values(clause: Clause, index: Index) -> dict[int, int]:
    """What a clause gives each document: the most of its term and its variants."""
    values: dict[int, int] = {}
    if clause.term is not None:
        term = clause.term
        values = {d: term.weight * impact for d, impact in _impacts(term.postings, term.idf, index)}
    for variant in clause.variants:
        for document, impact in _impacts(variant.term.postings, variant.term.idf, index):
            values[document] = max(values.get(document, 0), variant.weight * variant.value(impact))
    return values


def _add_ordering(query: Query, index: Index, totals: dict[int, int]) -> None:
    """Add what only orders the documents that match: light words, exact forms, titles, headings, files."""
    factors = query.factors
    for factor, terms in ((factors.text, query.light), (factors.exact, query.exact)):
        for term in terms:
            for document, impact in _impacts(term.postings, term.idf, index):
                if document in totals:
                    totals[document] += factor * term.weight * impact
    if query.title:
        for document in set.intersection(*(set(index.titled(term.postings)) for term in query.title)):
            if document in totals:  # a damaged index may hold a title's word in a document without it
                totals[document] += query.title_bonus
    if query.heading is not None:
        for document, _ in _impacts(query.heading.postings, query.heading.idf, index):
            if document in totals:
                totals[document] += query.heading_bonus
    files: dict[int, int] = {}
    for term in query.file_terms:
        assert term.file_postings is not None
        for number, impact in _impacts(term.file_postings, term.file_idf, index):
            files[number] = files.get(number, 0) + factors.file * term.weight * impact
    if files:
        starts = index.numbers("file_starts", 0, index.files)
        for document in totals:
            totals[document] += files.get(bisect_right(starts, document) - 1, 0)


def _impacts(postings: Postings, idf: int, index: Index) -> Iterator[tuple[int, int]]:
    """The documents of a term, or its files, with their impacts."""
    if postings.dense:
        column = index.numbers(postings.column_section, postings.start, postings.end)
        index.require_bounded(postings, max(column, default=0), idf)
        return ((document, impact) for document, impact in enumerate(column) if impact)
    documents, impacts = (index.numbers(s, postings.start, postings.end) for s in postings.list_sections)
    index.require_bounded(postings, max(impacts, default=0), idf)
    return zip(documents, impacts, strict=True)
