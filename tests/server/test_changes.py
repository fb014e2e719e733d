"""What a client hears of a cache that was built anew: that the list of resources changed, and no more."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.server.subscriptions import ResourcesListChanged
from mcp_types import ResourceListChangedNotification

import ctxcache
from ctxcache.builder.config import BuildConfig

from .conftest import HELLO, PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Message, Peer, Spawn

CHANGED = "notifications/resources/list_changed"
META = "io.modelcontextprotocol"
STREAM = {f"{META}/subscriptionId": "mine"}


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    """A cache root with one cache."""
    (tmp_path / "sources").mkdir()
    rebuild(tmp_path, "first")
    return tmp_path / "root"


def rebuild(base: Path, text: str) -> None:
    (base / "sources" / f"{text}.md").write_text(f"{text} words")
    config = BuildConfig(tokenizer="bytes4")
    ctxcache.build(base / "sources", base / "root" / "cache", config=config, force=True, jobs=1)


def modern(peer: Peer, method: str, **params: object) -> None:
    """Send a request without a handshake."""
    meta = {f"{META}/protocolVersion": "2026-07-28", f"{META}/clientCapabilities": {}}
    id_ = "mine" if method == "subscriptions/listen" else 0
    peer.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params, "_meta": meta}})


def messages(peer: Peer, *, until: object) -> list[Message]:
    """The next messages, up to the answer with an id."""
    received = [peer.receive()]
    while received[-1].get("id") != until:
        received.append(peer.receive())
    return received


def test_a_client_with_a_handshake_hears_once_of_each_rebuild(spawn: Spawn, changing: Path) -> None:
    peer = spawn("--cache-root", changing)
    capabilities = peer.greet()["capabilities"]
    assert capabilities["resources"] == {"subscribe": False, "listChanged": True}
    assert capabilities["tools"] == {"listChanged": False}
    heard = []
    for name in ("", "second", "", "third"):
        if name:
            rebuild(changing.parent, name)
        arguments = {"cache": "cache", "query": "words", "budget": 100}
        call = {"name": "context.resolve", "arguments": arguments}
        peer.send({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": call})
        heard.append(messages(peer, until=0)[:-1])
    change = {"jsonrpc": "2.0", "method": CHANGED}  # strict clients drop a message whose `params` is null
    assert heard == [[], [change], [], [change]]


def test_a_stream_that_asked_for_it_hears_of_a_rebuild_under_its_own_id(spawn: Spawn, changing: Path) -> None:
    peer = spawn("--cache-root", changing)
    modern(peer, "resources/list")
    assert len(peer.receive()["result"]["resources"]) == 1
    wishes = {"resourcesListChanged": True, "toolsListChanged": True, "resourceSubscriptions": ["ctx:///x"]}
    modern(peer, "subscriptions/listen", notifications=wishes)
    heard = peer.receive()
    assert heard["method"] == "notifications/subscriptions/acknowledged"
    assert heard["params"] == {"notifications": {"resourcesListChanged": True}, "_meta": STREAM}
    rebuild(changing.parent, "second")
    modern(peer, "resources/list")
    received = [peer.receive(), peer.receive()]
    [answer] = [each for each in received if "result" in each]
    [change] = [each for each in received if "method" in each]
    assert len(answer["result"]["resources"]) == 2
    assert (change["method"], change["params"]["_meta"]) == (CHANGED, STREAM)
    peer.close_input()
    [end] = peer.rest()
    assert (end["id"], end["result"]["_meta"]) == ("mine", {**end["result"]["_meta"], **STREAM})
    assert peer.leave() == 0


def test_without_a_stream_a_later_version_hears_of_nothing(spawn: Spawn, changing: Path) -> None:
    peer = spawn("--cache-root", changing)
    for name in ("second", "third"):
        modern(peer, "resources/list")
        assert "result" in peer.receive()
        rebuild(changing.parent, name)
    modern(peer, "server/discover")
    capabilities = peer.receive()["result"]["capabilities"]
    assert capabilities["resources"] == {"subscribe": False, "listChanged": True}
    assert capabilities["tools"] == {"listChanged": False}


def test_a_cache_that_became_unreadable_is_told_of_when_it_is_one_again(spawn: Spawn, changing: Path) -> None:
    peer = spawn("--cache-root", changing)
    peer.ask("initialize", HELLO)
    assert peer.ask("resources/list")["result"]["resources"]
    (changing / "cache" / "manifest.json").unlink()
    assert not peer.ask("resources/list")["result"]["resources"]
    rebuild(changing.parent, "second")
    peer.send({"jsonrpc": "2.0", "id": 0, "method": "resources/list", "params": {}})
    assert [each.get("method") for each in messages(peer, until=0)] == [CHANGED, None]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_client_of_the_sdk_hears_of_a_rebuild(mode: str, changing: Path) -> None:
    anyio.run(partial(hear, mode, changing))


async def hear(mode: str, root: Path) -> None:
    """Call, rebuild, call, and wait for the word: as a message, or on a stream of the later version."""
    heard = anyio.Event()

    async def on_message(message: object) -> None:
        if isinstance(message, ResourceListChangedNotification):
            heard.set()

    server = StdioServerParameters(
        command=sys.executable, args=["-m", "ctxcache", "serve", "--cache-root", str(root)]
    )
    call = ("context.resolve", {"cache": "cache", "query": "words", "budget": 100})
    with anyio.fail_after(PATIENCE):
        async with Client(stdio_client(server), mode=mode, message_handler=on_message) as client:
            await client.call_tool(*call)
            if mode == "legacy":
                rebuild(root.parent, "second")
                await client.call_tool(*call)
                await heard.wait()
                return
            async with client.listen(resources_list_changed=True) as changes:
                rebuild(root.parent, "second")
                await client.call_tool(*call)
                assert isinstance(await anext(changes), ResourcesListChanged)
