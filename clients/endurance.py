"""What the server promises about time, measured on real processes, many times over.

Piped requests and an end of input, 50 times; signals with work in flight; a ping behind
50 slow calls. `make clients` runs this.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from importlib import util
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1] / "tests" / "server"
ENDS = 50
SIGNALS = 5  # of each kind
CALLS = 50
GONE_WITHIN, PING_WITHIN = 0.3, 0.05  # seconds


def main() -> None:
    """Run all checks; the first that fails ends the program."""
    with tempfile.TemporaryDirectory() as folder:
        gate = Path(folder) / "gate"
        os.mkfifo(gate)
        ends(gate)
        for number in (signal.SIGINT, signal.SIGTERM):
            signals(gate, number)
        pings(gate)


def ends(gate: Path) -> None:
    """Requests and the end of input in one write: all are answered, the exit code is 0."""
    hello = call(
        0,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "x", "version": "1"},
    )
    calls = [
        call(number, "tools/call", name="echo", arguments={"text": "x" * number}) for number in range(1, 20)
    ]
    for _ in range(ENDS):
        peer = start(gate)
        peer.send(b"".join([hello, *calls]))
        peer.close_input()
        answers = peer.rest()
        assert {answer["id"] for answer in answers} == set(range(20)), answers
        assert all("result" in answer for answer in answers)
        assert peer.leave() == 0
    print(f"end of input behind 20 requests: all answered, exit code 0, {ENDS} times of {ENDS}")


def signals(gate: Path, number: signal.Signals) -> None:
    """A signal while calls are at work and a read is blocked."""
    slowest = 0.0
    for _ in range(SIGNALS):
        peer = busy(gate)
        before = time.perf_counter()
        peer.process.send_signal(number)
        assert peer.process.wait(10) == 128 + number
        slowest = max(slowest, time.perf_counter() - before)
        peer.leave()
    print(f"{number.name} with {CALLS} calls in flight: gone within {slowest * 1000:.0f} ms")
    assert slowest < GONE_WITHIN


def pings(gate: Path) -> None:
    """A ping behind slow calls."""
    peer = busy(gate)
    times = []
    for _ in range(20):
        before = time.perf_counter()
        peer.ask("ping", id_="ping")
        times.append(time.perf_counter() - before)
    peer.process.kill()
    peer.leave()
    print(f"ping behind {CALLS} slow calls: {min(times) * 1000:.1f} to {max(times) * 1000:.1f} ms")
    assert max(times) < PING_WITHIN


def busy(gate: Path) -> Any:
    """A server at work on calls that do not end."""
    peer = start(gate)
    peer.greet()
    peer.send(b"".join(call(number, "tools/call", name="wait") for number in range(CALLS)))
    peer.ask("ping", id_="ping")
    return peer


def call(id_: int, method: str, **params: Any) -> bytes:
    """A request as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


def start(gate: Path) -> Any:
    """The tests' server with tools that block, and the tests' client of it."""
    return _tests.Peer([str(TESTS / "slow_server.py"), str(gate)])


def _load_tests() -> Any:
    spec = util.spec_from_file_location("server_tests", TESTS / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


_tests = _load_tests()

if __name__ == "__main__":
    main()
