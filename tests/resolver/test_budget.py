"""What a budget buys, and from which budget on a document is chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.resolver import budget as budget_module
from ctxcache.resolver.budget import MinimumBudgets, greedy_fill, select


def chosen_at(tokens: list[int], rank: int, budget: int) -> bool:
    """Whether filling `budget` takes the document at `rank`."""
    ranked = [(number, 0, size) for number, size in enumerate(tokens)]
    chosen, _ = greedy_fill(ranked, budget, least_tokens=0)
    return any(number == rank - 1 for number, _, _ in chosen)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8))
def test_the_smallest_budget_is_the_first_of_all_budgets_that_chooses(tokens: list[int]) -> None:
    """Tried one budget after another; 0 chooses nothing, by definition."""
    budgets = MinimumBudgets(tokens)
    for rank in range(1, len(tokens) + 1):
        first = next(b for b in range(1, sum(tokens) + 2) if chosen_at(tokens, rank, b))
        assert budgets.at(rank) == first


def test_a_small_document_behind_large_ones_needs_little() -> None:
    assert MinimumBudgets([2950, 1204, 100]).at(3) == 100


def test_a_document_behind_smaller_ones_needs_them_too() -> None:
    assert MinimumBudgets([847, 1204, 2950]).at(3) == 5001


class Order:
    """A ranking of documents of these sizes."""

    def __init__(self, tokens: list[int]) -> None:
        self._ranked = [(number, 100 - number, size) for number, size in enumerate(tokens)]
        self.matches = len(tokens)

    def top(self, count: int) -> list[tuple[int, int, int]]:
        """The first `count`."""
        return self._ranked[:count]

    def next_fitting(self, last: tuple[int, int, int], tokens: int, count: int) -> list[tuple[int, int, int]]:
        """The first `count` behind `last` that fit."""
        return [ranked for ranked in self._ranked[last[0] + 1 :] if ranked[2] <= tokens][:count]


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 40), st.sampled_from([(1, 2), (2, 5), (64,)]))
def test_a_budget_buys_in_order_whatever_fits(
    tokens: list[int], budget: int, prefixes: tuple[int, ...]
) -> None:
    """However much of the order is looked at first; nothing for a budget of 0, not even a document of 0."""
    expected, left = [], budget
    for number, size in enumerate(tokens):
        if budget and size <= left:
            expected.append(number)
            left -= size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget_module, "PREFIXES", prefixes)
        patch.setattr(budget_module, "FITTING", prefixes[0])
        for least in (0, min(tokens, default=0)):
            chosen = select(Order(tokens), budget, least_tokens=least)
            assert [number for number, _, _ in chosen] == expected
