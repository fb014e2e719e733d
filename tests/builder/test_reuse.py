"""What is reused of a cache is what its documents say."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.heads import heads_of, read_heads
from ctxcache.cache.documents import Document, Origin, RawContent, summary_of
from ctxcache.jsonio import canonical, escaped

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["a.md#part", 'q"', "\\", '","content":"', "]],[[", "größe/日本.md", "\n\u2028"]
)
pairs = st.lists(st.tuples(texts, texts), max_size=3)


@given(texts, texts, texts, pairs, st.lists(texts, max_size=2))
def test_the_beginning_of_a_line_is_read_as_json_reads_it(
    id_: str, source: str, title: str, headings: list[tuple[str, str]], aliases: list[str]
) -> None:
    """An expression reads nearly every line, in a fraction of the time."""
    document = Document(
        id=id_, version=f"sha256:{0:064}", source=source, title=title, headings=headings, aliases=aliases,
        content='a "text","content":"', tokens=1, words=1, metadata={"content": "x"},
    )  # fmt: skip
    summary = summary_of(document.line(), 0, 0)
    heads = read_heads(b"before" + document.line() + b"behind", [6])
    read = (
        heads.id(0).decode(),
        heads.versions(np.arange(1))[0].decode(),
        heads.sources[0].decode(),
        heads.names(0),
    )
    expected = (summary.id, summary.version, summary.source, summary.names)
    assert read == expected == (id_, document.version, source, document.names)
    assert heads.identities[0] == heads_of([document]).identities[0]
    assert (heads.aliases(0), heads.with_aliases()) == (aliases, [0] if aliases else [])


@pytest.mark.parametrize("aliases", [[], ["b"]])
@pytest.mark.parametrize("field", ["id", "version", "source", "title", "headings", "aliases", "content"])
def test_a_line_without_one_of_its_fields_is_refused(field: str, aliases: list[str]) -> None:
    """A cache may have any lines, with digests that fit."""
    document = Document(
        id="a", version=f"sha256:{0:064}", source="a", title="A", headings=[("a", "A")], aliases=aliases,
        content="a", tokens=1, words=1, metadata={},
    )  # fmt: skip
    fields = json.loads(document.line())
    without = {name: value for name, value in fields.items() if name != field}
    renamed = {name if name != field else f"{name}s": value for name, value in fields.items()}
    for line in (canonical(without), canonical(renamed), b"", b"\n", b"{}\n"):
        with pytest.raises(ValueError, match="not the line of a document"):
            read_heads(line + b"\n", [0])


@given(texts, texts, st.integers(0, 9), st.sampled_from(["", "utf-16-le"]))
def test_a_content_is_taken_from_a_line_as_it_is_spelled(
    id_: str, content: str, number: int, encoding: str
) -> None:
    """So the contents of a source, joined, are its text as JSON spells it."""
    document = Document(
        id=id_, version=f"sha256:{0:064}", source="a", title='","content":"', content=content,
        tokens=1, words=1, metadata={'","tokens":': ',"origin":{"line":5}'},
        origin=Origin(line=number, encoding=encoding),
    )  # fmt: skip
    raw = RawContent(document.line())
    assert (raw.content, raw.encoding, raw.place[0]) == (escaped(content), encoding, number)


@pytest.mark.parametrize(
    "line",
    [
        b"", b'{"id":"a","version":"b","content":"c"}',
        b'{"id":"a","version":"b","content":"c","tokens":1}',
        b'{"id":"a","version":"b","content":"c","tokens":1,"origin":5}',
        b'{"id":"a","version":"b","content":"c","tokens":1,"origin":{"line":"5"}}',
        b'{"id":"a","version":"b","content":"c","tokens":1,"origin":{"line":',
        b'{"id":"a","version":"b","content":"c","tokens":1,"origin":{"part":"\xff"}}',
        b'{"id":"a","version":"b","content":"c","tokens":1,"origin":' + 100_000 * b"[",
    ],
)  # fmt: skip
def test_no_content_is_taken_from_a_line_that_is_no_documents(line: bytes) -> None:
    """A damaged cache is told as such."""
    with pytest.raises(ValueError, match=r"fields|JSON|type"):
        RawContent(line)
