"""A document's line is JSON in one form, whatever its text holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ctxcache
from ctxcache import BuildConfig
from ctxcache.cache import documents
from ctxcache.cache.documents import FIELDS, Document, Origin, summary_of
from ctxcache.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(texts, texts, st.dictionaries(texts, texts, max_size=3), st.lists(st.tuples(texts, texts), max_size=2))
@example("".join(map(chr, range(0x100))), '","content":"', {}, [])
@example('a\\"b\r\n\tc', "", {"content": '","content":"'}, [('","content":"', "x")])
def test_a_line_is_what_json_writes(
    content: str, title: str, metadata: dict[str, str], headings: list[tuple[str, str]]
) -> None:
    document = Document(
        id="a", version="sha256:0", source="a", title=title, content=content,
        tokens=1, words=2, metadata=metadata,
        headings=headings, aliases=[title], origin=Origin(line=3, part=title, encoding="utf-16-le"),
    )  # fmt: skip
    fields = {name: getattr(document, name) for name in FIELDS} | {"origin": document.origin.to_dict()}
    written = json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"
    assert document.line() == written.encode()
    read = Document.parse(document.line())
    assert read.line() == document.line()
    summary = summary_of(document.line(), 1, 2)
    assert (summary.headings, summary.aliases, summary.names) == (read.headings, read.aliases, document.names)


@pytest.mark.parametrize(
    "origin",
    [
        {"line": "1"},
        {"line": True},
        {"line": 0},
        {"line": -2},
        {"part": ""},
        {"other": 1},
        {"part": "a", "line": 1},
    ],
)
def test_an_origin_that_no_builder_writes_is_refused(origin: dict[str, object]) -> None:
    """A line number is a whole number from 1: it reaches the command line of an editor."""
    with pytest.raises(ValueError, match="origin"):
        Origin.parse(origin)


def a_line() -> bytes:
    """The line of a document with an alias."""
    document = Document(
        id="a", version="sha256:0", source="a", title="A", content="x", tokens=1, words=1, aliases=["b"]
    )
    return document.line()


@pytest.mark.parametrize("behind", [b"x", b"{}", b"\n{}", b" 1", b"\0"])
def test_a_line_with_text_behind_its_object_is_refused(behind: bytes) -> None:
    """Readers that take the rest for the next document and those that drop it would disagree."""
    assert Document.parse(a_line() + b" \n").aliases == ("b",)
    with pytest.raises(ValueError, match="not JSON"):
        Document.parse(a_line().rstrip(b"\n") + behind)


@pytest.mark.parametrize("alias", [b"1", b"null", b"true", b'["b"]', b'{"b":1}'])
def test_an_alias_that_is_no_id_is_refused(alias: bytes) -> None:
    line = a_line().replace(b'"aliases":["b"]', b'"aliases":["b",' + alias + b"]")
    with pytest.raises(ValueError, match="aliases: not a list of ids"):
        Document.parse(line)
    with pytest.raises(ValueError, match="aliases: not a list of ids"):
        summary_of(line, 1, 1)


@pytest.mark.parametrize("value", [b"1", b"null", b"[]", b"{}"])
def test_metadata_is_text(value: bytes) -> None:
    """It is shown and searched, and is never more than that."""
    line = a_line().replace(b'"metadata":{}', b'"metadata":{"a":' + value + b"}")
    with pytest.raises(ValueError, match="metadata: 'a' is not text"):
        Document.parse(line)


@pytest.mark.parametrize("field", [b'"id":"a"', b'"source":"a"', b'"title":"A"', b'"aliases":["b"]'])
def test_half_a_character_is_refused(field: bytes) -> None:
    """JSON can spell a lone surrogate, and no answer can be written with it."""
    line = a_line().replace(
        field,
        field.replace(b'"a"', b'"\\ud800"').replace(b'"A"', b'"\\ud800"').replace(b'["b"]', b'["\\ud800"]'),
    )
    assert line != a_line()
    with pytest.raises(ValueError, match="surrogates not allowed"):
        Document.parse(line)


def test_front_matter_is_never_read_as_a_fact_of_the_builder(tmp_path: Path) -> None:
    """Whatever its keys are called."""
    text = "---\nsource_line: '!touch X'\nline: 9\nencoding: none\norigin: x\n---\n# Page\n\nText.\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(text, "utf-8")
    ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=BuildConfig(tokenizer="bytes4"))
    document = next(ctxcache.open_cache(tmp_path / "cache").documents())
    assert document.metadata["source_line"] == "!touch X"
    assert document.origin.to_dict() == {}


def test_a_line_has_a_largest_length_that_is_known_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Empty lists take thirty times as much memory as they do in a file."""
    monkeypatch.setattr(documents, "LARGEST_FILE", 300)
    assert Document.parse(a_line()).line() == a_line()
    with pytest.raises(ValueError, match="longer than 300 bytes"):
        Document.parse(b"[" + b"[]," * 100 + b"[]]")
    with pytest.raises(UsageError, match="a: takes more than 300 bytes of a cache; exclude it"):
        Document(id="a", version="", source="a", title="", content="x" * 300, tokens=1, words=1).line()
