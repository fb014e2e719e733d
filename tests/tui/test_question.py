"""A query and a budget, and the steps of a budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxcache.resolver.budget import USUAL_BUDGETS
from ctxcache.tui.session import Question, next_usual_budget, step_budget


@given(st.integers(0, 10**9))
def test_a_step_up_is_a_step_and_a_step_down_leads_back_no_further(budget: int) -> None:
    """A tenth at most, so that no step jumps over what it would have shown."""
    up = step_budget(budget, 1)
    assert budget < up <= budget + max(10, budget // 10)
    assert step_budget(up, -1) <= up - 10
    assert step_budget(budget, -1) < budget or budget == 0


def test_steps_end_at_round_numbers() -> None:
    assert step_budget(4000, 1) == 4100
    assert step_budget(4000, -1) == 3900
    assert step_budget(4003, 1) == 4100
    assert step_budget(40, -1) == 30
    assert step_budget(0, -1) == 0


def test_presets_go_up_and_down_and_stay_at_the_ends() -> None:
    assert next_usual_budget(4000, 1) == 8000
    assert next_usual_budget(4001, -1) == 4000
    assert next_usual_budget(USUAL_BUDGETS[-1], 1) == USUAL_BUDGETS[-1]
    assert next_usual_budget(10, -1) == 10


def test_white_space_is_not_a_question() -> None:
    assert not Question(query=" \t").is_asked
    assert Question(query="x").is_asked
