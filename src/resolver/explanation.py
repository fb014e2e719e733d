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
    from .query import Clause, Query, Term
    from .variants import Variant


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


def explain_total(query: Query, index: Index, document: int, before: list[str]) -> Reason:
    """The total of a document for a query, as a tree. Raises `CacheInvalid` if the index contradicts it.

    `before` are the ids of the matching documents of its file that come before it.
    """
    reader = _Reader(query, index, document)
    parts = [reader.section(), reader.alternatives()]
    if not any(part.value for part in parts):
        return Reason(0, "no word of the query")
    parts = [part for part in (parts[0], reader.file(), reader.exact(), parts[1]) if part.value]
    total = sum(part.value for part in parts)
    root = scoring.decayed(total, len(before))
    if before:
        place = f"the {_ordinal(len(before) + 1)} section of its file: "
        share = f"{min(scoring.DECAY - 1, len(before))}/{scoring.DECAY} off"
        parts.append(Reason(root - total, f"{place}{share}", *[Reason(0, f"after {id_}") for id_ in before]))
    return Reason(
        root, "total = section + file + exact forms + alternatives, less for later sections", *parts
    )


def _ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`."""
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else suffix}"


class _Reader:
    """Reads what the index says of one document."""

    def __init__(self, query: Query, index: Index, document: int) -> None:
        self._query = query
        self._index = index
        self._document = document
        self._file = index.file_of(document) if index.files else 0

    def section(self) -> Reason:
        """What the words of the query find in the document itself."""
        factor = self._query.factors.section
        parts = [part for clause in self._query.clauses if (part := self._clause(clause, factor))]
        if parts or any(self._impact_of(term) for term in self._query.alternatives):
            lights = (self._term(term, factor, "orders only") for term in self._query.light)
            parts += [part for part in lights if part]
        return Reason(sum(p.value for p in parts), f"its text: {factor} × weight × impact, summed", *parts)

    def file(self) -> Reason:
        """What they find in the whole file."""
        factor = self._query.factors.file
        parts = [part for term in self._query.file_terms if (part := self._file_term(term, factor))]
        return Reason(sum(p.value for p in parts), f"its file: {factor} × weight × impact, summed", *parts)

    def exact(self) -> Reason:
        """What the words as they are written add."""
        parts = [part for term in self._query.exact if (part := self._term(term, 1, "as it is written"))]
        return Reason(sum(p.value for p in parts), "exact forms: weight × impact, summed", *parts)

    def alternatives(self) -> Reason:
        """What other words add, those of the caller and of the cache's author."""
        share, divisor = self._query.alternative_share
        parts = []
        for term in self._query.alternatives:
            impact = self._impact(term)
            if impact is not None:
                value = max(1, term.weight * impact.value * share // divisor)
                reason = f"`{term.text}` (an alternative): weight × impact × {share} / {divisor}"
                parts.append(Reason(value, reason, _weight(term.weight), impact))
        return Reason(sum(p.value for p in parts), "alternatives, summed", *parts)

    def _impact_of(self, term: Term) -> bool:
        return self._index.posting_of(term.postings, self._document) is not None

    def _clause(self, clause: Clause, factor: int) -> Reason | None:
        """The most that a word and what stands in for it give."""
        options = []
        if clause.term is not None and (own := self._term(clause.term, factor)):
            options.append(own)
        options += [part for variant in clause.variants if (part := self._variant(clause, variant, factor))]
        return max(options, key=lambda part: part.value, default=None)

    def _term(self, term: Term, factor: int, note: str = "") -> Reason | None:
        impact = self._impact(term)
        if impact is None:
            return None
        times = f"{factor} × weight × impact" if factor > 1 else "weight × impact"
        text = term.text.removeprefix("=") if note == "as it is written" else term.text
        reason = f"`{text}`{f' ({note})' if note else ''}: {times}"
        return Reason(factor * term.weight * impact.value, reason, _weight(term.weight), impact)

    def _variant(self, clause: Clause, variant: Variant, factor: int) -> Reason | None:
        impact = self._impact(variant.term)
        if impact is None:
            return None
        value = factor * variant.weight * variant.value(impact.value)
        times = f"{factor} × weight × impact"
        if variant.kind == "repair":
            reason = f"{clause.word.text}: unknown, read as {variant.written}: {times}"
        elif variant.kind == "pair":
            reason = f"{clause.text}, in {variant.written}: {times}"
        else:
            letters = f"{variant.common} of {variant.length} letters"
            share = f"{variant.factor} / {variant.divisor}"
            reason = f"{clause.text}, as {variant.written} ({letters}): {times} × {share}"
        return Reason(value, reason, _weight(variant.weight), impact)

    def _file_term(self, term: Term, factor: int) -> Reason | None:
        index, postings = self._index, term.file_postings
        if postings is None or (position := index.posting_of(postings, self._file)) is None:
            return None
        impact = self._checked(
            term.file_idf,
            index.files,
            postings.doc_freq,
            self._file_frequency(term),
            index.impact(postings, position),
        )
        value = factor * term.weight * impact.value
        return Reason(value, f"`{term.text}`: {factor} × weight × impact", _weight(term.weight), impact)

    def _impact(self, term: Term) -> Reason | None:
        index = self._index
        position = index.posting_of(term.postings, self._document)
        if position is None:
            return None
        held = index.occurrences(term.postings, position)
        counts = index.counts
        frequency = _frequency(
            (held.body, index.number("words", self._document), counts["words"]),
            (held.title, index.number("title_words", self._document), counts["title_words"]),
            counts["documents"],
            "documents",
        )
        return self._checked(
            term.idf,
            index.documents,
            term.postings.doc_freq,
            frequency,
            index.impact(term.postings, position),
        )

    def _checked(self, idf: int, count: int, doc_freq: int, frequency: Reason, stored: int) -> Reason:
        """An impact, which must be the one in the index."""
        value = scoring.impact(idf, frequency.value)
        if value != stored:
            raise self._index.file.fault("is damaged: an impact does not follow from its occurrences")
        idf_reason = Reason(
            idf,
            "idf = log2((2N + 2) / (2n + 1)), in 1/256",
            Reason(count, "N, documents in the cache" if count == self._index.documents else "N, files"),
            Reason(doc_freq, "n, those that hold the term"),
        )
        return Reason(value, "impact = idf · tf' / (6/5 + tf'), in 1/256", idf_reason, frequency)

    def _file_frequency(self, term: Term) -> Reason:
        """How often a whole file holds a term, from its documents."""
        index, body, titles = self._index, 0, []
        documents = index.documents_of(self._file)
        for document in documents:
            position = index.posting_of(term.postings, document)
            held = None if position is None else index.occurrences(term.postings, position)
            body += held.body if held else 0
            titles.append(held.title if held else 0)
        words = sum(index.number("words", document) for document in documents)
        title_words = min(index.number("title_words", document) for document in documents)
        return _frequency(
            (body, words, index.counts["words"]),
            (min(titles), title_words, index.counts["file_title_words"]),
            index.files,
            "files",
        )


def _weight(weight: int) -> Reason:
    return Reason(weight, "weight in the query, in sixteenths of a word")


def _frequency(body: tuple[int, int, int], title: tuple[int, int, int], count: int, what: str) -> Reason:
    """tf' of a term, given for body and title: occurrences, words, words of all."""
    body_length = Reason(
        scoring.body_length(body[1], body[2], count),
        "length of the body, 1/4 + 3/4 · words / average, in 1/4096",
        Reason(body[1], "words"),
        Reason(body[2], f"words of all {count} {what}"),
    )
    title_length = Reason(
        scoring.title_length(title[1], title[2], count),
        "length of the title, 1/2 + 1/2 · words / average, in 1/4096",
        Reason(title[1], "words of the title"),
        Reason(title[2], f"words of all {count} titles"),
    )
    value = scoring.frequency(body[0], title[0], body_length.value, title_length.value)
    return Reason(
        value,
        "tf' = occurrences / length of the body + 3 · occurrences / length of the title, in 1/4096",
        Reason(body[0], "occurrences in the body"),
        body_length,
        Reason(title[0], "occurrences in the title"),
        title_length,
    )
