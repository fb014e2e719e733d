"""Patterns that name documents."""

from __future__ import annotations

import pytest

from ctxcache.resolver.matching import DocumentPattern


@pytest.mark.parametrize(
    ("pattern", "id_", "source", "matches"),
    [
        ("a/b.md", "a/b.md", "a/b.md", True),
        ("a/b.md", "a/b.md#part", "a/b.md", True),
        ("a/b.md#part", "a/b.md#part", "a/b.md", True),
        ("a/b.md#part", "a/b.md#other", "a/b.md", False),
        ("b.md", "a/b.md", "a/b.md", False),
        ("a/", "a/b.md", "a/b.md", True),
        ("a/", "a/c/b.md", "a/c/b.md", True),
        ("a/", "ab/b.md", "ab/b.md", False),
        ("a/*.md", "a/b.md#part", "a/b.md", True),
        ("a/*.md", "a/c/b.md", "a/c/b.md", False),
        ("a/**/*.md", "a/b.md", "a/b.md", True),
        ("a/**/*.md", "a/c/d/b.md", "a/c/d/b.md", True),
        ("**/b.md", "b.md", "b.md", True),
        ("?.md", "b.md", "b.md", True),
        ("?.md", "bc.md", "bc.md", False),
        ("*#part", "b.md#part", "b.md", True),
        ("a.md", "axmd", "axmd", False),
        ("[x].md", "[x].md", "[x].md", True),
        ("what?*.md", "what?*.md", "what?*.md", True),
        ("*\n.md", "a\n.md", "a\n.md", True),
    ],
)
def test_a_pattern_means_an_id_a_source_a_folder_or_a_glob(
    pattern: str, id_: str, source: str, matches: bool
) -> None:
    assert DocumentPattern(pattern).matches(id_, source) is matches
