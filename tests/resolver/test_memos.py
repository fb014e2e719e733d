"""What a cache remembers of earlier queries changes no answer, and is not forgotten early."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import ctxcache
from ctxcache import Cache
from ctxcache.cache.store import Store
from ctxcache.memo import BoundedMemo
from ctxcache.resolver import terms

if TYPE_CHECKING:
    from array import array

    import pytest

    from ctxcache.cache.index import Index

Made = Callable[..., Cache]


def totals(cache: Cache, query: str) -> list[tuple[str, int]]:
    """The documents that match, with their totals."""
    return [(entry.id, entry.total) for entry in cache.explain(query).entries()]


def test_a_word_repaired_once_counts_otherwise_as_a_part_later(made: Made) -> None:
    """The whole word is read as `database`; as a part of names of equal weight it has a relative only."""
    others = {f"{n}.md": f"Other matters, number {n}." for n in range(300)}
    cache = made(others | {"a.md": "All about the database that we run."})
    fresh = {
        query: totals(ctxcache.open_cache(cache.path), query)
        for query in ("databse", "getDatabse setDatabse")
    }
    for query in (*fresh, *fresh):
        assert totals(cache, query) == fresh[query]
    assert fresh["databse"] != fresh["getDatabse setDatabse"]


def test_a_term_that_another_thread_forgets_meanwhile_is_looked_up(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was remembered a moment ago need not be there when it is asked for."""
    cache = made({"a.md": "one"})
    assert isinstance(cache.store, Store)
    index = cache.store.index
    monkeypatch.setattr(BoundedMemo, "__contains__", lambda *_: True, raising=False)
    assert index.find_once("absent") is None
    found = index.find_once("one")
    assert found is not None
    assert found.doc_freq == 1


def test_the_relatives_of_hundreds_of_words_are_found_once(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To find them takes milliseconds where many terms begin alike."""
    endings = [first + second for first in "abcdefghij" for second in "klmnop"]
    cache = made({f"{n}.md": f"deployment{ending}" for n, ending in enumerate(endings)})
    queries = [f"deployment{n:03}".translate(str.maketrans("0123456789", "qrstuvwxyz")) for n in range(600)]
    looked_up: list[str] = []
    find = terms._find_nearest

    def find_and_note(word: str, index: Index) -> array[int]:
        looked_up.append(word)
        return find(word, index)

    monkeypatch.setattr(terms, "_find_nearest", find_and_note)
    for query in (*queries, *queries):
        assert cache.resolve(query, 100).documents
    assert len(looked_up) == len(set(looked_up))
