"""Query tests: when they pass, what they say when they fail, and what is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText
from ctxcache.errors import CacheMissing
from ctxcache.resolver.query_tests import Outcome, QueryTest, renewed_fields, run_tests

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache import Cache


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """Five pages, the longest of which is a candidate that rarely fits."""
    texts = [
        GivenText("deploy/rollback.md", "Roll back", "To roll back a deployment, run rollback. " * 3),
        GivenText("deploy/guide.md", "Deployment", "How a deployment goes, step by step. " * 60),
        GivenText("archive/rollback.md", "Roll back in 2019", "How we used to roll back a deployment."),
        GivenText("oncall.md", "On call", "Who answers the pager at night."),
        GivenText("empty.md", "Nothing", ""),
    ]
    place = tmp_path_factory.mktemp("query-tests") / "cache"
    ctxcache.build(texts, place, config=BuildConfig(tokenizer="bytes4", split="none"))
    return ctxcache.open_cache(place)


def outcome(cache: Cache, query: str, **fields: Any) -> Outcome:
    """What comes of one test."""
    return run_tests([query_test(query, **fields)], lambda _: cache).outcomes[0]


def query_test(query: str, **fields: Any) -> QueryTest:
    return QueryTest(cache="c", query=query, **{"expect": [], "forbid": []} | fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"expect": ["deploy/rollback.md"]},
        {"expect": ["deploy/rollback.md", "archive/"]},
        {"expect": ["deploy/*.md"], "at_most_rank": 2},
        {"expect": ["oncall.md", "deploy/rollback.md"], "any": True},
        {"expect": ["deploy/rollback.md"], "min_score": 0.3},
        {"forbid": ["oncall.md", "nowhere/"]},
    ],
)
def test_a_test_passes_when_the_answer_holds_what_it_should(cache: Cache, fields: dict[str, Any]) -> None:
    found = outcome(cache, "roll back a deployment", **fields)
    assert (found.state, found.problems) == ("passed", ())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"expect": ["oncall.md"]}, "expects oncall.md: does not match; lacks roll, back, deployment"),
        ({"expect": ["deploy/guide.md"], "budget": 100}, "deploy/guide.md: not chosen, at rank 3 of 3: "),
        ({"expect": ["deploy/guide.md"], "at_most_rank": 1}, "1 or before: deploy/guide.md is at 3; before"),
        ({"expect": ["oncall.md", "empty.md"], "any": True}, "expects empty.md: does not match"),
        ({"expect": ["deploy/guide.md"], "min_score": 0.9}, "a score of 0.9 or more: deploy/guide.md has 0."),
        ({"forbid": ["archive/"]}, "forbids archive/, but archive/rollback.md is chosen: rank "),
    ],
)
def test_a_failure_says_where_the_document_stands(cache: Cache, fields: dict[str, Any], said: str) -> None:
    found = outcome(cache, "roll back a deployment", **fields)
    assert found.state == "failed"
    assert said in "\n".join(found.problems)


def test_a_document_that_did_not_fit_is_told_with_what_it_needs(cache: Cache) -> None:
    """Its tokens, what was left, the budget that is enough, and what stands before it."""
    (problem,) = outcome(cache, "deployment", expect=["deploy/guide.md"], budget=100).problems
    entry = cache.explain("deployment", 100).document("deploy/guide.md")
    assert f"needs {entry.tokens} tokens and {entry.left} were left" in problem
    assert f"chosen at a budget of {entry.fits_from}" in problem
    assert outcome(cache, "deployment", expect=["deploy/guide.md"], budget=entry.fits_from).state == "passed"


def test_an_expected_document_that_does_not_exist_is_an_error(cache: Cache) -> None:
    """Also when another one would be enough: a typing mistake must not hide behind it."""
    for fields in (
        {"expect": ["deploy/rolback.md"]},
        {"expect": ["oncall.md", "deploy/rolback.md"], "any": True},
    ):
        found = outcome(cache, "pager", **fields)
        assert found.state == "error"
        assert found.problems[0].endswith("has this name; did you mean deploy/rollback.md?")


def test_a_page_that_moved_is_recognised_by_its_name(cache: Cache) -> None:
    (problem,) = outcome(cache, "pager", expect=["people/oncall.md"]).problems
    assert problem.endswith("did you mean oncall.md?")


def test_a_cache_that_does_not_exist_is_an_error() -> None:
    def missing(name: str) -> Cache:
        raise CacheMissing(f"{name}: not there")

    outcomes = run_tests([query_test("q", forbid=["x"])] * 2, missing)
    assert [(each.state, each.problems) for each in outcomes.outcomes] == [("error", ("c: not there",))] * 2
    assert outcomes.to_dict()["error"] == 2


def test_a_damaged_cache_is_an_error(cache: Cache, tmp_path: Path) -> None:
    """Even if it shows only when the question is asked."""
    ctxcache.build(
        [GivenText("a.md", "A", "word " * 9000)], tmp_path / "c", config=BuildConfig(tokenizer="bytes4")
    )
    (index,) = (tmp_path / "c").glob("index-*")
    data = bytearray(index.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    index.write_bytes(data)
    test = query_test("word", forbid=["b.md"])
    found = run_tests([test], lambda _: ctxcache.open_cache(tmp_path / "c")).outcomes[0]
    assert found.state == "error" and "damaged" in found.problems[0]


@pytest.mark.parametrize(
    ("query", "fields", "renewal"),
    [
        ("pager", {"expect": ["deploy/rollback.md"]}, {"expect": ["oncall.md"]}),
        ("pager", {"expect": ["oncall.md", "deploy/rollback.md"]}, {"expect": ["oncall.md"]}),
        ("roll back a step", {"expect": ["deploy/guide.md"], "at_most_rank": 1}, {"at_most_rank": 3}),
        ("step", {"expect": ["oncall.md", "empty.md"], "any": True}, {"expect": ["deploy/guide.md"]}),
        ("pager", {"forbid": ["oncall.md", "archive/"]}, {"forbid": ["archive/"]}),
        ("pager", {"forbid": ["oncall.md"]}, {"forbid": None, "expect": ["oncall.md"]}),
        ("zanzibar", {"expect": ["oncall.md"]}, {}),
        ("pager", {"expect": ["oncall.md"]}, {}),
    ],
)
def test_a_test_can_be_rewritten_to_what_is_answered(
    cache: Cache, query: str, fields: dict[str, Any], renewal: dict[str, Any]
) -> None:
    """Only what does not hold changes, and then the test passes; nothing is made up of an empty answer."""
    test = query_test(query, **fields)
    changed = renewed_fields(test, cache)
    assert changed == renewal
    if changed:
        again = fields | {name: [] if value is None else value for name, value in changed.items()}
        assert outcome(cache, query, **again).state == "passed"


def test_a_score_is_rewritten_to_one_that_is_reached(cache: Cache) -> None:
    test = query_test("deployment", expect=["deploy/guide.md"], min_score=0.99)
    least = renewed_fields(test, cache)["min_score"]
    assert outcome(cache, "deployment", expect=["deploy/guide.md"], min_score=least).state == "passed"
