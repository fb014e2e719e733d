"""`ctx resolve`: the bytes of the library, or a table for people."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from subprocess import CompletedProcess, Popen

import pytest

import ctxcache

Ctx = Callable[..., CompletedProcess[str]]
Start = Callable[..., Popen[bytes]]


def test_the_result_is_what_the_library_serializes(ctx: Ctx, cache: str) -> None:
    """C1: the same inputs give the same bytes, whichever door."""
    result = ctxcache.resolve(cache, "roll back", 100)
    line = ("resolve", "--cache", cache, "--query", "roll back", "--budget", "100")
    assert ctx(*line).stdout == ctx(*line, "--format", "json").stdout == result.to_json()
    assert ctx(*line, "--format", "pretty").stdout == result.to_pretty()


def test_short_options_mean_the_same(ctx: Ctx, cache: str) -> None:
    long = ctx("resolve", "--cache", cache, "--query", "roll back", "--budget", "100")
    assert ctx("resolve", "-c", cache, "-q", "roll back", "-b", "100").stdout == long.stdout


def test_a_name_in_a_cache_root_means_the_same(ctx: Ctx, cache: str) -> None:
    root, _, name = cache.rpartition("/")
    plain = ctx("resolve", "-c", cache, "-q", "pager", "-b", "100")
    assert ctx("resolve", "--cache-root", root, "-c", name, "-q", "pager", "-b", "100").stdout == plain.stdout
    assert ctx("resolve", "--cache-root", cache, "-c", root, "-q", "pager", "-b", "100").returncode == 4


def test_the_table_shows_order_tokens_and_the_account(ctx: Ctx, cache: str) -> None:
    result = ctxcache.resolve(cache, "roll back a deployment", 100)
    table = ctx(
        "resolve", "-c", cache, "-q", "roll back a deployment", "-b", "100", "--format", "table"
    ).stdout
    first, *rows, _, account = table.splitlines()
    assert first.split() == ["#", "document", "score", "tokens", "used"]
    assert [row.split()[1] for row in rows if row] == [document.id for document in result.documents]
    assert account == (
        f"{result.tokens_used} of 100 tokens · {result.documents_selected} chosen · "
        f"{result.documents_excluded_by_budget} did not fit · 4 documents searched"
    )


def test_a_table_without_a_match_says_so(ctx: Ctx, cache: str) -> None:
    ran = ctx("resolve", "-c", cache, "-q", "zebra", "-b", "100", "--format", "table")
    assert (ran.returncode, ran.stdout) == (0, "nothing matches · 4 documents searched\n")


def test_names_reach_a_terminal_spelled_out(ctx: Ctx, cache: str) -> None:
    ran = ctx("resolve", "-c", cache, "-q", "Größe", "-b", "100", "--format", "table")
    assert r"Größe \u202e.md" in ran.stdout and "\u202e" not in ran.stdout


def test_the_content_of_json_is_exact(ctx: Ctx, cache: str) -> None:
    """What is written for programs is not altered for terminals; JSON itself escapes the controls."""
    ran = ctx("resolve", "-c", cache, "-q", "Größe", "-b", "100")
    assert "\x1b" not in ran.stdout
    (document,) = json.loads(ran.stdout)["documents"]
    assert document["content"] == "# Größe\n\n\x1b[31mRollback\x1b[0m in rot. items[/]\n"


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX", "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "1"},
        {"PYTHONIOENCODING": "latin-1", "COLUMNS": "20", "PYTHONHASHSEED": "2"},
        {"PYTHONUTF8": "1", "TERM": "dumb", "NO_COLOR": "1", "CONTEXT_CACHE_ROOT": "/elsewhere"},
    ],
)
def test_the_result_does_not_depend_on_the_environment(
    start: Start, ctx: Ctx, cache: str, environment: dict[str, str]
) -> None:
    """C2; the query is not ASCII, so that its own way through the locale is part of the test."""
    line = ("resolve", "-c", cache, "-q", "Größe 部署 rollback", "-b", "1000")
    expected = ctx(*line).stdout.encode()
    with start(*line, env={**os.environ, **environment}) as process:
        assert process.stdout and process.stderr
        assert (process.stdout.read(), process.stderr.read()) == (expected, b"")


def test_a_query_that_is_not_utf_8_is_an_invalid_query(start: Start, cache: str) -> None:
    with start("resolve", "-c", cache, "-q", b"\xff", "-b", "10") as process:
        assert process.stdout and process.stderr
        assert process.stdout.read() == b""
        assert process.stderr.read().startswith(b"error: the query is not valid Unicode")
    assert process.returncode == 2
