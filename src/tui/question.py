"""What is asked: a query and a budget, and how a budget is stepped through."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..arguments import DEFAULT_BUDGET, LARGEST_BUDGET
from ..arguments import read_budget as read_budget
from ..resolver.budget import USUAL_BUDGETS

PRESETS = USUAL_BUDGETS


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A query and a budget in tokens; an empty query has not been asked yet."""

    query: str = ""
    budget: int = DEFAULT_BUDGET

    @property
    def is_asked(self) -> bool:
        """Whether there is something to look for."""
        return bool(self.query.strip())

    def with_query(self, query: str) -> Question:
        """The same with another query."""
        return replace(self, query=query)

    def with_budget(self, budget: int) -> Question:
        """The same with another budget."""
        return replace(self, budget=budget)


def stepped(budget: int, steps: int) -> int:
    """The budget some steps up or down; a step is a tenth or less, to a round number."""
    for _ in range(abs(steps)):
        budget = _next(budget) if steps > 0 else _previous(budget)
    return budget


def preset(budget: int, direction: int) -> int:
    """The next usual budget above (1) or below (-1); the same at either end."""
    if direction > 0:
        return next((p for p in PRESETS if p > budget), budget)
    return next((p for p in reversed(PRESETS) if p < budget), budget)


def _unit(budget: int) -> int:
    """The largest of 10, 50, 100, 500 and so on that is at most a tenth of the budget."""
    unit = larger = 10
    while 10 * larger <= budget:
        unit = larger
        larger *= 5 if str(unit)[0] == "1" else 2
    return unit


def _next(budget: int) -> int:
    unit = _unit(budget)
    return min(LARGEST_BUDGET, (budget // unit + 1) * unit)


def _previous(budget: int) -> int:
    unit = _unit(max(0, budget - 1))
    return max(0, (budget - 1) // unit * unit)
