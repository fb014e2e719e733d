"""A file of whole blocks with their checksums, read in parts."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.cache import checked_file
from ctxcache.cache.format import BLOCK
from ctxcache.cache.manifest import manifest_stamp
from ctxcache.cache.store import Store, open_store
from ctxcache.errors import IoError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_read_unchecked_is_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rebuild reads an index so once its SHA-256 was compared, a large one in several parts."""
    monkeypatch.setattr(checked_file, "UNCHECKED_AT_ONCE", 2)
    texts = [ctxcache.GivenText(f"{number}.md", "Title", f"words of {number}") for number in range(300)]
    ctxcache.build(texts, tmp_path / "cache")
    store = open_store(str(tmp_path / "cache"))
    assert isinstance(store, Store)
    file = store.index.file
    for start, end in ((0, 0), (0, 1), (5, BLOCK), (BLOCK - 1, BLOCK + 1), (10, 5 * BLOCK + 7)):
        assert file.read_unchecked(start, end) == file.read(start, end)


def test_whatever_file_of_a_cache_the_system_says_nothing_of_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size of an open file may be asked in vain, as on a network: an `io_error`, not a bare `OSError`."""
    cache = tmp_path / "cache"
    ctxcache.build([ctxcache.GivenText("a.md", "Title", "words")], cache)
    ask, asked = os.fstat, [0, 0]

    def ask_or_fail(descriptor: int) -> os.stat_result:
        asked[0] += 1
        if asked[0] == asked[1]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return ask(descriptor)

    def look() -> None:
        asked[0] = 0
        manifest_stamp(str(cache))
        ctxcache.open_cache(cache).resolve("words", 99)

    monkeypatch.setattr(os, "fstat", ask_or_fail)
    look()
    calls = asked[0]
    assert calls > 3
    for number in range(1, calls + 1):
        asked[1] = number
        with pytest.raises(IoError, match=re.escape(str(cache))):
            look()
