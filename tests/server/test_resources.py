"""Documents as MCP resources: found by URI, listed by page, completed; an unknown one is told by era."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.errors import CacheInvalid
from ctxcache.server import resources as module
from ctxcache.server.resources import Resources, UnknownResource, uri_of
from ctxcache.server.service import RootedCaches

from .conftest import HELLO

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Peer, Spawn


@pytest.fixture
def resources(root: Path) -> Resources:
    return Resources(RootedCaches(root))


def test_each_listed_resource_is_the_document_of_its_uri(resources: Resources) -> None:
    found, cursor = resources.page(None)
    assert cursor is None
    assert [each.name for each in found[:3]] == ["billing.md", "deep/odd.md", "rollback.md"]
    for each in found:
        assert resources.read(each.uri).document.id == each.name


def test_uris_are_percent_encoded_but_for_slashes() -> None:
    assert uri_of("two words", "a/b c.md#ä~x_1-2.") == "ctx:///two%20words/a/b%20c.md%23%C3%A4~x_1-2."


def test_pages_together_are_the_whole_list(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = resources.page(None)
    for size in (1, 2, len(whole) - 1, len(whole)):
        monkeypatch.setattr(module, "PAGE", size)
        pages, cursor = resources.page(None)
        while cursor is not None:
            page, cursor = resources.page(cursor)
            assert 0 < len(page) <= size
            pages += page
        assert pages == whole


@pytest.mark.parametrize("cursor", ["", "x", "-1", "9" * 40])
def test_a_cursor_that_was_never_given_is_refused(resources: Resources, cursor: str) -> None:
    with pytest.raises(ValueError, match="cursor"):
        resources.page(cursor)


@pytest.mark.parametrize(
    "uri",
    [
        "", "ctx:///", "ctx:///handbook", "ctx:///handbook/", "ctx:///handbook/nothing.md", "ctx:///../other/x",
        "file:///handbook/billing.md", "ctx:///handbook/%ff", "ctx:///out/rollback.md", "ctx:///missing/billing.md",
    ],
)  # fmt: skip
def test_what_names_no_document_is_unknown(resources: Resources, uri: str) -> None:
    with pytest.raises(UnknownResource):
        resources.read(uri)


def test_a_document_of_a_damaged_cache_is_no_unknown_one(resources: Resources) -> None:
    with pytest.raises(CacheInvalid):
        resources.read("ctx:///damaged/deep/odd.md")


def test_names_of_caches_and_ids_are_completed(resources: Resources) -> None:
    assert resources.complete("cache", "ha", "") == ["handbook"]
    assert resources.complete("id", "de", "handbook") == ["deep/odd.md"]
    assert resources.complete("id", "de", "older") == ["deep/odd.md"]
    assert resources.complete("id", "x", "handbook") == resources.complete("id", "", "none") == []
    assert resources.complete("other", "", "handbook") == []


@pytest.fixture
def peer(spawn: Spawn, root: Path) -> Peer:
    peer = spawn("--cache-root", root)
    peer.greet()
    return peer


def test_resources_pass_over_the_wire(peer: Peer) -> None:
    listed = peer.ask("resources/list")["result"]["resources"]
    assert {"uri": "ctx:///handbook/deep/odd.md", "name": "deep/odd.md"}.items() <= listed[1].items()
    [content] = peer.ask("resources/read", {"uri": listed[1]["uri"]})["result"]["contents"]
    assert content["text"] == "# Odd \u2028 text\n\nÄrger, 部署, 🗃 and \u0085 in a deployment.\n"
    [template] = peer.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "ctx:///{+cache}/{+id}"
    completed = peer.ask(
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": template["uriTemplate"]},
            "argument": {"name": "id", "value": "bil"},
            "context": {"arguments": {"cache": "handbook"}},
        },
    )
    assert completed["result"]["completion"]["values"] == ["billing.md"]


def test_an_unknown_resource_has_the_code_of_its_era(peer: Peer, spawn: Spawn, root: Path) -> None:
    """And the URI that was asked for, as the protocol wishes it."""
    uri = "ctx:///handbook/none"
    modern = spawn("--cache-root", root)
    asked = peer.ask("resources/read", {"uri": uri})
    asked_later = modern.ask("resources/read", {"uri": uri, "_meta": meta("2026-07-28")})
    for code, answer in ((-32002, asked), (-32602, asked_later)):
        assert (answer["error"]["code"], answer["error"]["data"]) == (code, {"uri": uri})


def meta(version: str) -> dict[str, object]:
    """The envelope of a request without a handshake."""
    name = "io.modelcontextprotocol"
    return {f"{name}/protocolVersion": version, f"{name}/clientCapabilities": {}}


def test_a_client_that_probes_an_unknown_version_may_still_shake_hands(spawn: Spawn, root: Path) -> None:
    peer = spawn("--cache-root", root)
    refused = peer.ask("server/discover", {"_meta": meta("2099-01-01")})["error"]
    assert (refused["code"], refused["data"]["requested"]) == (-32022, "2099-01-01")
    assert peer.ask("initialize", HELLO)["result"]["serverInfo"]["name"] == "ctxcache"
