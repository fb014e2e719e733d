"""Names of documents: literal first, then a pattern as in a .gitignore."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.builder.sources.walk import walk
from ctxcache.resolver.names import DocumentNames, DocumentPattern

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("a/b.md", "a/b.md", True),
        ("b.md", "a/b.md", True),
        ("/b.md", "a/b.md", False),
        ("a/", "a/b.md", True),
        ("a/", "x/a/b.md", True),
        ("/a/", "x/a/b.md", False),
        ("a", "a/c/b.md", True),
        ("a/", "ab/b.md", False),
        ("a/*.md", "a/b.md", True),
        ("a/*.md", "a/c/b.md", False),
        ("*.md", "a/c/b.md", True),
        ("a/**/*.md", "a/c/d/b.md", True),
        ("**/b.md", "b.md", True),
        ("?.md", "bc.md", False),
        ("[ab].md", "b.md", True),
        ("*#part", "a/b.md#part", True),
        ("#x.md", "#x.md", True),
        ("!a.md", "a.md", False),
        ("\\!a.md", "!a.md", True),
        (" ", " ", False),
        ("*\n.md", "a\n.md", True),
    ],
)
def test_a_pattern_is_that_of_an_ignore_file(pattern: str, path: str, matches: bool) -> None:
    assert DocumentPattern(pattern).matches(path) is matches


def test_a_pattern_means_what_an_include_pattern_means(tmp_path: Path) -> None:
    """One dialect: held against what a build takes, over all small patterns."""
    paths = ["a.md", "b.md", "ab.md", "d/a.md", "d/ab.md", "d/e/a.md"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    for pieces in itertools.product(("*", "**", "a.md", "d", "/", "?"), repeat=3):
        text = "".join(pieces)
        taken = {file.id for file in walk(tmp_path, ctxcache.Rules(include=(text,))).files}
        assert {path for path in paths if DocumentPattern(text).matches(path)} == taken, text


def test_no_pattern_takes_long() -> None:
    """A guard against hanging: trying everything takes longer than anybody lives."""
    program = """
from ctxcache.resolver.names import DocumentPattern
for unit, name in (("**/", "a/"), ("*a", "a"), ("**/a/", "a/"), ("**a*", "a"), ("a**/", "a/"), ("?*", "a")):
    print(DocumentPattern(unit * 40 + "x").matches(name * 100))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True)
    assert found.stdout.split() == [b"False"] * 6


@pytest.fixture
def names(tmp_path: Path) -> DocumentNames:
    """Those of a cache with sections, a copy of a page, and names that look like patterns."""
    page = "# Page\n\n" + "word " * 60 + "\n\n## Part\n\n" + "other " * 50 + "\n\n### Inner\n\ninner\n"
    for name, text in {
        "docs/page.md": page, "docs/deep/page.md": "# Deep\n", "docs/copy.md": "# Deep\n",
        "[d]eep.md": "# Brackets\n", "deep.md": "# Plain\n",
    }.items():  # fmt: skip
        (tmp_path / "sources" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sources" / name).write_text(text)
    config = ctxcache.BuildConfig(tokenizer="bytes4", max_tokens=90)
    ctxcache.build(tmp_path / "sources", tmp_path / "cache", config=config)
    return DocumentNames(ctxcache.open_cache(tmp_path / "cache").summaries())


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("docs/page.md#page", ["docs/page.md#page"]),
        ("docs/page.md", ["docs/page.md#page", "docs/page.md#part"]),
        ("docs/page.md#inner", ["docs/page.md#part"]),
        ("docs/deep/page.md", ["docs/copy.md"]),
        ("docs/copy.md", ["docs/copy.md"]),
        ("docs/deep/", ["docs/copy.md"]),
        ("[d]eep.md", ["[d]eep.md"]),
        ("deep.md", ["deep.md"]),
        ("page.md", ["docs/copy.md", "docs/page.md#page", "docs/page.md#part"]),
        ("docs", ["docs/copy.md", "docs/page.md#page", "docs/page.md#part"]),
        ("[de]*.md", ["deep.md"]),
        ("page.rst", []),
        ("docs/page.md#nothing", []),
    ],
)
def test_a_name_is_compared_literally_before_it_is_a_pattern(
    names: DocumentNames, name: str, ids: list[str]
) -> None:
    assert names.ids(name) == ids
