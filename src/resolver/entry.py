"""One document of an explained ranking: where it stands, and why there."""

from __future__ import annotations

from ..answers import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .explained import Explained
    from .explanation import Reason


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


class Entry(Answer):
    """One document of the ranking, or one that does not match."""

    def __init__(self, explained: Explained, number: int, rank_: int | None, total: int, tokens: int) -> None:
        """`rank_` counts from 1; None when the document does not match."""
        self._explained = explained
        self._number = number
        self.rank = rank_
        self.total = total
        self.tokens = tokens
        heading = explained.store.summary(number)  # a ranking is long, and nobody reads its contents
        self.id = heading.id
        self.title = heading.title
        self.words = heading.words
        self.score = explained.score_of(number, total)
        self.chosen = number in explained.chosen
        self.left = explained.left_before(rank_) if rank_ else None
        """Tokens that were left when its turn came; None without a budget."""

    @property
    def fits_from(self) -> int | None:
        """The smallest budget at which it is chosen; None when it does not match."""
        return None if self.rank is None else self._explained.fits_from(self.rank)

    @property
    def reason(self) -> Reason:
        """The total as a tree."""
        return self._explained.tree(self._number)

    @property
    def missing(self) -> list[ExplainedWord]:
        """The scored words of the query that the document lacks."""
        return self._explained.missing(self._number)

    def to_dict(self, *, tree: bool = False) -> dict[str, Any]:
        """The entry as an object; `tree` adds the reason with all its parts."""
        reason = self.reason
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
        fields["terms"] = [{"reason": part.reason, "value": part.value} for part in reason.parts]
        fields["missing"] = [word.to_dict() for word in self.missing]
        return fields | {"explanation": reason.to_dict()} if tree else fields
