"""From which budget on a document is chosen, without trying every budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxcache.resolver.budget import MinimumBudgets, greedy_fill


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
