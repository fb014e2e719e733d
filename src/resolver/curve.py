"""What other budgets would bring: the answer as a function of its budget.

A larger budget takes the same documents until one that was refused has as much left at its turn as
it needs; then the answer changes. Between two such budgets nothing changes, so a walk from one to
the next misses none.
"""

from __future__ import annotations

from .arguments import LARGEST_BUDGET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .explained import Explained

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


def budget_curve(explained: Explained, budgets: Iterable[int] = USUAL_BUDGETS) -> list[CurvePoint]:
    """What each of some budgets buys of a ranking, in the order of the budgets."""
    points = []
    for budget in budgets:
        chosen = explained.select(budget)
        points.append(CurvePoint(budget, len(chosen), sum(tokens for _, _, tokens in chosen)))
    return points


def next_budget(explained: Explained, budget: int) -> int | None:
    """The smallest budget above `budget` whose answer is another; None when everything is chosen."""
    tokens = [document[2] for document in explained.order]
    step = _step(tokens, budget, lambda rank: None)
    return None if step is None or budget + step > LARGEST_BUDGET else budget + step


def previous_budget(explained: Explained, budget: int) -> int | None:
    """The largest budget below `budget` whose answer is another; None when nothing is chosen."""
    left = budget
    spare: int | None = None
    for _, _, tokens in explained.order:
        if tokens <= left and budget:
            left -= tokens
            spare = left if spare is None else min(spare, left)
    return None if spare is None else max(0, budget - spare - 1)


def minimum_budgets_from(explained: Explained, ranks: Sequence[int]) -> dict[int, int]:
    """For each of some ranks the smallest budget, not below the present one, that chooses it.

    That of a chosen document is the present one. A rank is left out where finding its budget would
    take too long.
    """
    budget = explained.budget or 0
    reach = max(ranks, default=0)
    tokens = [document[2] for document in explained.first(reach)]
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
