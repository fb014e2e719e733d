"""A query and a budget, and the steps of a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.errors import InvalidBudget
from ctxcache.tui.question import PRESETS, Question, preset, read_budget, stepped


@pytest.mark.parametrize(
    ("typed", "budget"),
    [("4000", 4000), (" 4,000 ", 4000), ("4 000", 4000), ("4k", 4000), ("0", 0), ("1K", 1000)],
)
def test_a_budget_may_be_typed_as_people_write_numbers(typed: str, budget: int) -> None:
    assert read_budget(typed) == budget


@pytest.mark.parametrize("typed", ["", "k", "-1", "4.5", "four", "٤", "9" * 30, "9007199254740992"])
def test_what_is_no_budget_is_refused_in_words(typed: str) -> None:
    with pytest.raises(InvalidBudget, match="whole number"):
        read_budget(typed)


@given(st.integers(0, 10**9))
def test_a_step_up_is_a_step_and_a_step_down_leads_back_no_further(budget: int) -> None:
    """A tenth at most, so that no step jumps over what it would have shown."""
    up = stepped(budget, 1)
    assert budget < up <= budget + max(10, budget // 10)
    assert stepped(up, -1) <= up - 10
    assert stepped(budget, -1) < budget or budget == 0


def test_steps_end_at_round_numbers() -> None:
    assert stepped(4000, 1) == 4100
    assert stepped(4000, -1) == 3900
    assert stepped(4003, 1) == 4100
    assert stepped(40, -1) == 30
    assert stepped(0, -1) == 0


def test_presets_go_up_and_down_and_stay_at_the_ends() -> None:
    assert preset(4000, 1) == 8000
    assert preset(4001, -1) == 4000
    assert preset(PRESETS[-1], 1) == PRESETS[-1]
    assert preset(10, -1) == 10


def test_white_space_is_not_a_question() -> None:
    assert not Question(query=" \t").is_asked
    assert Question(query="x").is_asked
