"""Sections as documents of their own: path, slug, line, title and kind."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.formats import kind_of
from ctxcache.builder.splitting.sections import Section, split, title
from ctxcache.text import TokenCounter

CHARACTERS = TokenCounter(len, "")  # which always add up
_GUIDE = """\
---
owner: ops
---
# Guide

Some words to begin with.

## Setup `now` {#setup}

How to set it up.

How to check that it is set up.

## Examples

### First

The first of them.

## Examples

More of them, at the end.
"""
_BODY = _GUIDE.index("# Guide")


def _split(text: str, limit: int, kind: str = "markdown", body_start: int = 0) -> list[Section]:
    return split(text, kind=kind, max_tokens=limit, counter=CHARACTERS, body_start=body_start)


def test_a_file_within_the_limit_is_one_document() -> None:
    """All its headings stand in it, each with its anchor."""
    (whole,) = _split(_GUIDE, len(_GUIDE), body_start=_BODY)
    assert (whole.text, whole.tokens, whole.slug, whole.heading_path) == (_GUIDE, len(_GUIDE), "", ())
    assert whole.headings == (
        ("guide", "Guide"), ("setup-now", "Setup now"), ("examples", "Examples"),
        ("first", "First"), ("examples-1", "Examples"),
    )  # fmt: skip


def test_sections_know_the_headings_above_them() -> None:
    found = _split(_GUIDE, 50, body_start=_BODY)
    assert [(section.slug, section.heading_path, section.line) for section in found] == [
        ("guide", ("Guide",), 1),
        ("setup-now", ("Guide", "Setup now"), 8),
        ("setup-now-1", ("Guide", "Setup now"), 12),
        ("examples", ("Guide", "Examples"), 14),
        ("examples-1", ("Guide", "Examples"), 20),
    ]


def test_front_matter_goes_with_the_first_section() -> None:
    """It may hold what looks like a heading, and is none of the body's."""
    text = "---\n# a comment\n\ntitle: T\n---\n\n\n# One\n\ntext\n\n# Two\n\ntext\n"
    found = _split(text, 40, body_start=text.index("\n\n# One"))
    assert [section.slug for section in found] == ["one", "two"]


def test_text_above_the_first_heading_is_called_top() -> None:
    """Unless a heading has that name; then it keeps it."""
    found = _split("Words before.\n\n# Top\n\nWords below.\n", 20)
    assert [(section.slug, section.heading_path) for section in found] == [("top-1", ()), ("top", ("Top",))]


def test_a_slug_is_the_anchor_that_a_forge_gives_the_heading() -> None:
    """Headings inside a section count too, so that `path#slug` is a link that works."""
    text = "# A\n\n## Use\n\nw\n\n# B\n\n## Use\n\nwords words words\n\n## Use\n\nwords words words\n"
    assert [section.slug for section in _split(text, 40)] == ["a", "b", "use-2"]


def test_a_section_knows_all_headings_in_it() -> None:
    """Also those of neighbours that were joined; what is cut behind a heading has none."""
    found = _split(_GUIDE, 50, body_start=_BODY)
    assert [[heading.slug for heading in section.headings] for section in found] == [
        ["guide"], ["setup-now"], [], ["examples", "first"], ["examples-1"],
    ]  # fmt: skip


def test_every_character_is_counted_once() -> None:
    """Counting tokens is what a build spends its time on."""
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text)

    text = "# H\n\ntext\n\n" * 200
    sections = split(text, kind="markdown", max_tokens=50, counter=TokenCounter(count, ""))
    assert counted == len(text)
    assert [section.tokens for section in sections] == [len(section.text) for section in sections]


def test_counts_that_do_not_add_up_are_taken_again() -> None:
    """Here each piece costs one token more than its characters: only a count of its own is right."""
    text = "# H\n\ntext\n\n" * 200
    sections = split(text, kind="markdown", max_tokens=50, counter=TokenCounter(lambda text: len(text) + 1))
    assert len(sections) > 1
    assert [section.tokens for section in sections] == [len(section.text) + 1 for section in sections]


@pytest.mark.parametrize("kind", ["markdown", "rst", "asciidoc", "text"])
def test_a_very_long_line_and_very_many_lines_are_split_all_the_same(kind: str) -> None:
    """The work grows with the length, so that this is done at once."""
    for text in ("a" * 500_000, "# h\n" * 5_000, "\n" * 50_000, "- " * 30_000 + "x", "x::\n\n" * 5_000):
        assert "".join(section.text for section in _split(text, 1000, kind)) == text


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("intro\n\n## `Roll` back\n", "markdown", "Roll back"),
        ("#\n\n# Second\n", "markdown", "Second"),
        ("Deploy\n======\n", "rst", "Deploy"),
        ("= Deploy\n", "asciidoc", "Deploy"),
        ("# not a heading\n", "text", "deploy notes v2"),
        ("no heading\n", "markdown", "deploy notes v2"),
        ("", "markdown", "deploy notes v2"),
    ],
)
def test_the_title_is_the_first_heading_or_the_file_name(text: str, kind: str, expected: str) -> None:
    assert title(text, kind=kind, id="guides/deploy-notes_v2.md") == expected


def test_a_title_is_sought_below_the_front_matter() -> None:
    assert title(_GUIDE, kind="markdown", id="a.md", body_start=_BODY) == "Guide"


@pytest.mark.parametrize(
    ("name", "words"), [("README", "README"), (".env", "env"), ("a/--.md", "--.md"), ("v1..2.txt", "v1..2")]
)
def test_odd_file_names_still_give_a_title(name: str, words: str) -> None:
    assert title("", kind="text", id=name) == words


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a/b.md", "markdown"),
        ("B.MDX", "mdx"),
        ("c.rst", "rst"),
        ("d.adoc", "asciidoc"),
        ("e.txt", "text"),
        ("md", "text"),
        (".md", "text"),
        ("dir.md/file", "text"),
    ],
)
def test_the_kind_follows_the_extension(name: str, kind: str) -> None:
    assert kind_of(name) == kind
