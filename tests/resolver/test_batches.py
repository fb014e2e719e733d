"""Many queries in several processes and on executors: the same bytes as in one."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache import BuildConfig, CacheInvalid, GivenText, UsageError
from ctxcache.resolver.batches import QUERIES, CacheReference
from ctxcache.resolver.evaluate import evaluate
from ctxcache.resolver.query_tests import ERROR, QueryTest, run_tests

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache import Cache

COUNT = 2 * QUERIES + 3


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """Some pages, each on something that all others have too."""
    texts = [GivenText(f"{n}.md", f"Step {n}", f"roll back step {n} " * (n + 1)) for n in range(30)]
    ctxcache.build(texts, tmp_path / "cache", config=BuildConfig(tokenizer="bytes4"))
    return ctxcache.open_cache(tmp_path / "cache")


def spawned() -> ProcessPoolExecutor:
    """Two processes that begin with nothing."""
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


WAYS: dict[str, Any] = {
    "two processes": lambda: nullcontext(None),
    "an executor of threads": lambda: ThreadPoolExecutor(3),
    "an executor of processes": spawned,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_figures_are_the_same_bytes_whoever_asks(cache: Cache, way: Any) -> None:
    queries = {str(n): f"step {n % 7} roll" for n in range(COUNT)}
    judged = {str(n): {f"{n % 30}.md": 1, "gone.md": 1} for n in range(COUNT)}
    alone = evaluate(cache, queries, judged, budget=50)
    with way() as executor:
        shared = evaluate(cache, queries, judged, budget=50, jobs=2, executor=executor)
    assert list(shared.queries) == list(queries)
    assert shared.to_pretty() == alone.to_pretty()


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_outcomes_are_the_same_bytes_whoever_runs_the_tests(cache: Cache, way: Any) -> None:
    def opened(name: str) -> Cache:
        if name == "none":
            raise UsageError("there is no such cache")
        return cache

    tests = [
        QueryTest(
            cache="none" if n % 5 == 4 else "pages",
            query=f"roll back step {n}",
            budget=60,
            expect=[f"{n}.md"],
            forbid=[],
            line=n,
        )
        for n in range(COUNT)
    ]
    alone = run_tests(tests, opened)
    with way() as executor:
        shared = run_tests(tests, opened, jobs=2, executor=executor)
    assert {outcome.state for outcome in alone.outcomes} == {"passed", "failed", "error"}
    assert shared.to_pretty() == alone.to_pretty()


def test_a_worker_that_finds_another_cache_says_so(cache: Cache) -> None:
    reference = CacheReference.of(cache)
    assert reference.open().document_count == 30
    ctxcache.build([], cache.path, force=True)
    with pytest.raises(CacheInvalid, match="a worker sees another cache there than this machine"):
        reference.open()
    test = QueryTest(cache="pages", query="step", expect=["1.md"], forbid=[])
    with spawned() as executor:
        outcome = run_tests([test], lambda _: cache, executor=executor).outcomes[0]
    assert outcome.state == ERROR and "sees another cache" in outcome.problems[0]
