"""Anchors like GitHub's, unique in a file, the same under every Python."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.splitting.headings import Slugs, slug


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Getting Started", "getting-started"),
        ("C++ & C#: what's new?", "c--c-whats-new"),
        ("snake_case - v2.10", "snake_case---v210"),
        ("Überblick", "überblick"),
        ("日本語の見出し", "日本語の見出し"),
        ("Cafe\u0301", "café"),
        ("🚀 Launch", "-launch"),
        ("!?", "section"),
    ],
)
def test_a_slug_is_lower_case_with_hyphens_and_no_punctuation(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_a_character_that_only_newer_tables_know_is_dropped() -> None:
    """U+11F04 came with Unicode 15: a letter for Python 3.12, nothing for 3.11."""
    assert slug("a\U00011f04b") == "ab"


def test_repeated_slugs_are_numbered_around_those_that_are_taken() -> None:
    slugs = Slugs()
    names = ["foo", "foo", "foo-1", "foo-2", "foo", "foo-1"]
    assert [slugs.take(name) for name in names] == ["foo", "foo-1", "foo-1-1", "foo-2", "foo-3", "foo-1-2"]


@given(st.lists(st.sampled_from(["a", "a-1", "a-2", "a-1-1", "b"]), max_size=30))
def test_no_two_slugs_are_equal(names: list[str]) -> None:
    slugs = Slugs()
    assert len({slugs.take(name) for name in names}) == len(names)
