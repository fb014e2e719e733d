"""A document's line is JSON in one form, whatever its text holds."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from ctxcache.cache.documents import FIELDS, Document

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(texts, texts, st.dictionaries(texts, texts | st.integers() | st.booleans(), max_size=3))
@example("".join(map(chr, range(0x100))), '","content":"', {})
@example('a\\"b\r\n\tc', "", {"content": '","content":"'})
def test_a_line_is_what_json_writes(content: str, title: str, metadata: dict[str, object]) -> None:
    document = Document(
        id="a", version="sha256:0", source="a", title=title, content=content,
        tokens=1, words=2, metadata=metadata,
    )  # fmt: skip
    fields = {name: getattr(document, name) for name in FIELDS}
    written = json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"
    assert document.line() == written.encode()
