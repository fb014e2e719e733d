"""A document is found by its id, by any heading in it, and by its aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache import build, open_cache
from ctxcache.builder.compile import GivenText
from ctxcache.cache.store import find_document

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
