"""An answer as the inspector holds it: the library's explanation, and rows of it on demand."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from ..errors import CtxError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..resolver.cache import Cache
    from ..resolver.explained import Explained
    from .question import Question


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """A document of the answer: its rank, its tokens, and the tokens used up to and with it."""

    rank: int
    tokens: int
    used: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One matching document as the list shows it."""

    rank: int
    id: str
    title: str = ""
    score: str = ""
    tokens: int = 0
    place: int | None = None
    """Its place among the chosen, from 0; None when it is left out."""
    left: int = 0
    """Tokens that were left at its turn."""
    used: int = 0
    """Tokens used up to and with it, if chosen."""
    fits_from: int = 0
    """The smallest budget at which it is chosen."""
    fault: str = ""
    """Why it cannot be read."""

    @property
    def chosen(self) -> bool:
        """Whether the agent gets it."""
        return self.place is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A question, and everything known about its answer."""

    sequence: int
    """Counts the questions; an answer never replaces that to a later one."""
    question: Question
    cache: Cache
    explained: Explained
    chosen: tuple[Chosen, ...]

    @property
    def matches(self) -> int:
        """How many documents match."""
        return self.explained.matches

    @property
    def tokens_used(self) -> int:
        """Tokens of the chosen documents together."""
        return self.explained.tokens_used

    @property
    def left_out(self) -> int:
        """How many documents match and did not fit."""
        return self.matches - len(self.chosen)

    @property
    def searched(self) -> int:
        """How many documents were considered."""
        return self.cache.document_count

    def place_of(self, rank: int) -> int | None:
        """The place among the chosen of the document at a rank."""
        place = bisect_left(self.chosen, rank, key=attrgetter("rank"))
        return place if place < len(self.chosen) and self.chosen[place].rank == rank else None

    def chosen_ids(self, most: int) -> list[str]:
        """The ids of the chosen documents in order, `most` at most. Raises `CacheInvalid`, `IoError`."""
        return [self.explained.entry(chosen.rank).id for chosen in self.chosen[:most]]

    def chosen_sources(self, most: int) -> list[str]:
        """The files that these documents were made from, each once. Raises `CacheInvalid`, `IoError`."""
        documents = map(self.cache.document, self.chosen_ids(most))
        return list(dict.fromkeys(document.source for document in documents if document is not None))

    def rows(self, start: int, stop: int) -> list[Row]:
        """The rows of ranks from `start` up to `stop`, not included; one that cannot be read says so."""
        return [self._row(rank) for rank in range(max(1, start), min(stop, self.matches + 1))]

    def _row(self, rank: int) -> Row:
        try:
            entry = self.explained.entry(rank)
        except CtxError as error:
            return Row(rank=rank, id="(unreadable)", fault=str(error))
        place = self.place_of(rank)
        return Row(
            rank=rank,
            id=entry.id,
            title=entry.title,
            score=f"{entry.score:.3f}",
            tokens=entry.tokens,
            place=place,
            left=entry.left or 0,
            used=0 if place is None else self.chosen[place].used,
            fits_from=entry.fits_from or 0,
        )


def answer(sequence: int, cache: Cache, question: Question) -> Answered:
    """Ask the library. Raises what `explain` raises."""
    explained = cache.explain(question.query, question.budget)
    return Answered(
        sequence=sequence,
        question=question,
        cache=cache,
        explained=explained,
        chosen=tuple(_chosen(explained)),
    )


def _chosen(explained: Explained) -> Iterator[Chosen]:
    """The chosen documents with their ranks."""
    used = 0
    for rank, tokens in zip(explained.chosen_ranks, explained.chosen.values(), strict=True):
        used += tokens
        yield Chosen(rank=rank, tokens=tokens, used=used)
