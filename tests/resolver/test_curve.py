"""The answer as a function of its budget, held against asking with every budget."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig
from ctxcache.resolver.budget import budget_curve, minimum_budgets_from, next_budget, previous_budget
from ctxcache.resolver.cache import Cache, open_cache

SIZES = (9, 40, 3, 22, 22, 5, 61, 14, 1, 33)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """Documents of many sizes that all match `word`, one of them with its title alone."""
    directory = tmp_path_factory.mktemp("curve") / "cache"
    texts = [GivenText(f"{number}", "", "word " + "x" * 4 * size) for number, size in enumerate(SIZES)]
    texts.append(GivenText("empty", "word", ""))  # a budget of 0 does not buy it either
    build(texts, directory, config=BuildConfig(tokenizer="bytes4", split="none"), jobs=1)
    return open_cache(directory)


def chosen(cache: Cache, budget: int) -> list[int]:
    """The ranks that a budget chooses."""
    return cache.explain("word", budget).chosen_ranks


def test_a_curve_says_what_each_budget_buys(cache: Cache) -> None:
    for point in budget_curve(cache.explain("word", 10), range(0, 260, 7)):
        result = cache.resolve("word", point.budget)
        assert (point.documents, point.tokens) == (len(result.documents), result.tokens_used)
    assert budget_curve(cache.explain("nothing"))[0].to_dict() == {"budget": 500, "documents": 0, "tokens": 0}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(0, 240))
def test_the_next_and_the_previous_answer_are_those_of_asking_with_every_budget(
    cache: Cache, budget: int
) -> None:
    explained, here = cache.explain("word", budget), chosen(cache, budget)
    above = next((b for b in range(budget + 1, 300) if chosen(cache, b) != here), None)
    below = next((b for b in range(budget - 1, -1, -1) if chosen(cache, b) != here), None)
    assert next_budget(explained, budget) == above
    assert previous_budget(explained, budget) == below


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(0, 240))
def test_the_smallest_budget_not_below_the_present_one_chooses_the_document(
    cache: Cache, budget: int
) -> None:
    """What is shown beside a document that was left out may be typed, and never means less budget."""
    explained = cache.explain("word", budget)
    ranks = range(1, explained.matches + 1)
    budgets = minimum_budgets_from(explained, ranks)
    assert budgets.keys() == set(ranks)
    for rank, smallest in budgets.items():
        assert smallest == next(b for b in range(budget, 400) if rank in chosen(cache, b))


def test_finding_a_budget_that_takes_too_long_is_given_up(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxcache.resolver.budget.MOST_STEPS", 10)
    budgets = minimum_budgets_from(cache.explain("word", 4), range(1, 12))
    assert len(budgets) < 11
