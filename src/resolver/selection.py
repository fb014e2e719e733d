"""Filling a budget: whole documents, in order, each that still fits.

A document that does not fit in what is left is passed over, never cut; the order of the
ranking is the order of the answer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .ranking import Ranked, Ranking

PREFIXES = (64, 512, 4096)  # how far down the order is worked out before it is asked what still fits


class Filling:
    """A budget being filled."""

    def __init__(self, budget: int) -> None:
        """`budget` in tokens."""
        self.left = budget
        self.chosen: list[Ranked] = []

    def offer(self, ranked: Iterable[Ranked], least: int) -> bool:
        """Take what fits, in order; True when nothing of at least `least` tokens can fit any more."""
        for document in ranked:
            if document[2] <= self.left:
                self.left -= document[2]
                self.chosen.append(document)
            if self.left < least:
                return True
        return False


def select(ranking: Ranking, budget: int, *, least_tokens: int = 0) -> list[Ranked]:
    """The documents that a budget buys, in order.

    `least_tokens` is the size of the smallest document of the cache: when less is left, no
    other can fit. A budget of 0 buys nothing, not even a document of 0 tokens.
    """
    if not budget:
        return []
    filling = Filling(budget)
    seen = 0
    for count in PREFIXES:
        top = ranking.top(count)
        if filling.offer(top[seen:], least_tokens):
            return filling.chosen
        seen = len(top)
        if seen == ranking.matches:
            return filling.chosen
    filling.offer(ranking.after(top[-1], fitting=filling.left), least_tokens)
    return filling.chosen


def smallest_budget(before: Sequence[int], tokens: int) -> int:
    """The smallest budget at which a document is chosen that comes after others.

    `before` holds the tokens of the documents ranked before it, in order. It is chosen when
    at least its tokens are left at its turn; run backwards: a document before it takes its
    share whenever at least that much is left. What must be left before a document of t
    tokens, so that m are left after it, is at least m, if that is less than t, else m + t.
    """
    needed = tokens
    for taken in reversed(before):
        if needed >= taken:
            needed += taken
    return max(1, needed)
