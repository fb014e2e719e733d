"""Filling a budget: whole documents, in order, each that still fits.

A document that does not fit in what is left is passed over, never cut; the order of the
ranking is the order of the answer.
"""

from __future__ import annotations

from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .rank import Ranked, Ranking

# How far down the order is worked out while everything fits; then it is asked what still does.
PREFIXES = (64, 512, 4096)


class Filling:
    """A budget being filled."""

    def __init__(self, budget: int) -> None:
        """`budget` in tokens."""
        self.left = budget
        self.chosen: list[Ranked] = []
        self.refused = False

    def offer(self, ranked: Iterable[Ranked], least: int) -> bool:
        """Take what fits, in order; True when nothing of at least `least` tokens can fit any more."""
        for document in ranked:
            if document[2] <= self.left:
                self.left -= document[2]
                self.chosen.append(document)
            else:
                self.refused = True
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
        if filling.refused:
            break
    filling.offer(ranking.after(top[-1], fitting=filling.left), least_tokens)
    return filling.chosen


class SmallestBudgets:
    """For each document of a ranking, the smallest budget at which it is chosen.

    It is chosen when at least its tokens are left at its turn; run backwards: a document
    before it takes its share whenever at least that much is left. What must be left before a
    document of t tokens, so that m are left after it, is at least m, if that is less than t,
    else m + t. Once that is no less than every document before, all of them are taken.
    """

    def __init__(self, tokens: Sequence[int]) -> None:
        """`tokens` of the documents in order."""
        self._tokens = tokens
        self._sums = list(accumulate(tokens, initial=0))
        self._largest = list(accumulate(tokens, max, initial=0))

    def at(self, rank: int) -> int:
        """The budget for the document at a rank, from 1."""
        before = rank - 1
        needed = self._tokens[before]
        while needed < self._largest[before]:
            before -= 1
            if needed >= self._tokens[before]:
                needed += self._tokens[before]
        return max(1, needed + self._sums[before])
