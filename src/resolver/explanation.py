"""The total of a document as a tree: a number, the reason for it in words, and the numbers it was made from.

At its root is the integer total that ordered the document, at its leaves are numbers from the index. It is
made by the scorer that made the impacts, and is compared with what the index stores: what ranks is what is
explained.
"""

from __future__ import annotations

from ..scoring import ExplanationNode, FieldCount, ImpactNode, TermNode
from ..text.words import EXACT, NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..cache.index import Index
    from .query import Clause, Query
    from .terms import Term, Variant

ORDERS_ONLY = "orders only"
"""The note of words that any text has: they find no document."""


def explain_total(query: Query, index: Index, document: int, before: list[str]) -> ExplanationNode:
    """The total of a document for a query, as a tree. Raises `CacheInvalid` if the index contradicts it.

    `before` are the ids of the matching documents of its file that come before it.
    """
    reader = _DocumentReader(query, index, document)
    section, names, alternatives = reader.section(), reader.names(), reader.alternatives()
    if not (section.value or names.value or alternatives.value):
        return ExplanationNode(0, "no word of the query")
    nodes = (section, reader.file(), reader.exact(), names, alternatives, reader.title(), reader.heading())
    parts = [node for node in nodes if node.value]
    total = sum(part.value for part in parts)
    root = index.scorer.decayed(total, len(before))
    if before:
        decay = index.scorer.decay
        ordinal = f"the {_ordinal(len(before) + 1)} section of its file: "
        share = f"{min(decay - 1, len(before))}/{decay} off"
        earlier = (ExplanationNode(0, f"after {id_}") for id_ in before)
        parts.append(ExplanationNode(root - total, f"{ordinal}{share}", *earlier))
    sum_ = "section + file + exact forms + names + alternatives + title + heading"
    reason = f"total = {sum_}, less for later sections"
    return ExplanationNode(root, reason, *parts)


