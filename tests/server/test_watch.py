"""`ctx serve --watch`: caches are rebuilt while they are served, by a process that outlives no server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .conftest import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Peer, Spawn

QUESTION = {"cache": "docs", "query": "words", "budget": 1000}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a cache that is not built yet."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "first.md").write_text("first words\n")
    (tmp_path / "ctx.toml").write_text('[caches.docs]\nsources = "docs"\ntokenizer = "bytes4"\n')
    return tmp_path


def ids(peer: Peer) -> list[str]:
    text = peer.call("context.resolve", **QUESTION)["result"]["content"][0]["text"]
    return sorted(each["id"] for each in json.loads(text)["documents"])


def test_what_changes_is_rebuilt_and_served_until_the_server_is_gone(spawn: Spawn, project: Path) -> None:
    peer = spawn("--watch", cwd=project)
    assert b"docs  built  1 document" in peer.error_lines(until="docs  built")[-1]
    peer.greet()
    assert ids(peer) == ["first.md"]
    (project / "docs" / "second.md").write_text("second words\n")
    peer.error_lines(until="docs  built")
    assert ids(peer) == ["first.md", "second.md"]
    peer.process.kill()  # no handler of the server's runs
    peer.process.wait(PATIENCE)
    _, errors = peer._threads
    errors.join(PATIENCE)
    assert not errors.is_alive(), "the watch holds standard error open as long as it lives"


def test_a_watch_needs_a_configuration(spawn: Spawn, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    peer = spawn("--watch", cwd=tmp_path)
    assert b"there is no ctx.toml here" in peer.error_lines(until="error:")[-1]
    assert peer.leave() == 1
