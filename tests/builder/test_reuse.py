"""What is reused of a cache is what its documents say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.builder.heads import heads_of, read_heads
from ctxcache.cache.documents import Document, summary_of

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
    assert dict(heads.with_aliases()) == ({0: aliases} if aliases else {})
