"""Threads of one process share nothing that a build, a verification or a query depends on."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import GivenText
from ctxcache.builder.convert import converter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

THREADS = 8
CONFIG = BuildConfig(tokenizer="bytes4", max_tokens=100)
WORDS = (
    *("deployment", "rolls", "back", "getUserById", "C#", "v2.10.1", "--dry-run", "naïve", "黑豹队", "don't"),
    *(f"{start}{end}" for start in ("run", "sky", "relat") for end in ("s", "ing", "ional", "ously")),
)


def texts(seed: int) -> list[GivenText]:
    """Documents whose words are partly those of the other seeds and partly their own."""
    source = random.Random(seed)
    own = [f"{word}{seed}x{number}" for word in ("name", "getItem") for number in range(200)]

    def paragraph() -> str:
        return " ".join(source.choices([*WORDS, *own], k=60))

    return [
        GivenText(
            f"{number:03}.md", f"Page {number}", f"# Page\n\n{paragraph()}\n\n## More\n\n{paragraph()}\n"
        )
        for number in range(120)
    ]


def together(jobs: list[Callable[[], object]]) -> list[object]:
    """What the jobs return, begun at the same moment in a thread each."""
    start = Barrier(len(jobs))

    def begin(job: Callable[[], object]) -> object:
        start.wait()
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(begin, jobs))


def contents(cache: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in cache.iterdir()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Caches that were built one after the other."""
    caches = [tmp_path_factory.mktemp("alone") / "cache" for _ in range(THREADS)]
    for seed, cache in enumerate(caches):
        ctxcache.build(texts(seed), cache, config=CONFIG)
    return caches


def test_builds_in_threads_write_the_bytes_of_builds_alone(alone: list[Path], tmp_path: Path) -> None:
    """Counting in a table that they shared, all of them wrote caches that failed their verification."""

    def build(seed: int) -> Callable[[], object]:
        return lambda: ctxcache.build(texts(seed), tmp_path / str(seed), config=CONFIG)

    together([build(seed) for seed in range(THREADS)])
    assert [contents(tmp_path / str(seed)) for seed in range(THREADS)] == [contents(cache) for cache in alone]


def test_one_build_in_threads_of_the_caller_writes_the_same_bytes(alone: list[Path], tmp_path: Path) -> None:
    """An executor of threads compiles the batches of one build at once."""
    many = [text._replace(id=f"{seed}/{text.id}") for seed in range(THREADS) for text in texts(seed)]
    ctxcache.build(many, tmp_path / "one", config=CONFIG)
    with ThreadPoolExecutor(THREADS) as pool:
        ctxcache.build(many, tmp_path / "threads", config=CONFIG, executor=pool)
    assert contents(tmp_path / "threads") == contents(tmp_path / "one")


def test_builds_verifications_and_queries_leave_each_other_alone(alone: list[Path], tmp_path: Path) -> None:
    queries = [f"{word} {other} getItem" for word in WORDS for other in WORDS[::3]]
    shared = ctxcache.open_cache(alone[0])
    answers = [ctxcache.open_cache(alone[0]).resolve(query, 500).to_json() for query in queries]

    def build(name: str) -> object:
        ctxcache.build(texts(1), tmp_path / name, config=CONFIG)
        return contents(tmp_path / name)

    def ask() -> object:
        return [shared.resolve(query, 500).to_json() for query in queries]

    def verify() -> object:
        return ctxcache.verify(alone[2]).faults

    one, other = partial(build, "one"), partial(build, "other")
    jobs: list[Callable[[], object]] = [one, ask, ask, ask, verify, verify, verify, other]
    built = contents(alone[1])
    expected = [built, answers, answers, answers, (), (), (), built]
    assert together(jobs) == expected


@pytest.mark.skipif(not converter(), reason="the extra `convert` is not installed")
def test_a_build_that_ends_does_not_end_the_converter_of_another(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"docs{number}").mkdir()
        for page in range(2 + number * 3):
            (tmp_path / f"docs{number}/{page}.html").write_text(f"<h1>Page {page}</h1><p>{number}</p>")

    def build(number: int) -> Callable[[], object]:
        return lambda: (
            ctxcache.build(tmp_path / f"docs{number}", tmp_path / str(number), config=CONFIG).skipped
        )

    assert together([build(number) for number in range(4)]) == [()] * 4
