"""A file of whole blocks with their checksums, read in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ctxcache
from ctxcache.cache import checked_file
from ctxcache.cache.format import BLOCK
from ctxcache.cache.store import Store, open_store

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


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
