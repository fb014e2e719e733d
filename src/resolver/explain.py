"""Why each document stands where it does: the whole ranking, chosen or not, with reasons.

An `Explanation` holds the order and the selection; what is said of one document is worked out
when it is asked for, so that a ranking of 100,000 documents opens at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from functools import cached_property
from itertools import accumulate
from operator import sub

from ..cache.store import Store
from ..errors import UsageError
from ..jsonio import JsonResult, millionths
from ..text.words import NAME
from .budget import MinimumBudgets, select
from .explanation import explain_total
from .format1 import Format1Ranking, query_words
from .query import read_query
from .rank import rank
from .shares import shares_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..cache.format1 import Format1Store
    from ..scoring import ExplanationNode
    from ..text import QueryWord
    from .query import Ranked
    from .rank import Ranking
    from .shares import Share


class ExplainedWord:
    """A word of the query: what became of it."""

    __slots__ = ("documents", "read_as", "status", "text")

    def __init__(self, text: str, status: str, documents: int, *, read_as: str | None = None) -> None:
        """`status` is `scored`, `ignored` or `unknown`; `documents` hold the word.

        `read_as` is the known word that an unknown one is read as.
        """
        self.read_as = read_as
        self.text = text
        self.status = status
        self.documents = documents

    def to_dict(self) -> dict[str, Any]:
        """`{"word", "status", "documents"}`, and `read_as` where it is read as another."""
        fields = {"word": self.text, "status": self.status, "documents": self.documents}
        return fields | {"read_as": self.read_as} if self.read_as else fields


class RankedDocument(JsonResult):
    """One document of the ranking, or one that does not match."""

    def __init__(
        self, explanation: Explanation, number: int, rank_: int | None, total: int, tokens: int
    ) -> None:
        """`rank_` counts from 1; None when the document does not match."""
        self._explanation = explanation
        self._number = number
        self.rank = rank_
        self.total = total
        self.tokens = tokens
        summary = explanation.store.summary(number)  # a ranking is long, and nobody reads its contents
        self.id = summary.id
        self.title = summary.title
        self.words = summary.words
        self.score = explanation.score_of(number, total)
        self.chosen = number in explanation.chosen
        self.left = explanation.left_before(rank_) if rank_ else None
        """Tokens that were left when its turn came; None without a budget."""

    @property
    def fits_from(self) -> int | None:
        """The smallest budget at which it is chosen; None when it does not match."""
        return None if self.rank is None else self._explanation.fits_from(self.rank)

    @property
    def reason(self) -> ExplanationNode:
        """The total as a tree."""
        return self._explanation.tree(self._number)

    @property
    def shares(self) -> list[Share]:
        """What each word of the query gives it, in the order of the tree."""
        return shares_of(self.reason, self._explanation.term_labels)

    @property
    def missing(self) -> list[ExplainedWord]:
        """The scored words of the query that the document lacks."""
        return self._explanation.missing(self._number)

    def to_dict(self, *, tree: bool = False) -> dict[str, Any]:
        """The entry as an object; `tree` adds the reason with all its parts."""
        fields: dict[str, Any] = {
            "rank": self.rank,
            "id": self.id,
            "title": self.title,
            "chosen": self.chosen,
            "score": self.score,
            "total": self.total,
            "tokens": self.tokens,
        }
        if self.left is not None:
            fields["left"] = self.left
        if self.rank is not None:
            fields["fits_from"] = self.fits_from
        fields["terms"] = [share.to_dict() for share in self.shares]
        fields["missing"] = [word.to_dict() for word in self.missing]
        return fields | {"explanation": self.reason.to_dict()} if tree else fields


FIRST = 256  # ranks that are worked out at once


class _Prefix:
    """The first documents of an order; for each rank the tokens left before it and its smallest budget."""

    def __init__(self, order: list[Ranked], chosen: dict[int, int], budget: int | None) -> None:
        self.order = order
        taken = (tokens if number in chosen else 0 for number, _, tokens in order)
        self.left = list(accumulate(taken, sub, initial=budget or 0))
        self.budgets = MinimumBudgets([tokens for _, _, tokens in order])


class Explanation(JsonResult):
    """The ranking of a query and what a budget buys of it."""

    def __init__(self, store: Store | Format1Store, text: str, budget: int | None, ranking: Ranking) -> None:
        """`budget` None: nothing is chosen, everything is ranked."""
        self.store = store
        self.query = text
        self.budget = budget
        self.matches = ranking.matches
        self._ranking = ranking
        self._prefix = _Prefix([], {}, None)
        self._least_tokens = store.index.counts["least_tokens"] if isinstance(store, Store) else 0
        self.chosen = {number: tokens for number, _, tokens in self.select(budget or 0)}
        """The tokens of each chosen document by its number, in order."""
        self.tokens_used = sum(self.chosen.values())

    def select(self, budget: int) -> list[Ranked]:
        """The documents that a budget buys, in order."""
        return select(self._ranking, budget, least_tokens=self._least_tokens)

    def first(self, count: int) -> list[Ranked]:
        """The first documents of the order, `count` at most."""
        return self._up_to(count).order[:count]

    @property
    def order(self) -> list[Ranked]:
        """All matching documents, in order."""
        return self._up_to(self.matches).order

    @property
    def chosen_ranks(self) -> list[int]:
        """The ranks of the chosen documents, in order."""
        for reach in (1, self.matches):
            order = self._up_to(reach).order
            ranks = [rank for rank, ranked in enumerate(order, start=1) if ranked[0] in self.chosen]
            if len(ranks) == len(self.chosen):
                break
        return ranks

    @property
    @abstractmethod
    def words(self) -> list[ExplainedWord]:
        """The words of the query, in order."""

    @abstractmethod
    def score_of(self, number: int, total: int) -> float:
        """The score that `resolve` gives a document."""

    @abstractmethod
    def tree(self, number: int) -> ExplanationNode:
        """The total of a document, as a tree."""

    @abstractmethod
    def missing(self, number: int) -> list[ExplainedWord]:
        """The words of the query that a document lacks."""

    def __len__(self) -> int:
        return self.matches

    def entry(self, rank_: int) -> RankedDocument:
        """The document at a rank, from 1."""
        number, total, tokens = self._up_to(rank_).order[rank_ - 1]
        return RankedDocument(self, number, rank_, total, tokens)

    def entries(self, start: int = 1, stop: int | None = None) -> Iterator[RankedDocument]:
        """The documents from one rank up to another, not included, as far as there are some."""
        end = self.matches + 1
        return map(self.entry, range(start, end if stop is None else min(stop, end)))

    def document(self, id_: str) -> RankedDocument:
        """The entry of one document, matching or not. Raises `UsageError` if the cache has none such."""
        number = self.store.number_of(id_)
        if number is None:
            raise UsageError(f"{id_}: no document of this cache has this id")
        for rank_, (document, total, tokens) in enumerate(self.order, start=1):
            if document == number:
                return RankedDocument(self, number, rank_, total, tokens)
        return RankedDocument(self, number, None, 0, self.store.document(number).tokens)

    def left_before(self, rank_: int) -> int | None:
        """Tokens left of the budget when the document at this rank has its turn."""
        return None if self.budget is None else self._up_to(rank_).left[rank_ - 1]

    def fits_from(self, rank_: int) -> int:
        """The smallest budget at which the document at this rank is chosen."""
        return self._up_to(rank_).budgets.at(rank_)

    def _up_to(self, rank_: int) -> _Prefix:
        """The order up to a rank at least; all of it is sorted only for a rank behind the first page."""
        if len(self._prefix.order) < min(rank_, self.matches):
            order = self._ranking.top(FIRST if rank_ <= FIRST else self.matches)
            self._prefix = _Prefix(order, self.chosen, self.budget)
        return self._prefix

    @cached_property
    def term_labels(self) -> dict[str, str]:
        """For each term the word of the query whose whole it is; none in format 1, which has words only."""
        return {}

    @property
    def word_positions(self) -> dict[str, int]:
        """For each scored word of the query its position among them, by which views choose its colour."""
        scored = (word.text for word in self.words if word.status == "scored")
        return {text: position for position, text in enumerate(scored)}

    def _repr_html_(self) -> str:
        """What a notebook shows: the first documents, what each word gives them, and the budget."""
        from . import notebook as html  # a program needs none of it

        ranked = [(entry, _values(entry)) for entry in self.entries(1, html.SHOWN + 1)]
        words = dict.fromkeys(word for _, shares in ranked for word in shares)
        colours = {word: html.COLOURS[n % len(html.COLOURS)] for n, word in enumerate(words)}
        pixel = max((entry.total for entry, _ in ranked), default=1) / html.BAR or 1
        rows = (
            (
                str(entry.rank),
                html.text_of(entry.id),
                f"{entry.score:.3f}",
                html.bar((share / pixel, colours[word], word) for word, share in shares.items()),
                f"{entry.tokens:,}",
                "chosen" if entry.chosen else "",
            )
            for entry, shares in ranked
        )
        return (
            html.heading(self.query)
            + ("" if self.budget is None else html.budget_bar(self.tokens_used, self.budget))
            + html.keys(colours)
            + html.table(("#", "document", "score", "words", "tokens", ""), rows)
            + html.line(f"{html.more(len(self))}{len(self):,} match")
        )

    def to_dict(self, *, limit: int | None = None) -> dict[str, Any]:
        """The whole ranking, or its first `limit` documents."""
        stop = None if limit is None else limit + 1
        return {
            "query": self.query,
            "budget": self.budget,
            "words": [word.to_dict() for word in self.words],
            "tokens_used": self.tokens_used,
            "documents_considered": self.store.manifest.document_count,
            "documents_matched": self.matches,
            "documents_selected": len(self.chosen),
            "documents_excluded_by_budget": self.matches - len(self.chosen),
            "documents": [entry.to_dict() for entry in self.entries(stop=stop)],
        }


class IndexedExplanation(Explanation):
    """The explanation of a query to a format 2 cache."""

    store: Store

    def __init__(self, store: Store, text: str, budget: int | None) -> None:
        """Rank as `resolve` does."""
        self._parsed = read_query(text, store.index, store.analyzer, store.manifest.synonyms)
        super().__init__(store, text, budget, rank(self._parsed, store.index))

    @property
    def words(self) -> list[ExplainedWord]:
        """The words of the query, in order, without repeats."""
        return [self._word(word) for word in self._distinct_words()]

    def score_of(self, number: int, total: int) -> float:
        """The score that `resolve` gives a document."""
        if not total:
            return millionths(0)
        return millionths(self.store.index.scorer.score_in_millionths(total, self._parsed.max_score))

    def tree(self, number: int) -> ExplanationNode:
        """The total of a document, as a tree."""
        return explain_total(self._parsed, self.store.index, number, self._before(number))

    @cached_property
    def term_labels(self) -> dict[str, str]:
        """For each term the word of the query whose whole it is, not one of its parts."""
        return {term: word.text for word in reversed(self._parsed.words) for term, _ in word.terms[:1]}

    def _before(self, number: int) -> list[str]:
        """The ids of the matching documents that come before a document and are of the same file."""
        index = self.store.index
        if not index.files:
            return []
        siblings = index.documents_of(index.file_of(number))
        numbers = []
        for document, _, _ in self.order if len(siblings) > 1 else ():
            if document == number:
                break
            if document in siblings:
                numbers.append(document)
        return [self.store.summary(document).id for document in numbers]

    def missing(self, number: int) -> list[ExplainedWord]:
        """The words of the query that a document lacks."""
        index = self.store.index
        matched = {
            clause.text for clause in self._parsed.clauses
            for term in (clause.term, *(variant.term for variant in clause.variants))
            if term is not None and index.posting_of(term.postings, number) is not None
        }  # fmt: skip
        names = (term for term in self._parsed.names if index.posting_of(term.postings, number) is not None)
        matched |= {term.text.removeprefix(NAME) for term in names}
        words = [word for word in self._distinct_words() if not word.light and word.terms]
        return [self._word(word) for word in words if not any(term in matched for term, _ in word.terms)]

    def _distinct_words(self) -> list[QueryWord]:
        return list({word.text: word for word in self._parsed.words}.values())

    def _word(self, word: QueryWord) -> ExplainedWord:
        terms = (*self._parsed.terms, *self._parsed.exact, *self._parsed.light)
        doc_freqs = {term.text.removeprefix(NAME): term.postings.doc_freq for term in self._parsed.names}
        doc_freqs |= {term.text: term.postings.doc_freq for term in terms}
        # Of a word with parts those that hold the whole, if there are any.
        whole = max((doc_freqs.get(term, 0) for term, _ in (*word.terms[:1], *word.exact)), default=0)
        documents = whole or max((doc_freqs.get(term, 0) for term, _ in word.terms), default=0)
        if word.light:
            return ExplainedWord(word.text, "ignored", documents)
        if self._parsed.is_unknown(word):
            read_as = self._parsed.read_as(word)
            return ExplainedWord(word.text, "unknown", 0, read_as=read_as)
        return ExplainedWord(word.text, "scored", documents)


class Format1Explanation(Explanation):
    """The explanation of a query to a format 1 cache."""

    store: Format1Store

    def __init__(self, store: Format1Store, text: str, budget: int | None) -> None:
        """Rank as `resolve` does."""
        self._query_words = query_words(text)
        self._format1 = Format1Ranking(self._query_words, store)
        wanted = set(self._query_words)
        self._matched_words = [wanted.intersection(d.content.lower().split()) for d in store.all_documents()]
        self._doc_freqs = Counter(word for words in self._matched_words for word in words)
        super().__init__(store, text, budget, self._format1)

    @property
    def words(self) -> list[ExplainedWord]:
        """The words of the query, in order, without repeats."""
        return [self._word(word) for word in dict.fromkeys(self._query_words)]

    def score_of(self, number: int, total: int) -> float:
        """The score that `resolve` gives a document."""
        return self._format1.scores[number]

    def tree(self, number: int) -> ExplanationNode:
        """The matches of a document, as a tree."""
        return self._format1.explain(number, self.store.document(number), self._query_words)

    def missing(self, number: int) -> list[ExplainedWord]:
        """The words of the query that a document lacks."""
        words = dict.fromkeys(self._query_words)
        return [self._word(word) for word in words if word not in self._matched_words[number]]

    def _word(self, word: str) -> ExplainedWord:
        documents = self._doc_freqs[word]
        return ExplainedWord(word, "scored" if documents else "unknown", documents)


def _values(entry: RankedDocument) -> dict[str, int]:
    """What each word gives a document, where that is something."""
    return {share.label: share.value for share in entry.shares if share.value > 0}


def explain_store(store: Store | Format1Store, text: str, budget: int | None) -> Explanation:
    """The explanation of `text` to an open cache of either format."""
    if isinstance(store, Store):
        return IndexedExplanation(store, text, budget)
    return Format1Explanation(store, text, budget)