def _ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`."""
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else suffix}"


class _DocumentReader:
    """Reads what the index says of one document, and makes a node of each summand of its total."""

    def __init__(self, query: Query, index: Index, document: int) -> None:
        self._query = query
        self._index = index
        self._document = document
        self._file = index.file_of(document) if index.files else 0

    def section(self) -> ExplanationNode:
        """What the words of the query find in the document itself."""
        factor = self._query.factors.text
        parts = [part for clause in self._query.clauses if (part := self._clause(clause, factor))]
        others = (*self._query.names, *self._query.alternatives)
        if parts or any(self._position(term) is not None for term in others):
            lights = (self._term(term, factor, ORDERS_ONLY) for term in self._query.light)
            parts += [part for part in lights if part]
        return _sum(f"its text: {factor} × weight × impact, summed", parts)

    def file(self) -> ExplanationNode:
        """What the words of the query find in the whole file of the document."""
        factor = self._query.factors.file
        parts = [part for term in self._query.file_terms if (part := self._file_term(term, factor))]
        return _sum(f"its file: {factor} × weight × impact, summed", parts)

    def exact(self) -> ExplanationNode:
        """What exact forms add: the words of the query as they are written, before stemming."""
        factor = self._query.factors.exact
        nodes = (self._term(term, factor, how="as it is written") for term in self._query.exact)
        return _sum(f"exact forms: {_times(factor)}, summed", [part for part in nodes if part])

    def names(self) -> ExplanationNode:
        """What the names of its file and folders add."""
        index, factor, parts = self._index, self._query.factors.name, []
        for term in self._query.names:
            position = self._position(term)
            if position is not None:
                impact = index.scorer.explain_name(term.postings.doc_freq, index.documents)
                self._require_stored(impact, index.impact(term.postings, position))
                value = factor * term.weight * impact.value
                text, note = term.text.removeprefix(NAME), "in a name"
                reason = f"`{text}` ({note}): {_times(factor)}"
                parts.append(TermNode(value, reason, term=text, note=note, weight=term.weight, impact=impact))
        return _sum(f"names of its file and folders: {_times(factor)}, summed", parts)

    def alternatives(self) -> ExplanationNode:
        """What other words add, those of the caller and of the cache's author."""
        share, divisor = self._query.alternative_share
        parts = []
        for term in self._query.alternatives:
            impact = self._impact(term)
            if impact is not None:
                value = max(1, term.weight * impact.value * share // divisor)
                key = self._query.synonyms.get(term.text)
                note = "an alternative" if key is None else f"a synonym of {key} in this cache"
                reason = f"`{term.text}` ({note}): weight × impact × {share} / {divisor}"
                parts.append(
                    TermNode(value, reason, term=term.text, note=note, weight=term.weight, impact=impact)
                )
        return _sum("alternatives, summed", parts)

    def title(self) -> ExplanationNode:
        """What it adds that its title holds all words of a short query."""
        factor, scorer, parts = self._query.factors.title, self._query.scorer, []
        reason = f"{factor} × weight × idf"
        for term in self._query.title if all(map(self._is_in_title, self._query.title)) else ():
            idf = scorer.explain_title(term.postings.doc_freq, self._index.documents)
            value = factor * term.max_score
            text = f"`{term.text}`: {reason}"
            parts.append(TermNode(value, text, term=term.text, weight=term.weight, impact=idf))
        return _sum(f"its title holds all words of the query: {reason}, summed", parts)

    def heading(self) -> ExplanationNode:
        """What it adds that the query repeats a heading of the document."""
        index, scorer, heading, parts = self._index, self._query.scorer, self._query.heading, []
        factor = self._query.factors.heading
        reason = f"{factor} × weight × idf"
        position = None if heading is None else self._position(heading)
        if heading is not None and position is not None:
            stored = scorer.explain_name(heading.postings.doc_freq, index.documents)
            self._require_stored(stored, index.impact(heading.postings, position))
            for term in self._query.terms:
                idf = scorer.explain_title(term.postings.doc_freq, index.documents)
                value = factor * term.max_score
                text = f"`{term.text}`: {reason}"
                parts.append(TermNode(value, text, term=term.text, weight=term.weight, impact=idf))
        return _sum(f"one of its headings is the query: {reason}, summed", parts)

    def _is_in_title(self, term: Term) -> bool:
        position = self._position(term)
        return position is not None and self._index.occurrences(term.postings, position).title > 0

    def _position(self, term: Term) -> int | None:
        """The position of the document among the postings of a term; None when it lacks the term."""
        return self._index.posting_of(term.postings, self._document)

    def _clause(self, clause: Clause, factor: int) -> TermNode | None:
        """What a clause gives: the most of its term and its variants; None when the document has none."""
        options: list[TermNode] = []
        if clause.term is not None and (own := self._term(clause.term, factor)):
            options.append(own)
        options += [part for variant in clause.variants if (part := self._variant(clause, variant, factor))]
        return max(options, key=lambda part: part.value, default=None)

    def _term(self, term: Term, factor: int, note: str = "", how: str = "") -> TermNode | None:
        """What a term gives; None when the document lacks it.

        `note` says how the term stands for a word of the query; `how` does so in the reason alone.
        """
        impact = self._impact(term)
        if impact is None:
            return None
        text, remark = term.text.removeprefix(EXACT), note or how
        reason = f"`{text}`{f' ({remark})' if remark else ''}: {_times(factor)}"
        value = factor * term.weight * impact.value
        return TermNode(value, reason, term=text, note=note, weight=term.weight, impact=impact)

    def _variant(self, clause: Clause, variant: Variant, factor: int) -> TermNode | None:
        """What a variant gives in the place of the clause's term; None when the document lacks it."""
        impact = self._impact(variant.term)
        if impact is None:
            return None
        value = factor * variant.weight * variant.value(impact.value)
        word, times = clause.text, f"{factor} × weight × impact"
        if variant.kind == "repair":
            word, note = clause.word.text, f"read as {variant.written}"
            reason = f"{word}: unknown, {note}: {times}"
        elif variant.kind == "pair":
            note = f"in {variant.written}"
            reason = f"{word}, {note}: {times}"
        else:
            note = f"as {variant.written}"
            letters = f"{variant.common} of {variant.length} letters"
            share = f"{variant.factor} / {variant.divisor}"
            reason = f"{word}, {note} ({letters}): {times} × {share}"
        return TermNode(value, reason, term=word, note=note, weight=variant.weight, impact=impact)

    def _file_term(self, term: Term, factor: int) -> TermNode | None:
        """What a term gives the whole file; None when the file lacks it."""
        index, postings = self._index, term.file_postings
        if postings is None or (position := index.posting_of(postings, self._file)) is None:
            return None
        body, title = self._file_counts(term)
        impact = index.scorer.explain(postings.doc_freq, index.files, body, title, unit="files")
        self._require_stored(impact, index.impact(postings, position))
        reason = f"`{term.text}`: {factor} × weight × impact"
        value = factor * term.weight * impact.value
        return TermNode(value, reason, term=term.text, weight=term.weight, impact=impact)

    def _impact(self, term: Term) -> ImpactNode | None:
        """The impact of a term in the document, with what it follows from; None when it lacks the term."""
        index, document = self._index, self._document
        position = self._position(term)
        if position is None:
            return None
        count = index.occurrences(term.postings, position)
        body = FieldCount(count.body, index.number("words", document), index.counts["words"])
        title = FieldCount(count.title, index.number("title_words", document), index.counts["title_words"])
        doc_freq = term.postings.doc_freq
        impact = index.scorer.explain(doc_freq, index.documents, body, title, unit="documents")
        self._require_stored(impact, index.impact(term.postings, position))
        return impact

    def _require_stored(self, impact: ExplanationNode, stored: int) -> None:
        """Raise `CacheInvalid` unless an impact is the one in the index."""
        if impact.value != stored:
            raise self._index.file.fault("is damaged: an impact does not follow from its occurrences")

    def _file_counts(self, term: Term) -> tuple[FieldCount, FieldCount]:
        """How often body and title of a whole file hold a term, from its documents."""
        index, body, titles = self._index, 0, []
        documents = index.documents_of(self._file)
        for document in documents:
            position = index.posting_of(term.postings, document)
            count = None if position is None else index.occurrences(term.postings, position)
            body += count.body if count else 0
            titles.append(count.title if count else 0)
        words = sum(index.number("words", document) for document in documents)
        title_words = min(index.number("title_words", document) for document in documents)
        return (
            FieldCount(body, words, index.counts["words"]),
            FieldCount(min(titles), title_words, index.counts["file_title_words"]),
        )


def _sum(reason: str, parts: Sequence[ExplanationNode]) -> ExplanationNode:
    """A node whose value is the sum of its parts."""
    return ExplanationNode(sum(part.value for part in parts), reason, *parts)


def _times(factor: int) -> str:
    return f"{factor} × weight × impact" if factor > 1 else "weight × impact"
