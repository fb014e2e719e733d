"""Documents listed without their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.builder.build import build
from ctxcache.builder.compile import GivenText
from ctxcache.builder.config import BuildConfig
from ctxcache.cache.documents import DocumentSummary, summary_of
from ctxcache.resolver.cache import open_cache

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = 'a","content":"b'


@pytest.mark.parametrize("profile", ["v0", "v2"])
def test_headings_are_the_documents_without_their_contents(tmp_path: Path, profile: str) -> None:
    """Also where a name looks like the beginning of the content."""
    sources = tmp_path / "docs"
    sources.mkdir()
    for name in ("a", "b", HOSTILE, "ü"):
        (sources / f"{name}.md").write_text(f"# {name}\n\nText of {name}.\n", "utf-8")
    config = BuildConfig(profile="v0") if profile == "v0" else BuildConfig(tokenizer="bytes4")
    build(sources, tmp_path / "cache", config=config, jobs=1)
    cache = open_cache(tmp_path / "cache")
    for heading, document in zip(cache.summaries(), cache.documents(), strict=True):
        for field in DocumentSummary.__slots__:
            assert getattr(heading, field) == getattr(document, field)


def test_a_part_of_the_headings_can_be_listed(tmp_path: Path) -> None:
    texts = [GivenText(name, "", name) for name in "abcde"]
    build(texts, tmp_path / "cache", config=BuildConfig(tokenizer="bytes4"), jobs=1)
    headings = open_cache(tmp_path / "cache").summaries(1, 3)
    assert [heading.id for heading in headings] == ["b", "c"]


def test_a_line_that_is_no_document_is_named() -> None:
    with pytest.raises(ValueError, match="not an object with the fields"):
        summary_of(b'{"id":"a"}', 0, 0)
    with pytest.raises(ValueError, match="not JSON"):
        summary_of(b'{"id":', 0, 0)
