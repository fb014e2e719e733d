"""Answers as lines: whatever the text, it is read back as it was, and the object is what it spells."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import ErrorData, JSONRPCError, JSONRPCRequest, JSONRPCResponse

from ctxcache.jsonio import compact, escaped, pretty
from ctxcache.server.stdio.frames import AS_TEXT, LineSplitter, RefusedFrame, decode, encode

letters = st.text(max_size=40) | st.sampled_from(
    ['"', "\\", "\n\t\r\x00\x1f\x7f", "\u2028 \u0085", "é部署🗃\ud800"]
)
values: st.SearchStrategy[Any] = st.recursive(
    letters | st.booleans() | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(letters, inner, max_size=3),
    max_leaves=8,
)
ids = st.integers() | letters


@given(value=st.dictionaries(letters, values, max_size=4), id_=ids, write=st.sampled_from([compact, pretty]))
def test_the_object_of_an_answer_is_what_its_text_spells(value: Any, id_: int | str, write: Any) -> None:
    text = write(value)
    result = {
        "_meta": {"é": id_}, "content": [{"type": "text", "text": text}],
        "structuredContent": AS_TEXT, "isError": False,
    }  # fmt: skip
    line = encode(JSONRPCResponse.model_construct(jsonrpc="2.0", id=id_, result=result))
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line) == {"jsonrpc": "2.0", "id": id_, "result": {**result, "structuredContent": value}}


@given(
    lines=st.lists(st.sampled_from([b"", b"1", b"123", b"1234", b"12345", b"1234567"])), cut=st.integers(1, 9)
)
def test_a_line_may_have_as_many_bytes_as_the_limit_and_no_more(lines: list[bytes], cut: int) -> None:
    """However it arrives; in place of a longer one comes None, and the next is whole."""
    splitter, data = LineSplitter(4), b"\n".join([*lines, b""])
    chunks = [data[at : at + cut] for at in range(0, len(data), cut)]
    found = [line for chunk in chunks for line in splitter.feed(chunk)]
    assert found == [line if len(line) <= 4 else None for line in lines]
    assert list(splitter.finish()) == []


@given(text=letters, id_=ids)
def test_any_other_answer_is_written_as_it_is(text: str, id_: int | str) -> None:
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    line = encode(JSONRPCResponse.model_construct(jsonrpc="2.0", id=id_, result=result))
    assert json.loads(line) == {"jsonrpc": "2.0", "id": id_, "result": result}


@given(st.text(max_size=60).filter(lambda text: not any("\ud800" <= letter <= "\udfff" for letter in text)))
def test_an_escaped_text_is_what_json_makes_of_it(text: str) -> None:
    assert escaped(text) == json.dumps(text, ensure_ascii=False)[1:-1].encode()


@pytest.mark.parametrize("id_", ["true", "false", "1.5", "1.0", "null", "[]", "{}", "[1]"])
def test_a_request_whose_id_is_no_text_and_no_whole_number_is_refused(id_: str) -> None:
    """`true` is a number in Python; a request with such an id would be answered under another one."""
    with pytest.raises(RefusedFrame, match="the id must be") as refused:
        decode(f'{{"jsonrpc":"2.0","id":{id_},"method":"ping"}}'.encode())
    assert refused.value.answer().id is None


@pytest.mark.parametrize(("id_", "read"), [("7", 7), ('"7"', "7"), ("0", 0), ('""', "")])
def test_a_request_keeps_its_id_with_its_type(id_: str, read: object) -> None:
    request = decode(f'{{"jsonrpc":"2.0","id":{id_},"method":"ping"}}'.encode())
    assert isinstance(request, JSONRPCRequest)
    assert (request.id, type(request.id)) == (read, type(read))


def test_the_text_of_an_exception_never_reaches_the_wire() -> None:
    """The SDK wraps it in an error of code 0; an error that was meant passes as it is."""
    for code, message, seen in ((0, "/a/secret", (-32603, "Internal error")), (-32602, "x", (-32602, "x"))):
        error = JSONRPCError(jsonrpc="2.0", id=1, error=ErrorData(code=code, message=message))
        fields = json.loads(encode(error))["error"]
        assert (fields["code"], fields["message"]) == seen
