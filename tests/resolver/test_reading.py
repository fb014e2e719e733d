"""Reading one document, by its id or that of a heading in it, and on to its neighbours (rule C18)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.builder.config import BuildConfig
from ctxcache.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache.resolver.cache import Cache

SECTIONS = "".join(f"## Part {name}\n\n{name} says {'much ' * 60}\n\n" for name in ("alpha", "zeta", "beta"))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "guide.md").write_text(f"# Guide\n\nWhat it is.\n\n{SECTIONS}")
    (sources / "about.md").write_text("# About\n")
    (sources / "whole.md").write_text("# Whole\n\n## Inside\n\nShort.\n")
    config = BuildConfig(tokenizer="bytes4", max_tokens=90)
    ctxcache.build(sources, tmp_path / "cache", config=config)
    return tmp_path / "cache"


@pytest.fixture
def cache(directory: Path) -> Cache:
    return ctxcache.open_cache(directory)


def test_a_document_is_read_whole_with_its_full_version(cache: Cache) -> None:
    read = cache.read("whole.md").to_dict()
    document = cache.document("whole.md")
    assert document
    assert list(read) == ["id", "title", "headings", "tokens", "version", "content"]
    assert (read["content"], read["version"]) == ("# Whole\n\n## Inside\n\nShort.\n", document.version)


def test_the_documents_of_a_file_are_read_on_in_its_order(cache: Cache) -> None:
    """Ids are sorted otherwise than sections follow each other."""
    fields = cache.read("guide.md#guide").to_dict()
    assert "previous" not in fields
    contents, ids = [fields["content"]], [fields["id"]]
    while "next" in fields:
        before, fields = fields, cache.read(fields["next"]).to_dict()
        assert fields["previous"] == before["id"]
        contents.append(fields["content"])
        ids.append(fields["id"])
    assert "".join(contents) == f"# Guide\n\nWhat it is.\n\n{SECTIONS}"
    assert ids != sorted(ids)


def test_the_parts_of_one_line_are_read_on_in_its_order(tmp_path: Path) -> None:
    """The tenth part sorts before the second by its id, and both begin in the same line."""
    (tmp_path / "data").mkdir()
    line = " ".join(map(str, range(1000)))
    (tmp_path / "data/line.md").write_text(line)
    ctxcache.build(
        tmp_path / "data", tmp_path / "cache", config=BuildConfig(tokenizer="bytes4", max_tokens=90)
    )
    cache = ctxcache.open_cache(tmp_path / "cache")
    fields = cache.read("line.md#top").to_dict()
    contents = [fields["content"]]
    while "next" in fields:
        fields = cache.read(fields["next"]).to_dict()
        contents.append(fields["content"])
    assert len(contents) > 10
    assert "".join(contents) == line


def test_the_id_of_a_heading_finds_the_document_that_holds_it(cache: Cache) -> None:
    assert cache.read("whole.md#inside").document.id == "whole.md"


def test_an_unknown_id_names_the_nearest(cache: Cache) -> None:
    with pytest.raises(ctxcache.InvalidQuery, match=r"no document 'whole\.mdx'.*whole\.md"):
        cache.read("whole.mdx")


def test_a_file_that_was_cut_is_answered_with_its_first_sections(cache: Cache) -> None:
    """From the first one reads on; in the order of ids it may be any."""
    second = cache.read("guide.md#guide").following
    with pytest.raises(
        ctxcache.InvalidQuery, match=f"'guide.md'; the nearest ids are guide.md#guide, {second}"
    ):
        cache.read("guide.md")


@pytest.mark.parametrize("id_", [None, "", 1, "\udc80"])
def test_what_can_be_no_id_is_refused(cache: Cache, id_: object) -> None:
    with pytest.raises(ctxcache.InvalidQuery):
        cache.read(id_)


def test_a_document_of_format_1_has_no_neighbours(directory: Path, tmp_path: Path) -> None:
    ctxcache.build(directory.parent / "sources", tmp_path / "old", config=BuildConfig(profile="v0"))
    fields = ctxcache.open_cache(tmp_path / "old").read("guide.md").to_dict()
    assert (fields["headings"], "next" in fields) == ([], False)
    with pytest.raises(ctxcache.InvalidQuery, match="nearest ids are"):
        ctxcache.open_cache(tmp_path / "old").read("x")


def test_the_command_prints_the_same_bytes(
    cache: Cache, directory: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "-c", str(directory), "whole.md"]) == 0
    assert capfd.readouterr().out == cache.read("whole.md").to_json()
    assert main(["show", "-c", str(directory), "whole.md", "--format", "text"]) == 0
    assert capfd.readouterr().out == "# Whole\n\n## Inside\n\nShort.\n"
    assert main(["show", "-c", str(directory), "nothing"]) == 2
    printed = capfd.readouterr()
    assert json.dumps(printed.out) == '""'
    assert printed.err.startswith("error: there is no document 'nothing'; the nearest ids are ")
