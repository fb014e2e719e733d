"""Editing TOML: one table is added or removed, and not a byte of the rest changes."""

from __future__ import annotations

import tomllib

import pytest

from ctxcache.server.install.toml_tables import put, read, remove

PATH = ("mcp_servers", "ctx")
ENTRY = {"command": "C:\\ctx", "args": ["serve", '"ä"']}

FILES = {
    "nothing": "",
    "a line": "\n",
    "a setting": "# my settings\nmodel = 'o' # the best\n",
    "no line end": "a = 1 # one",
    "blank lines at the end": "a = 1\n\n\n",
    "other servers": (
        "model='o'\n\n[mcp_servers.other]\ncommand='a' # a\n\n[mcp_servers.other.env]\nA='1'\n\n[tui]\nx=1\n"
    ),
    "windows": 'a = 1\r\n\r\n[b]\r\nc = """\r\n[mcp_servers.ctx]\r\n"""\r\n',
    "windows without line end": "a = 1\r\nb = 2",
    "what looks like a table": "a = [\n  1, # ]\n  '[mcp_servers.ctx]',\n]\nb = '''\n[mcp_servers.ctx]''''\n",
    "odd headers": "[ mcp_servers . 'a]\"b' ] # ours\nc = {d = ']'}\n[[list]]\n[[list]]\ne = \"\\\"[\"\n",
    "no numbers": "a = nan\nb = -inf\n",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_what_was_put_is_there_and_can_be_taken_out_without_a_trace(text: str) -> None:
    written = put(text, PATH, ENTRY)
    expected = read(text)
    expected.setdefault("mcp_servers", {})["ctx"] = ENTRY
    assert repr(read(written)) == repr(expected)
    assert tomllib.loads(written)["mcp_servers"]["ctx"] == ENTRY
    assert written.startswith(text)
    assert remove(written, PATH) == text


def test_comments_of_the_next_table_stay_when_a_table_goes() -> None:
    """Comments behind the last assignment of a table belong to what follows."""
    rest = "\n# what follows\n\n# my colours\n[tui]\nx = 1\n"
    ours = "[mcp_servers.ctx]\n# run\ncommand = 'a' # b\n\n[mcp_servers.ctx.env]\nA = '1'\n"
    assert remove(f"a = 1\n\n{ours}{rest}", PATH) == f"a = 1\n{rest}"


def test_a_value_is_replaced_where_it_stands() -> None:
    text = "[mcp_servers.ctx]\ncommand = 'old' # mine\nenabled = true\n\n[tui]\nx = 1\n"
    assert put(text, (*PATH, "command"), "new") == text.replace("'old'", '"new"')


def test_a_key_that_a_table_lacks_becomes_its_last() -> None:
    text = "[mcp_servers.ctx]\nenabled = true\n\n# more\n[tui]\nx = 1\n"
    written = put(text, (*PATH, "args"), ["a"])
    assert written == text.replace("true\n", 'true\nargs = ["a"]\n')


@pytest.mark.parametrize(
    "text", ["mcp_servers.ctx.command = 'a'\n", "[mcp_servers]\nctx = {command = 'a'}\n"]
)
def test_a_table_without_a_header_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"`mcp_servers\.ctx` is not written as a table of its own"):
        put(text, (*PATH, "command"), "b")
    assert remove(text, PATH) == text


def test_what_does_not_parse_is_named_by_line() -> None:
    with pytest.raises(ValueError, match="line 2"):
        put("a = 1\nb =\n", PATH, ENTRY)


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        read("a = " + "[" * 100_000)


def test_a_container_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="`mcp_servers` is not a table"):
        put("mcp_servers = 1\n", PATH, ENTRY)
    assert remove("mcp_servers = 1\n", PATH) == "mcp_servers = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "[mcp_servers.ctx]\n",
        "mcp_servers = {}\n",
        "mcp_servers = {other = {command = 'a'}}\n",
        "mcp_servers.ctx.command = 'a'\n",
        "[mcp_servers]\nctx = 1\n",
        "[[mcp_servers.ctx]]\n",
    ],
)
def test_what_would_no_longer_parse_is_never_written(text: str) -> None:
    """A table that is there already, or one written inline, takes no table behind the rest."""
    with pytest.raises(ValueError, match=r"`mcp_servers\.ctx` cannot be added to the tables that are there"):
        put(text, PATH, ENTRY)


def test_a_key_that_has_a_table_of_its_own_is_not_assigned() -> None:
    text = "[mcp_servers.ctx]\nenabled = true\n[mcp_servers.ctx.command]\n"
    with pytest.raises(ValueError, match=r"`mcp_servers\.ctx\.command` cannot be added"):
        put(text, (*PATH, "command"), "a")
