"""A server under test as a process, and a client of it that knows nothing but lines of JSON."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ctxcache
from ctxcache.builder.config import BuildConfig

PATIENCE = 120  # seconds before a test gives up on an answer: a busy machine may take long
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
Message = dict[str, Any]


class Peer:
    """The other side of a server process."""

    def __init__(self, arguments: list[str], **options: Any) -> None:
        channels = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen([sys.executable, *arguments], **{**channels, **options})
        self.errors = b""
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._error_lines: queue.Queue[bytes] = queue.Queue()
        self._threads = [threading.Thread(target=target) for target in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        for line in self.process.stderr or ():
            self.errors += line
            self._error_lines.put(line.rstrip(b"\n"))

    def send(self, *messages: Message | list[Any] | bytes) -> None:
        """Write each message as a line; bytes are written as they are."""
        assert self.process.stdin is not None
        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self) -> bytes:
        """The next line, as it is on the wire."""
        line = self._lines.get(timeout=PATIENCE)
        assert line is not None, "the server left"
        return line

    def receive(self) -> Message:
        """The next message."""
        message = json.loads(self.line())
        assert isinstance(message, dict)
        return message

    def rest(self) -> list[Message]:
        """All messages until the server leaves."""
        lines = iter(lambda: self._lines.get(timeout=PATIENCE), None)
        return [json.loads(line) for line in lines]

    def error_lines(self, *, until: str) -> list[bytes]:
        """The next lines on standard error, up to the first that holds `until`."""
        lines = [self._error_lines.get(timeout=PATIENCE)]
        while until.encode() not in lines[-1]:
            lines.append(self._error_lines.get(timeout=PATIENCE))
        return lines

    def ask(self, method: str, params: Message | None = None, *, id_: object = 0) -> Message:
        """The answer to one request; notifications before it are passed over."""
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}})
        answer = self.receive()
        while "id" not in answer:
            answer = self.receive()
        assert answer["id"] == id_
        return answer

    def greet(self) -> Message:
        """The handshake."""
        answer = self.ask("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        result = answer["result"]
        assert isinstance(result, dict)
        return result

    def call(self, name: str, **arguments: Any) -> Message:
        """The answer to one call."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def peak_memory(self) -> int:
        """The most memory that the server had until now, in bytes; 0 where the system does not say."""
        status = Path(f"/proc/{self.process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))

    def close_input(self) -> None:
        """Say that nothing more will come."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def leave(self) -> int:
        """End the server by closing its input; returns its exit code."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            for thread in self._threads:
                thread.join()
            for pipe in (self.process.stdout, self.process.stderr):
                if pipe is not None:
                    pipe.close()
        return code


Spawn = Callable[..., Peer]


@pytest.fixture(scope="module")
def spawn() -> Iterator[Spawn]:
    """Start `ctx serve` with these options, or a `program` of this folder with these arguments."""
    peers: list[Peer] = []

    def start(*arguments: str | Path, program: str | None = None, **options: Any) -> Peer:
        command = ["-m", "ctxcache", "serve"] if program is None else [str(Path(__file__).parent / program)]
        peers.append(Peer([*command, *map(str, arguments)], **options))
        return peers[-1]

    yield start
    for peer in peers:
        if peer.process.poll() is None:
            peer.process.kill()
        peer.leave()


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache root with a cache in each format, an empty one, a damaged one, and what is no cache."""
    base = tmp_path_factory.mktemp("caches")
    sources, caches = base / "sources", base / "root"
    (sources / "deep").mkdir(parents=True)
    (sources / "rollback.md").write_text("# Roll back\n\nTo roll back a deployment, redeploy the old tag.\n")
    (sources / "deep" / "odd.md").write_text(
        "# Odd \u2028 text\n\nÄrger, 部署, 🗃 and \u0085 in a deployment.\n"
    )
    (sources / "billing.md").write_text("# Billing\n\nInvoices are sent on the first of each month.\n" * 20)
    for profile, name in (("v2", "handbook"), ("v0", "older"), ("v2", "damaged")):
        config = BuildConfig(profile="v0") if profile == "v0" else BuildConfig(tokenizer="bytes4")
        ctxcache.build(sources, caches / name, config=config, jobs=1)
    (base / "nothing").mkdir()
    ctxcache.build(base / "nothing", caches / "two words", config=BuildConfig(tokenizer="bytes4"), jobs=1)
    manifest = caches / "damaged" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("bm25f-2", "bm25f-9"))
    (caches / "no manifest").mkdir()
    (caches / "notes.txt").write_text("a file")
    if os.name == "posix":
        (caches / "out").symlink_to(base / "sources")
    return caches
