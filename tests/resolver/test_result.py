"""The JSON of an answer, which is put together by hand because it is most of what is ever written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxcache.cache.documents import Document
from ctxcache.jsonio import compact, millionths
from ctxcache.resolver.result import SelectedDocument, SelectionResult, Why

texts = st.text(max_size=40) | st.sampled_from(['"', "\\", "\n\t\r\x00\x1f\x7f", "\u2028", "é部署🗃", ""])
sizes = st.integers(0, 1 << 53)


@st.composite
def selected(draw: st.DrawFn) -> SelectedDocument:
    """A document of an answer, with any text in each of its fields."""
    document = Document(
        id=draw(texts),
        version=draw(texts),
        source="",
        title="",
        content=draw(texts),
        tokens=draw(sizes),
        words=draw(sizes),
        metadata={},
    )
    why = Why(draw(st.lists(texts, max_size=4)), draw(sizes), document.words)
    return SelectedDocument(document, score=millionths(draw(st.integers(0, 10**6))), why=why)


@given(documents=st.lists(selected(), max_size=3), query=texts, budget=sizes)
def test_the_json_of_an_answer_is_that_of_its_object(
    documents: list[SelectedDocument], query: str, budget: int
) -> None:
    result = SelectionResult(query=query, budget=budget, documents=documents, considered=9, matched=5)
    assert result.to_json() == compact(result.to_dict())
