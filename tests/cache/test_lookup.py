"""Opening a cache, and finding a document by its id, by any heading in it, and by its aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache import BuildConfig, build, open_cache
from ctxcache.builder.compile import GivenText
from ctxcache.cache import store as store_module
from ctxcache.cache.manifest import read_manifest
from ctxcache.cache.store import Store, description_of, documents_of, find_document

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = "words " * 150
_LONG = f"# A\n\n{_WORDS}\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\n{_WORDS}\n"
_TEXTS = [
    GivenText("a.md", "T", "# One\n\n## Two\n"),
    GivenText("a.md2", "T2", "# One\n"),
    GivenText("b/a.md", "T", "# One\n\n## Two\n"),
    GivenText("long.md", "L", _LONG),
    GivenText("longer.md", "L", _LONG + "\n# E\n\ne\n"),
    GivenText('quo"te.md', "T", "# One\n\n## Two\n"),
]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.md", "a.md"),
        ("a.md#two", "a.md"),
        ("b/a.md", "a.md"),
        ("b/a.md#two", "a.md"),
        ('quo"te.md', "a.md"),
        ("long.md#a", "long.md#a"),
        ("long.md#c", "long.md#a"),
        ("longer.md#a", "long.md#a"),
        ("longer.md#e", "longer.md#d"),
        ("a.md#three", None),
        ("b/a.md#three", None),
        ("a.m", None),
        ("a.md#", None),
        ("#two", None),
        ("", None),
        ("long.md", None),
        ("\ud800", None),
    ],
)
def test_a_name_finds_its_document(tmp_path: Path, name: str, found: str | None) -> None:
    """An id first, then a heading, then an alias, then a heading in a file that is an alias."""
    build(_TEXTS, tmp_path / "cache")
    cache = open_cache(tmp_path / "cache")
    number = find_document(cache.store, name)
    assert (None if number is None else cache.store.summary(number).id) == found


def test_a_document_whose_id_looks_like_a_section_is_none_of_the_file(tmp_path: Path) -> None:
    """A file may be called `long.md#b-side`."""
    build([*_TEXTS[3:4], GivenText("long.md#b-side", "S", "# Side\n")], tmp_path / "cache")
    store = open_cache(tmp_path / "cache").store
    assert isinstance(store, Store)
    ids = [summary.id for _, summary in documents_of(store, "long.md")]
    assert ids == ["long.md#a", "long.md#d"]
    assert find_document(store, "long.md#side") is None


@pytest.mark.parametrize("length", [79, 80, 81, 200])
def test_a_description_of_eighty_characters_is_whole(tmp_path: Path, length: int) -> None:
    text = "d" * length
    build(_TEXTS[:1], tmp_path / "cache", config=BuildConfig(description=text))
    shown = description_of(open_cache(tmp_path / "cache").store)
    assert shown == (text if length <= 80 else "d" * 79 + "…")


def test_a_cache_that_is_rebuilt_while_it_is_opened_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest that was read names files that are gone; the one that is there now is read."""
    build(_TEXTS[:1], tmp_path / "cache")
    before = read_manifest(str(tmp_path / "cache"))
    build(_TEXTS[:2], tmp_path / "cache", force=True)
    manifests = iter([before, read_manifest(str(tmp_path / "cache"))])
    monkeypatch.setattr(store_module, "read_manifest", lambda directory: next(manifests))
    assert store_module.open_store(str(tmp_path / "cache")).manifest.document_count == 2
