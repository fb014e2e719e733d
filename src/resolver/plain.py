"""Ranking in plain Python: a dictionary of totals, and one sort."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..cache.index import Index
    from .query import Query, Term
    from .ranking import Ranked

LAST = 0xFFFFFFFF


class PlainRanking:
    """The matching documents of a query, totals added up one by one."""

    def __init__(self, query: Query, index: Index) -> None:
        """Read the postings of the query's terms from `index`."""
        self._index = index
        totals: dict[int, int] = {}
        for term in query.terms:
            _add(term, index, totals)
        self.matches = len(totals)
        # One integer holds total and number, so that sorting compares no tuples.
        self._keys = sorted([_key(*item) for item in totals.items()], reverse=True)

    def top(self, count: int) -> list[Ranked]:
        """The first `count` in order, or all there are."""
        return [self._ranked(key) for key in self._keys[:count]]

    def after(self, last: Ranked | None, fitting: int | None = None) -> list[Ranked]:
        """All that come after `last` in order; only those of at most `fitting` tokens, if given."""
        first = 0 if last is None else self._keys.index(_key(last[0], last[1])) + 1
        rest = [self._ranked(key) for key in self._keys[first:]]
        return rest if fitting is None else [ranked for ranked in rest if ranked[2] <= fitting]

    def _ranked(self, key: int) -> Ranked:
        document = LAST - (key & LAST)
        return document, key >> 32, self._index.number("tokens", document)


def _key(document: int, total: int) -> int:
    return total << 32 | LAST - document


def _add(term: Term, index: Index, totals: dict[int, int]) -> None:
    """Add what one term gives each document that holds it."""
    postings, weight, so_far = term.postings, term.weight, totals.get
    if postings.dense:
        column = index.numbers("dense_impacts", postings.start, postings.end)
        index.require_bounded(postings, max(column, default=0), term.rarity)
        for document, impact in enumerate(column):
            if impact:
                totals[document] = so_far(document, 0) + weight * impact
        return
    documents = index.numbers("posting_documents", postings.start, postings.end)
    impacts = index.numbers("posting_impacts", postings.start, postings.end)
    index.require_bounded(postings, max(impacts, default=0), term.rarity)
    for document, impact in zip(documents, impacts, strict=True):
        totals[document] = so_far(document, 0) + weight * impact
