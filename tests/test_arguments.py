"""Queries and budgets at the edges of what they may be, and budgets as people write them."""

from __future__ import annotations

import pytest

from ctxcache.arguments import (
    LARGEST_BUDGET,
    LONGEST_QUERY,
    checked_budget,
    checked_query,
    read_budget,
)
from ctxcache.errors import InvalidBudget, InvalidQuery


@pytest.mark.parametrize(
    ("typed", "budget"),
    [
        ("4000", 4000),
        (" 4,000 ", 4000),
        ("4 000", 4000),
        ("1_000", 1000),
        ("1,234,567.0", 1_234_567),
        ("4k", 4000),
        ("1K", 1000),
        ("0", 0),
        ("+7", 7),
        ("007", 7),
        ("4000.0", 4000),
        ("9,007,199,254,740,991", 2**53 - 1),
    ],
)
def test_a_budget_may_be_typed_as_people_write_numbers(typed: str, budget: int) -> None:
    assert read_budget(typed) == budget


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            "k",
            "-1",
            "4.5",
            "4,5k",
            "1e3",
            "four",
            "٤",
            "0x10",
            "nan",
            ".0",
            "9" * 5000,
            "9007199254740992",
        ),
        *(
            "4,5",
            "4.000",
            "4000.",
            "4000.00",
            "4,00",
            "4,0000",
            "4000,000",
            "4,,000",
            "4,000_000",
            ",400",
            "4 0 0",
        ),
    ],
)
def test_what_is_no_budget_is_refused_in_words(typed: str) -> None:
    """The value is named, and how to write one."""
    with pytest.raises(InvalidBudget, match=r"whole number of tokens .* as in 4000, 4,000 or 4k, not '"):
        read_budget(typed)


def test_a_query_may_be_as_long_as_the_longest() -> None:
    longest = "x" * LONGEST_QUERY
    assert checked_query(longest) == longest
    with pytest.raises(InvalidQuery, match="100,001 characters"):
        checked_query(longest + "x")


@pytest.mark.parametrize(("given", "budget"), [(0, 0), (LARGEST_BUDGET, LARGEST_BUDGET), (4000.0, 4000)])
def test_a_budget_is_a_whole_number_up_to_the_largest(given: object, budget: int) -> None:
    assert checked_budget(given) == budget


@pytest.mark.parametrize("given", [True, False, -1, LARGEST_BUDGET + 1, 0.5, float("nan"), "4000", None])
def test_anything_else_is_no_budget(given: object) -> None:
    """A truth value is a whole number to Python, and to nobody who asks."""
    with pytest.raises(InvalidBudget):
        checked_budget(given)
