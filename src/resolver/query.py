"""A query as this cache sees it: its words, its terms with weights, what is ignored or unknown."""

from __future__ import annotations

from .. import scoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..cache.documents import Document
    from ..cache.index import Index, Postings
    from ..text import Analyzer, QueryWord


class Term:
    """A term of the query that some document holds."""

    __slots__ = ("postings", "rarity", "text", "weight")

    def __init__(self, text: str, weight: int, postings: Postings, rarity: int) -> None:
        """`weight` is summed over the query, in halves; `rarity` in 1/256."""
        self.text = text
        self.weight = weight
        self.postings = postings
        self.rarity = rarity

    @property
    def most(self) -> int:
        """The most that this term can add to a document's total."""
        return self.weight * self.rarity


class Query:
    """The words of a query and the terms that take part in scoring."""

    def __init__(self, text: str, words: list[QueryWord], terms: dict[str, Term], analyzer: Analyzer) -> None:
        """`terms` are those that the cache knows, in the order of the query."""
        self.text = text
        self.analyzer = analyzer
        self.words = words
        self.terms = list(terms.values())
        self.scored_words = list(
            dict.fromkeys(w.text for w in words if not w.ignored and any(t in terms for t, _ in w.terms))
        )
        self.attainable = sum(term.most for term in self.terms)

    def is_unknown(self, word: QueryWord) -> bool:
        """Whether a word that should take part is held by no document."""
        return not word.ignored and word.text not in self.scored_words

    def matches(self, index: Index, document: Document, number: int) -> int:
        """How many words of a document's content match a word of the query.

        The occurrences in the index say it, unless a word may have been counted for two
        terms (`getUserById` for `get` and for `user`): then the content is read once more.
        """
        held = []
        for term in self.terms:
            place = index.posting_of(term.postings, number)
            if place is not None:
                held.append(index.occurrences(term.postings, place))
        if sum(occurrences.compound for occurrences in held) > 1:
            return self.analyzer.matches(document.content, {term.text for term in self.terms})
        return sum(occurrences.body for occurrences in held)


def read_query(text: str, index: Index, analyzer: Analyzer) -> Query:
    """Analyse `text` and look its terms up in `index`."""
    words = analyzer.query(text)
    weights: dict[str, int] = {}
    for word in words:
        if not word.ignored:
            for term, weight in word.terms:
                weights[term] = weights.get(term, 0) + weight
    terms = {}
    for term, weight in weights.items():
        postings = index.find(term)
        if postings:
            rarity = scoring.rarity(postings.holding, index.documents)
            terms[term] = Term(term, weight, postings, rarity)
    return Query(text, words, terms, analyzer)
