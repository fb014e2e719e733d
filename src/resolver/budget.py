"""Filling a budget: whole documents, in order, each that still fits.

A document that does not fit in what is left is passed over, never cut; the order of the
ranking is the order of the answer.

A larger budget takes the same documents until one that was refused has as much left at its turn as
it needs; then the answer changes. Between two such budgets nothing changes, so a walk from one to
the next misses none.
"""

from __future__ import annotations

from itertools import accumulate

from ..arguments import LARGEST_BUDGET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .explain import Explanation
    from .query import Ranked
    from .rank import Ranking

# How far down the order is worked out while everything fits; then it is asked what still does.
PREFIXES = (64, 512, 4096)
FITTING = 8
GROWTH = 4


def greedy_fill(ranked: Iterable[Ranked], budget: int, *, least_tokens: int) -> tuple[list[Ranked], int]:
    """What fits of some documents, in order, and what is left; no document has less than `least_tokens`."""
    chosen = []
    for document in ranked:
        if document[2] <= budget:
            budget -= document[2]
            chosen.append(document)
            if budget < least_tokens:
                break
    return chosen, budget


def select(ranking: Ranking, budget: int, *, least_tokens: int = 0) -> list[Ranked]:
    """The documents that a budget buys, in order.

    `least_tokens` is the size of the smallest document of the cache: when less is left, no
    other can fit. A budget of 0 buys nothing, not even a document of 0 tokens.
    """
    if not budget or budget < least_tokens:
        return []
    chosen: list[Ranked] = []
    seen, left = 0, budget
    for count in PREFIXES:
        top = ranking.top(count)
        taken, left = greedy_fill(top[seen:], left, least_tokens=least_tokens)
        chosen += taken
        seen = len(top)
        if left < least_tokens or seen == ranking.matches:
            return chosen
        if len(chosen) < seen:  # something did not fit
            break
    rest, count = top, FITTING
    while left >= least_tokens:
        rest = ranking.next_fitting(rest[-1], left, count)
        taken, left = greedy_fill(rest, left, least_tokens=least_tokens)
        chosen += taken
        if len(rest) < count:
            break
        count *= GROWTH
    return chosen


class MinimumBudgets:
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


USUAL_BUDGETS = (500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000, 200000)
"""Budgets that agents are given."""
MOST_STEPS = 2_000_000
"""Documents that `minimum_budgets_from` looks at, at most."""


class CurvePoint:
    """A budget, and what it buys."""

    __slots__ = ("budget", "documents", "tokens")

    def __init__(self, budget: int, documents: int, tokens: int) -> None:
        """`documents` are chosen; they take `tokens`."""
        self.budget = budget
        self.documents = documents
        self.tokens = tokens

    def to_dict(self) -> dict[str, int]:
        """`{"budget", "documents", "tokens"}`."""
        return {"budget": self.budget, "documents": self.documents, "tokens": self.tokens}


def budget_curve(explanation: Explanation, budgets: Iterable[int] = USUAL_BUDGETS) -> list[CurvePoint]:
    """What each of some budgets buys of a ranking, in the order of the budgets."""
    points = []
    for budget in budgets:
        chosen = explanation.select(budget)
        points.append(CurvePoint(budget, len(chosen), sum(tokens for _, _, tokens in chosen)))
    return points


def next_budget(explanation: Explanation, budget: int) -> int | None:
    """The smallest budget above `budget` whose answer is another; None when everything is chosen."""
    tokens = [document[2] for document in explanation.order]
    step = _step(tokens, budget, lambda rank: None)
    return None if step is None or budget + step > LARGEST_BUDGET else budget + step


def previous_budget(explanation: Explanation, budget: int) -> int | None:
    """The largest budget below `budget` whose answer is another; None when nothing is chosen."""
    left = budget
    spare: int | None = None
    for _, _, tokens in explanation.order:
        if tokens <= left and budget:
            left -= tokens
            spare = left if spare is None else min(spare, left)
    return None if spare is None else max(0, budget - spare - 1)


def minimum_budgets_from(explanation: Explanation, ranks: Sequence[int]) -> dict[int, int]:
    """For each of some ranks the smallest budget, not below the present one, that chooses it.

    That of a chosen document is the present one. A rank is left out where finding its budget would
    take too long.
    """
    budget = explanation.budget or 0
    reach = max(ranks, default=0)
    tokens = [document[2] for document in explanation.first(reach)]
    waiting = set(ranks)
    budgets: dict[int, int] = {}
    steps = MOST_STEPS

    def take(rank: int) -> None:
        if rank in waiting:
            waiting.discard(rank)
            budgets[rank] = budget

    while waiting and steps > 0:
        step = _step(tokens, budget, take)
        if step is None:
            break
        budget += step
        steps -= len(tokens)
    return budgets


def _step(tokens: Sequence[int], budget: int, take: Callable[[int], None]) -> int | None:
    """Fill a budget, tell each chosen rank, and return what the next other answer needs more."""
    left, step = budget, None
    for rank, size in enumerate(tokens, start=1):
        if size <= left and budget:
            left -= size
            take(rank)
        elif step is None or size - left < step:
            step = max(1, size - left)
    return step
