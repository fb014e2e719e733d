"""The SDK's own client against a real process, in each of its modes."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, TextContent, TextResourceContents

from ctxcache.cli import main

if TYPE_CHECKING:
    from pathlib import Path

HOUR = 3_600_000
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_client_of_the_sdk_is_served(mode: str, root: Path, tmp_path: Path) -> None:
    anyio.run(partial(converse, mode, root, tmp_path))


async def converse(mode: str, root: Path, project: Path) -> None:
    """List, call both families, fail in both ways; the client checks results against their schemas."""
    (project / "a.py").write_text("print()\n")
    arguments = ["-m", "ctxcache", "serve", "--cache-root", str(root), "--project", str(project)]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    async with Client(stdio_client(server), mode=mode) as client:
        listed = await client.list_tools()
        assert len(listed.tools) == 7
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed.tools)
        if mode != "legacy":
            assert (listed.ttl_ms, listed.cache_scope) == (HOUR, "public")
        found = await client.call_tool(
            "context.resolve", {"cache": "handbook", "query": "deployment", "budget": 4000}
        )
        assert not found.is_error
        (content,) = found.content
        assert isinstance(content, TextContent)
        assert json.loads(content.text) == found.structured_content
        missing = await client.call_tool("context_inspect_cache", {"cache": ".."})
        assert missing.is_error
        contexts = await client.call_tool("list_contexts")
        assert contexts.structured_content["root"] == str(project)
        with pytest.raises(MCPError, match="did you mean `cache`"):
            await client.call_tool("context.inspect_cache", {"cach": ".."})
        await read_on(client, found.structured_content["documents"][0]["id"], mode)


async def read_on(client: Client, id_: str, mode: str) -> None:
    """Read a document by its id and by its URI; both are told of in the instructions."""
    read = await client.call_tool("context.read_document", {"cache": "handbook", "id": id_})
    resources = (await client.list_resources()).resources
    uri = next(each.uri for each in resources if each.name == id_ and each.uri.startswith("ctx:///handbook/"))
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.text == read.structured_content["content"]
    with pytest.raises(MCPError) as unknown:
        await client.read_resource("ctx:///handbook/nothing.md")
    assert unknown.value.error.code == (-32002 if mode == "legacy" else INVALID_PARAMS)
    if mode != "2026-07-28":  # a client that takes the version for granted asks for no introduction
        assert '"handbook" (3 documents' in (client.instructions or "")


def test_a_configured_client_starts_the_server_from_anywhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a client does it: from the file that was written, in another directory, with a bare environment."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / "project").mkdir()
    arguments = ["--user", "--project", str(tmp_path / "project"), "--cache-root", str(root)]
    assert main(["install", "claude-code", *arguments]) == 0
    entry = json.loads((tmp_path / ".claude.json").read_text())["mcpServers"]["ctxcache"]
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "context.list_caches"}},
    ]
    ran = subprocess.run(
        [entry["command"], *entry["args"]],
        input="\n".join(map(json.dumps, requests)).encode(),
        capture_output=True,
        cwd="/",
        env=entry["env"],
        check=True,
    )
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, ran.stdout.splitlines())}
    listed = answers[3]["structuredContent"]["caches"]
    assert {"path": "handbook", "has_manifest": True} in listed
    assert ran.stderr == b""
