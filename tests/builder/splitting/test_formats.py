"""One table says by a file's suffix how its text is read."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.formats import CONVERTED_FORMATS, FORMATS, TEXT_FORMATS, kind_of
from ctxcache.builder.splitting.sections import split
from ctxcache.text import TokenCounter

CHARACTERS = TokenCounter(len, "")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"), ("a.MD", "markdown"), ("a.mkd", "markdown"), ("a.mdown", "markdown"),
        ("..md", "markdown"), ("a.rst", "rst"), ("a/b.adoc", "asciidoc"), ("a.txt", "text"),
        ("a.py", "text"), (".md", "text"), ("a.md/b", "text"), ("a", "text"), ("a.pdf", "markdown"),
    ],
)  # fmt: skip
def test_the_suffix_tells_the_kind(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_a_suffix_is_taken_as_text_or_converted_but_not_both() -> None:
    assert not TEXT_FORMATS & CONVERTED_FORMATS
    assert FORMATS.keys() >= TEXT_FORMATS | CONVERTED_FORMATS


@pytest.mark.parametrize("kind", sorted({one.kind for one in FORMATS.values()}))
def test_every_kind_can_be_split(kind: str) -> None:
    sections = split("one\n\ntwo\n\nthree\n", kind=kind, max_tokens=8, counter=CHARACTERS)
    assert len(sections) > 1
