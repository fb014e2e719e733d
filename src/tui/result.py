"""The answer to a question: the library's explanation, and the rows of its ranking, read on demand."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING

from ..errors import CtxError
from ..resolver.budget import minimum_budgets_from
from ..resolver.result import wire_tokens
from .views.documents import RankedRow
from .views.spans import has_words
from .views.why import Why, explain_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..resolver.cache import Cache
    from ..resolver.explain import Explanation
    from .session import Question


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenDocument:
    """A document of the answer."""

    rank: int
    tokens: int
    used: int
    """The tokens of this document and of those chosen before it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """A question, the cache that was asked, and the explanation of the answer."""

    question: Question
    cache: Cache
    explained: Explanation
    chosen: tuple[ChosenDocument, ...]
    words: Mapping[str, int]
    """The index of each word of the query that is scored."""

    @property
    def matches(self) -> int:
        """The number of matching documents."""
        return self.explained.matches

    def chosen_index(self, rank: int) -> int | None:
        """The index among the chosen documents of the one at a rank; None if it is not chosen."""
        index = bisect_left(self.chosen, rank, key=attrgetter("rank"))
        return index if index < len(self.chosen) and self.chosen[index].rank == rank else None

    def chosen_names(self, most: int) -> tuple[list[str], list[str]]:
        """The ids of the first `most` chosen documents, and the source files of these, "" where unknown.

        Raises `CacheInvalid`, `IoError`.
        """
        ids = [self.explained.entry(chosen.rank).id for chosen in self.chosen[:most]]
        documents = map(self.cache.document, ids)
        return ids, [document.source if document is not None else "" for document in documents]

    def rows(self, ranks: Iterable[int]) -> list[RankedRow]:
        """The rows of those ranks that exist; the row of a document that cannot be read has a `fault`."""
        wanted = [rank for rank in ranks if 1 <= rank <= self.matches]
        budgets = minimum_budgets_from(self.explained, wanted)
        best = self._best_score()
        order = self.explained.first(max(wanted, default=0))
        return [self._row(rank, order[rank - 1][0], budgets.get(rank, 0), best) for rank in wanted]

    def _best_score(self) -> float:
        try:
            return float(self.explained.entry(1).score) if self.matches else 0.0
        except CtxError:
            return 0.0

    def _row(self, rank: int, number: int, next_budget: int, best: float) -> RankedRow:
        try:
            entry = self.explained.entry(rank)
            shares = entry.shares
            summary = self.cache.store.summary(number)
        except CtxError as error:
            return RankedRow(rank=rank, id="(unreadable)", fault=str(error))
        index = self.chosen_index(rank)
        return RankedRow(
            rank=rank,
            id=entry.id,
            title=entry.title,
            source=summary.source,
            score=f"{entry.score:.3f}",
            score_share=float(entry.score) / best if best else 0.0,
            tokens=entry.tokens,
            index=index,
            fits_from=entry.fits_from or 0,
            next_budget=next_budget,
            needs_more=max(0, next_budget - self.question.budget),
            shares=tuple((share.label, share.value) for share in shares),
            copies=1 + len(summary.aliases),
        )

    def id_at_rank(self, rank: int) -> tuple[str, str] | None:
        """The id of the document at a rank, and `rank 3 of 120`; None if there is no such rank."""
        rows = self.rows([rank])
        return (rows[0].id, f"rank {rank:,} of {self.matches:,}") if rows else None

    def why(self, document: int | str) -> Why:
        """The explanation of one document, given its rank or its id. Raises `UsageError`, `CacheInvalid`."""
        explained = self.explained
        entry = explained.entry(document) if isinstance(document, int) else explained.document(document)
        budgets = minimum_budgets_from(explained, [entry.rank]) if entry.rank else {}
        return explain_document(explained, entry, budgets.get(entry.rank or 0))

    def wire_tokens(self) -> int:
        """The tokens of the whole answer as JSON. Raises what `resolve` raises."""
        result = self.cache.resolve(self.question.query, self.question.budget)
        return wire_tokens(result, self.cache.manifest.tokenizer)

    def ranks_with(self, words: str) -> list[int]:
        """The ranks of the documents whose id or title contains all of some words. Raises `CacheInvalid`."""
        summaries = (self.cache.store.summary(number) for number, _, _ in self.explained.order)
        return [
            rank
            for rank, summary in enumerate(summaries, start=1)
            if has_words(f"{summary.id}\n{summary.title}", words)
        ]


def answer(cache: Cache, question: Question) -> Result:
    """Ask a cache a question. Raises what `explain` raises."""
    explained = cache.explain(question.query, question.budget)
    sizes = explained.chosen.values()
    chosen = tuple(
        ChosenDocument(rank=rank, tokens=tokens, used=used)
        for rank, tokens, used in zip(explained.chosen_ranks, sizes, accumulate(sizes), strict=True)
    )
    words = explained.word_positions
    return Result(question=question, cache=cache, explained=explained, chosen=chosen, words=words)
