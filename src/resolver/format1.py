"""The scorer of format 1: the share of a document's words that equal a query word.

Query words are the lowercased query split at white space, repeats kept; a document's words
likewise. All documents take part, those with a score of 0 too. The score is a 32-bit float,
written in its shortest decimal form, so that outputs equal the Context Engine's.
Source: `docs/cache-format.md`, *Format 1*.
"""

from __future__ import annotations

import struct
from collections import Counter
from itertools import islice

from ..jsonio import decimal
from ..scoring import ExplanationNode, TermNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..cache.documents import Document
    from ..cache.format1 import Format1Store
    from .query import Ranked


def query_words(query: str) -> list[str]:
    """The words of a query, in order, repeats kept."""
    return query.lower().split()


def float32(value: float) -> float:
    """`value` as the nearest 32-bit float, in its shortest decimal form (`0.33333334`, `0.0`)."""
    nearest = _nearest_float32(value)
    return next(
        shortest
        for digits in range(9)
        if _nearest_float32(shortest := float(f"{nearest:.{digits}e}")) == nearest
    )


def _nearest_float32(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


class Format1Ranking:
    """All documents of a format 1 cache, by score and then by id."""

    def __init__(self, words: list[str], store: Format1Store) -> None:
        """Score every document of `store`."""
        self._tokens = [document.tokens for document in store.all_documents()]
        wanted = Counter(words)
        self.occurrences = [_matches(wanted, document) for document in store.all_documents()]
        self.scores = [
            float32(counts / document.words if document.words else 0.0)
            for counts, document in zip(self.occurrences, store.all_documents(), strict=True)
        ]
        self.matches = len(self.scores)
        self._order = sorted(range(self.matches), key=lambda number: (-self.scores[number], number))

    def top(self, count: int) -> list[Ranked]:
        """The first `count` in order, or all there are."""
        return [self._ranked(number) for number in self._order[:count]]

    def next_fitting(self, last: Ranked, tokens: int, count: int) -> list[Ranked]:
        """The first `count` after `last` of at most so many tokens, or all there are."""
        later = self._order[self._order.index(last[0]) + 1 :]
        fitting = (number for number in later if self._tokens[number] <= tokens)
        return [self._ranked(number) for number in islice(fitting, count)]

    def explain(self, number: int, document: Document, words: list[str]) -> ExplanationNode:
        """What a document's score is made of; the value at the root is the number of matches."""
        counts = Counter(document.content.lower().split())
        parts = [TermNode(counts[word], f"`{word}`: words equal to it", term=word) for word in words]
        score = decimal(self.scores[number])
        reason = f"matches of {document.words} words; their share is the score, {score}"
        return ExplanationNode(self.occurrences[number], reason, *parts)

    def _ranked(self, number: int) -> Ranked:
        return number, self.occurrences[number], self._tokens[number]


def _matches(wanted: Counter[str], document: Document) -> int:
    """For each word of the document, the number of query words equal to it."""
    if not wanted:
        return 0
    return sum(wanted[word] for word in document.content.lower().split())
