"""Editing TOML: one table changes, everything else stays as it was written."""

from __future__ import annotations

import tomllib

import pytest

from ctxcache.server.install.toml_edits import put, read, remove

PATH = ("mcp_servers", "ctx")
ENTRY = {"command": "C:\\ctx", "args": ["serve", '"ä"']}

FILES = {
    "nothing": "",
    "a setting": "# my settings\nmodel = 'o' # the best\n",
    "other servers": (
        "model='o'\n\n[mcp_servers.other]\ncommand='a' # a\n\n[mcp_servers.other.env]\nA='1'\n\n[tui]\nx=1\n"
    ),
    "windows": 'a = 1\r\n\r\n[b]\r\nc = """\r\n[mcp_servers.ctx]\r\n"""\r\n',
    "an inline table": "mcp_servers = {other = {command = 'x'}}\n",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_what_was_put_is_there_and_can_be_taken_out_without_a_trace(text: str) -> None:
    written = put(text, PATH, ENTRY)
    expected = read(text)
    expected.setdefault("mcp_servers", {})["ctx"] = ENTRY
    assert read(written) == expected
    assert tomllib.loads(written)["mcp_servers"]["ctx"] == ENTRY
    assert remove(written, PATH) == text


def test_a_value_is_replaced_where_it_stands() -> None:
    text = "[mcp_servers.ctx]\ncommand = 'old' # mine\nenabled = true\n\n[tui]\nx = 1\n"
    assert put(text, (*PATH, "command"), "new") == text.replace("'old'", '"new"')


def test_what_does_not_parse_is_named_by_line() -> None:
    with pytest.raises(ValueError, match="line 2"):
        put("a = 1\nb =\n", PATH, ENTRY)


def test_a_container_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="`mcp_servers` is not a table"):
        put("mcp_servers = 1\n", PATH, ENTRY)
    assert remove("mcp_servers = 1\n", PATH) == "mcp_servers = 1\n"
