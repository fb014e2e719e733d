"""The server beside a bare one of the SDK: its start, its calls, its memory.

`python -m benchmarks.server` prints one table, with the machine that it ran on. The bare server answers each
call with one answer of ours that it holds ready, so that what is above it is the search and our promises.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import ctxcache
from ctxcache.builder.build import build

from .speed.corpus import Corpus, distinct, given

BARE = """
import json, sys
import anyio, mcp_types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

text = open(sys.argv[1], encoding="utf-8").read() if len(sys.argv) > 1 else "{}"
result = mcp_types.CallToolResult(
    content=[mcp_types.TextContent(type="text", text=text)], structured_content=json.loads(text)
)

async def call(_, params):
    return result

async def main():
    server = Server("bare", version="1", on_call_tool=call)
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())

anyio.run(main)
"""
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
DOCUMENT_WORDS = 120
BUDGET = 4000
WARM_UP = 50  # calls before the first that counts


class Server:
    """A process that answers lines."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, method: str, params: dict[str, Any]) -> bytes:
        """The answer to one request, as a line: what a client makes of it is not the server's time."""
        self.send(method, params)
        return self.receive()

    def send(self, method: str, params: dict[str, Any], id_: int = 1) -> None:
        """Send a request."""
        assert self.process.stdin is not None
        request = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> bytes:
        """The next answer, as a line."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def own_memory(self) -> float:
        """MB that are the process's own, mapped files left out; 0 where the system does not tell."""
        try:
            lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            return 0.0
        return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1000

    def leave(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()


def main() -> None:
    """Measure both and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=15)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--calls", type=int, default=1_000)
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        caches = Path(folder)
        measure_starts(caches, options.starts)
        for documents in options.documents:
            corpus = distinct(documents, words=DOCUMENT_WORDS, queries=options.calls)
            build(given(corpus), caches / "cache", force=True)
            measure_calls(caches, corpus, options.calls)


def measure_starts(caches: Path, times: int) -> None:
    """Both servers by turns, so that a busy moment hits both."""
    taken: dict[str, list[float]] = {"bare server": [], "ctx serve": []}
    for _ in range(times + 1):
        for name, arguments in zip(taken, (("-c", BARE), ours(caches)), strict=True):
            before = time.perf_counter()
            server = Server(*arguments)
            server.ask("initialize", HELLO)
            taken[name].append(time.perf_counter() - before)
            server.leave()
    medians = {name: statistics.median(each[1:]) for name, each in taken.items()}  # the first fills caches
    bare = medians["bare server"]
    for name, median in medians.items():
        print(f"spawn to the answer of initialize, {name:12} {median * 1000:7.1f} ms  {median / bare:5.2f}")


def measure_calls(caches: Path, corpus: Corpus, times: int) -> None:
    """New questions of 1, 3 and 8 words to both servers by turns; one call and eight at once."""
    questions = [query for queries in zip(*corpus.queries.values(), strict=True) for query in queries]
    questions = questions[: times + WARM_UP]
    answer = caches / "answer.json"
    answer.write_text(ctxcache.resolve(caches / "cache", questions[1], BUDGET).to_json(), "utf-8")
    servers = {"bare server": Server("-c", BARE, str(answer)), "ctx serve": Server(*ours(caches))}
    taken: dict[str, list[float]] = {name: [] for name in servers}
    for server in servers.values():
        server.ask("initialize", HELLO)
    for question in questions:
        for name, server in servers.items():
            before = time.perf_counter()
            found = server.ask("tools/call", call(question))
            taken[name].append(time.perf_counter() - before)
            assert not json.loads(found)["result"].get("isError"), found
    title = f"context.resolve, {len(corpus.texts):,} documents"
    for name, each in taken.items():
        found_ms = sorted(seconds * 1000 for seconds in each[WARM_UP:])
        parts = [f"p{share} {found_ms[len(found_ms) * share // 100]:6.2f}" for share in (50, 95, 99)]
        print(f"{title}, {name:12} {'  '.join(parts)} ms")
    for name, server in servers.items():
        each_ms = in_flight(server, questions, 8) * 1000
        print(f"{title}, {name:12} 8 at once: {each_ms:6.2f} ms a call")
    print(f"{title}, ctx serve    own memory {servers['ctx serve'].own_memory():.0f} MB")
    for server in servers.values():
        server.leave()


def in_flight(server: Server, questions: list[str], at_once: int) -> float:
    """Seconds a call when so many are always open."""
    before = time.perf_counter()
    for number, question in enumerate(questions):
        server.send("tools/call", call(question), number)
        if number >= at_once:
            server.receive()
    for _ in range(at_once):
        server.receive()
    return (time.perf_counter() - before) / len(questions)


def call(question: str) -> dict[str, Any]:
    """The parameters of a call."""
    arguments = {"cache": "cache", "query": question, "budget": BUDGET}
    return {"name": "context.resolve", "arguments": arguments}


def ours(caches: Path) -> tuple[str, ...]:
    """The command that serves these caches."""
    return ("-m", "ctxcache", "serve", "--cache-root", str(caches))


if __name__ == "__main__":
    main()
