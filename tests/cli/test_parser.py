"""Command lines and the values in them."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Ctx = Callable[..., CompletedProcess[str]]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["--query", "--dry-run"], 4),
        (["-q", "-x"], 4),
        (["-q", ""], 4),
        (["--query=--dry-run"], 4),
        (["-q"], 1),
        (["-q", "x", "--dry-run"], 1),
        (["-q", "x", "--", "y"], 1),
    ],
)
def test_a_query_may_begin_with_a_dash(ctx: Ctx, line: list[str], code: int) -> None:
    """Nobody quotes flags for a search; 4 says that the line was understood and the cache looked for."""
    assert ctx("resolve", "--cache", "./no/such", "--budget", "10", *line).returncode == code


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (["build", "docs", "--cache", ""], "-c/--cache"),
        (["build", "docs", "--include", "*.md", "--include", ""], "--include"),
        (["list", "--cache-root", ""], "--cache-root"),
        (["serve", "--cache-root="], "--cache-root"),
        (["why", "-q", "words", ""], "DOCUMENT"),
        (["scope", "status", ""], "PATH"),
    ],
)
def test_an_empty_value_is_refused_with_its_argument(ctx: Ctx, line: list[str], name: str) -> None:
    """A variable of a script that is not set would stand for the default, or for the current folder."""
    ran = ctx(*line)
    assert (ran.returncode, ran.stderr) == (1, f"error: {name}: the value is empty\n")


def test_a_budget_below_zero_is_no_unknown_option(ctx: Ctx) -> None:
    ran = ctx("resolve", "--cache", "./no/such", "--query", "x", "--budget", "-5")
    assert (ran.returncode, ran.stderr.endswith("as in 4000, 4,000 or 4k, not '-5'\n")) == (3, True)


def test_a_budget_is_read_as_people_write_it(ctx: Ctx, cache: str) -> None:
    """At the prompt as in the inspector; the answer has the number."""
    line = ("resolve", "-c", cache, "-q", "pager", "-b")
    assert ctx(*line, "4k").stdout == ctx(*line, "4,000").stdout == ctx(*line, "4000").stdout


def test_arguments_are_judged_in_the_order_of_the_contract(ctx: Ctx) -> None:
    """C3: an empty name, then the query, then the budget, then the cache itself."""
    lines = {
        ("", "\ud800", "x"): 4,
        ("./no/such", "\ud800", "x"): 2,
        ("./no/such", "a" * 100_001, "x"): 2,
        ("./no/such", "a", "x"): 3,
        ("./no/such", "a", "9007199254740992"): 3,
        ("./no/such", "a", "9007199254740991"): 4,
    }
    for (cache, query, budget), code in lines.items():
        for root in ([], ["--cache-root", "/no/such/root"]):
            ran = ctx("resolve", "--cache", cache, "--query", query, "--budget", budget, *root)
            assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (code, "", 1)
