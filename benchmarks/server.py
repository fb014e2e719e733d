"""The server beside a bare one: spawn to the answer of `initialize`; calls on a cache of 10,000 documents.

`python -m benchmarks.server` prints one table, with the machine that it ran on.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import ctxcache

BARE = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def main():
    server = Server("bare", version="1")
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())

anyio.run(main)
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
WORDS = 20_000  # of the made-up language, drawn by Zipf's law
DOCUMENT_WORDS = 120


class Server:
    """A process that answers lines."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert isinstance(answer, dict)
        return answer

    def leave(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()


def main() -> None:
    """Measure both and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=15)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=1_000)
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        caches = Path(folder) / "caches"
        build(Path(folder) / "sources", caches / "cache", options.documents)
        starts(caches, options.starts)
        calls(caches, options.calls, options.documents)


def starts(caches: Path, times: int) -> None:
    """Both servers by turns, so that a busy moment hits both."""
    ours = ("-m", "ctxcache", "serve", "--cache-root", str(caches))
    taken: dict[str, list[float]] = {"bare SDK server": [], "ctx serve": []}
    for _ in range(times + 1):
        for name, arguments in zip(taken, (("-c", BARE), ours), strict=True):
            before = time.perf_counter()
            server = Server(*arguments)
            server.ask("initialize", HELLO)
            taken[name].append(time.perf_counter() - before)
            server.leave()
    medians = {name: statistics.median(each[1:]) for name, each in taken.items()}  # the first fills caches
    bare = medians["bare SDK server"]
    for name, median in medians.items():
        print(f"spawn to the answer of initialize, {name:16} {median * 1000:7.1f} ms  {median / bare:5.2f}")


def calls(caches: Path, times: int, documents: int) -> None:
    """Questions of one to eight words, a new one each time."""
    server = Server("-m", "ctxcache", "serve", "--cache-root", str(caches))
    server.ask("initialize", HELLO)
    chance = random.Random(1)
    taken = []
    for _ in range(times + 20):
        arguments = {"cache": "cache", "query": text(chance, chance.randint(1, 8)), "budget": 4000}
        before = time.perf_counter()
        answer = server.ask("tools/call", {"name": "context.resolve", "arguments": arguments})
        taken.append(time.perf_counter() - before)
        assert not answer["result"]["isError"]
    server.leave()
    taken = sorted(taken[20:])
    for share in (0.5, 0.99):
        found = taken[int(share * (len(taken) - 1))]
        print(f"context.resolve, {documents:,} documents, p{share * 100:.0f}  {found * 1000:27.2f} ms")


def build(sources: Path, cache: Path, documents: int) -> None:
    """A cache of made-up documents."""
    chance = random.Random(0)
    sources.mkdir()
    for number in range(documents):
        (sources / f"{number:06}.md").write_text(f"# {text(chance, 5)}\n\n{text(chance, DOCUMENT_WORDS)}\n")
    ctxcache.build(sources, cache)


def text(chance: random.Random, words: int) -> str:
    """Words of the made-up language."""
    return " ".join(f"w{int(WORDS ** chance.random())}" for _ in range(words))


if __name__ == "__main__":
    main()
