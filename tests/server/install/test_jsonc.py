"""Editing JSON with comments: one member changes, and not a character besides."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcache.server.install.jsonc import put, read, remove

PATH = ("servers", "ctx")
ENTRY = {"command": "/bin/ctx", "args": ["serve", "ä"], "env": {}}

FILES = {
    "comments": """\
// settings of the editor
{
    "theme": "dark", // not light
    /* servers
       of all kinds */
    "servers": {
        // the first
        "other": { "command": "x", "args": [] } // ends here
        // "gone": {}
    },
    "tabs": 4
}
""",
    "trailing commas": '{\n  "a": [1, 2,], // b\n  "servers": {\n    "other": {"command": "x",},\n  },\n}\n',
    "no servers": '{\n\t"a": 1, /* one */\n\t"b": {\n\t\t"c": null\n\t} // end\n}',
    "one line": '{"a": "// no comment", "b": "\\"}"}',
    "windows": '{\r\n  "a": 1,\r\n  "servers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
    "closing on the line": '{\n  "a": 1, "b": 2 }\n',
    "servers first": '{\n  "servers": {\n    "x": {}\n  },\n  "z": [\n    {}\n  ]\n}\n',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_what_was_put_is_there_and_can_be_taken_out_without_a_trace(text: str) -> None:
    written = put(text, PATH, ENTRY)
    expected = read(text)
    expected.setdefault("servers", {})["ctx"] = ENTRY
    assert read(written) == expected
    assert remove(written, PATH) == text


def test_a_comment_keeps_to_the_line_that_it_is_about() -> None:
    """The new member goes behind the comment of the last one, its comma before."""
    assert put('{\n  "a": 1 // one\n}', ("b",), 2) == '{\n  "a": 1, // one\n  "b": 2\n}'
    assert remove('{\n  "a": 1, // one\n  "b": 2 }', ("b",)) == '{\n  "a": 1 // one\n }'


def test_a_new_member_is_laid_out_like_its_siblings() -> None:
    assert put('{\n    "a": 1\n}\n', PATH, {"x": []}) == (
        '{\n    "a": 1,\n    "servers": {\n        "ctx": {\n            "x": []\n        }\n    }\n}\n'
    )
    assert put('{"a": 1}', ("b",), [True]) == '{"a": 1, "b": [true]}'


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }\n", "{\n}\n"])
def test_an_empty_file_gets_a_first_member(text: str) -> None:
    written = put(text, PATH, ENTRY)
    assert read(written) == {"servers": {"ctx": ENTRY}}
    assert remove(written, PATH) == (text if text.strip() else "{}\n")


def test_comments_in_an_object_without_members_stay() -> None:
    text = '{\n  "servers": {\n    // none yet\n  }\n}\n'
    written = put(text, PATH, ENTRY)
    assert "// none yet\n" in written
    assert remove(written, PATH) == text


def test_a_value_is_replaced_where_it_stands() -> None:
    text = (
        '{\n  "servers": {\n    "ctx": {\n      "command": "old", // mine\n      "env": {}\n    }\n  }\n}\n'
    )
    assert put(text, (*PATH, "command"), "new") == text.replace("old", "new")


def test_of_two_members_of_one_name_the_last_counts() -> None:
    assert read(put('{"a": {"x": 1}, "a": {"y": 2}}', ("a", "z"), 3)) == {"a": {"y": 2, "z": 3}}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", 1),
        ('{\n"a": 1\n"b": 2}', 3),
        ('{"a": }', 1),
        ("{a: 1}", 1),
        ("{'a': 1}", 1),
        ('{"a": 01}', 1),
        ('{"a": nil}', 1),
        ('{"a": "x\ny"}', 1),
        ('{"a": [1, , 2]}', 1),
        ("{}\n\n}", 3),
        ("[]", 1),
        ('{"a": 1 /* open', 1),
        ('{"a": "\\x"}', 1),
    ],
)
def test_what_does_not_parse_is_named_by_line(text: str, line: int) -> None:
    for edit in (partial(put, value=ENTRY), remove):
        with pytest.raises(ValueError, match=f"^line {line}: .* was expected$"):
            edit(text, PATH)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read('{"a": ' + "[" * 100_000)


def test_a_container_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="`servers` is not an object"):
        put('{"servers": []}', PATH, ENTRY)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@settings(deadline=None, max_examples=60)
@given(
    data=st.dictionaries(st.text(max_size=6), VALUES, max_size=4),
    servers=st.none() | st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=3),
    indent=st.sampled_from([None, 2, 4, "\t"]),
)
def test_any_file_is_edited_and_restored(
    data: dict[str, Any], servers: dict[str, Any] | None, indent: int | str | None
) -> None:
    data = {key: value for key, value in data.items() if key != "servers"}
    if servers is not None:
        data["servers"] = {key: value for key, value in servers.items() if key != "ctx"} or {"x": 1}
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    written = put(text, PATH, ENTRY)
    assert read(written) == data | {"servers": data.get("servers", {}) | {"ctx": ENTRY}}
    assert remove(written, PATH) == text


def test_a_form_feed_at_the_end_of_a_comment_stays_in_it() -> None:
    """It is white space to Python and not to JSON; behind the comment it would spoil the file."""
    text = "{//\x0c\x0c\n }"
    new = put(text, ("servers", "ctxcache"), {"a": 1})
    assert read(new) == {"servers": {"ctxcache": {"a": 1}}}
    assert remove(new, ("servers", "ctxcache")) == text
