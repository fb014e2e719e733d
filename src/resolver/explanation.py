"""A number, the reason for it in words, and the numbers it was made from.

The tree of a document has at its root the integer total that ordered it and at its leaves
numbers from the index. It is made by the functions of `scoring`, which made the impacts,
and is held against what the index stores: what ranks is what is explained.
"""

from __future__ import annotations

from .. import scoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..cache.index import Index
    from .query import Query, Term


class Reason:
    """A whole number, why it is that, and its parts."""

    __slots__ = ("parts", "reason", "value")

    def __init__(self, value: int, reason: str, *parts: Reason) -> None:
        """`reason` is the formula in words, or what was counted."""
        self.value = value
        self.reason = reason
        self.parts = parts

    def to_dict(self) -> dict[str, Any]:
        """`{"value", "reason", "parts"}`, parts only where there are some."""
        tree: dict[str, Any] = {"value": self.value, "reason": self.reason}
        if self.parts:
            tree["parts"] = [part.to_dict() for part in self.parts]
        return tree


def explain_total(query: Query, index: Index, document: int) -> Reason:
    """The total of a document for a query, as a tree. Raises `CacheInvalid` if the index contradicts it."""
    parts = []
    for term in query.terms:
        place = index.posting_of(term.postings, document)
        if place is not None:
            parts.append(_term(term, place, index, document))
    total = sum(part.value for part in parts)
    return Reason(total, "total = sum over the query's terms of weight × impact", *parts)


def _term(term: Term, place: int, index: Index, document: int) -> Reason:
    """What one term adds to a document."""
    impact = _impact(term, place, index, document)
    kind = "whole words" if term.weight % scoring.WHOLE_WORD == 0 else "parts of identifiers weigh half"
    weight = Reason(term.weight, f"weight in the query, in halves ({kind})")
    return Reason(term.weight * impact.value, f"`{term.text}`: weight × impact", weight, impact)


def _impact(term: Term, place: int, index: Index, document: int) -> Reason:
    rarity = Reason(
        term.rarity,
        "idf = log2((2N + 2) / (2n + 1)), in 1/256",
        Reason(index.documents, "N, documents in the cache"),
        Reason(term.postings.holding, "n, documents that hold the term"),
    )
    frequency = _frequency(term, place, index, document)
    value = scoring.impact(rarity.value, frequency.value)
    if value != index.impact(term.postings, place):
        raise index.file.fault("is damaged: an impact does not follow from its occurrences")
    return Reason(value, "impact = idf · tf' / (6/5 + tf'), in 1/256", rarity, frequency)


def _frequency(term: Term, place: int, index: Index, document: int) -> Reason:
    held = index.occurrences(term.postings, place)
    counts = index.counts
    words, title_words = index.number("words", document), index.number("title_words", document)
    body = Reason(
        scoring.body_length(words, counts["words"], counts["documents"]),
        "length of the body, 1/4 + 3/4 · words / average, in 1/4096",
        Reason(words, "words of the document"),
        Reason(counts["words"], f"words of all {counts['documents']} documents"),
    )
    title = Reason(
        scoring.title_length(title_words, counts["title_words"], counts["documents"]),
        "length of the title, 1/2 + 1/2 · words / average, in 1/4096",
        Reason(title_words, "words of the title"),
        Reason(counts["title_words"], f"words of all {counts['documents']} titles"),
    )
    value = scoring.frequency(held.body, held.title, body.value, title.value)
    return Reason(
        value,
        "tf' = occurrences / length of the body + 3 · occurrences / length of the title, in 1/4096",
        Reason(held.body, "occurrences in the body"),
        body,
        Reason(held.title, "occurrences in the title"),
        title,
    )
