"""The pool of open caches: one opening serves many, and a rebuild is seen at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from weakref import ref

import pytest

from ctxcache.cache.pool import CachePool
from ctxcache.errors import CacheInvalid


class Opened:
    """A stand-in for an open cache: it knows what the manifest said."""

    def __init__(self, path: str) -> None:
        self.says = (Path(path) / "manifest.json").read_text()
        if self.says == "bad":
            raise CacheInvalid(path)


def place(directory: Path, manifest: str) -> str:
    """A cache whose manifest is replaced as a build does it: in one rename."""
    directory.mkdir(exist_ok=True)
    new = directory / "manifest.new"
    new.write_text(manifest)
    new.replace(directory / "manifest.json")
    return str(directory)


def test_a_cache_is_opened_once_for_all_calls(tmp_path: Path) -> None:
    pool, path = CachePool(Opened), place(tmp_path / "a", "one")
    assert pool.get(path) is pool.get(path)


def test_a_replaced_manifest_is_seen_by_the_next_call(tmp_path: Path) -> None:
    pool, path = CachePool(Opened), place(tmp_path / "a", "one")
    before = pool.get(path)
    place(tmp_path / "a", "two!")
    assert pool.get(path).says == "two!"
    assert before.says == "one", "a call in flight keeps what it was given"


def test_no_more_than_the_capacity_is_kept_open(tmp_path: Path) -> None:
    pool = CachePool(Opened, capacity=2)
    first, second, third = (place(tmp_path / name, name) for name in "abc")
    dropped, kept = ref(pool.get(second)), ref(pool.get(first))
    pool.get(first)
    pool.get(third)
    assert dropped() is None
    assert kept() is not None


def test_a_cache_that_became_unreadable_is_let_go(tmp_path: Path) -> None:
    pool, path = CachePool(Opened), place(tmp_path / "a", "one")
    before = ref(pool.get(path))
    place(tmp_path / "a", "bad")
    with pytest.raises(CacheInvalid):
        pool.get(path)
    assert before() is None
    place(tmp_path / "a", "good again")
    assert pool.get(path).says == "good again"


def test_a_directory_without_a_manifest_is_no_cache(tmp_path: Path) -> None:
    with pytest.raises(CacheInvalid):
        CachePool(Opened).get(str(tmp_path))


def test_many_threads_share_one_opening(tmp_path: Path) -> None:
    opened: list[Opened] = []
    gate = threading.Barrier(8)

    def opener(path: str) -> Opened:
        opened.append(Opened(path))
        return opened[-1]

    def call(_: int) -> Opened:
        gate.wait()
        return pool.get(path)

    pool, path = CachePool(opener), place(tmp_path / "a", "one")
    with ThreadPoolExecutor(8) as threads:
        answers = set(threads.map(call, range(8)))
    assert answers == set(opened)
    assert len(opened) == 1
