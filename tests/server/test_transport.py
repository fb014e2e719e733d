"""What the protocol library leaves to us, on real processes."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from .conftest import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Peer, Spawn

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the gate of the slow server is a FIFO")

PING = b'{"jsonrpc":"2.0","id":"ping","method":"ping"}\n'


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A FIFO that holds up the slow server's `wait` until it is opened for writing."""
    path = tmp_path_factory.mktemp("gate") / "gate"
    os.mkfifo(path)
    return path


@pytest.fixture(scope="module")
def slow(spawn: Spawn, gate: Path) -> Peer:
    """A server with tools that block, fail and shout, for all tests that do not end it."""
    peer = spawn(gate, program="slow_server.py")
    peer.greet()
    return peer


@pytest.fixture
def ending(spawn: Spawn, gate: Path) -> Peer:
    """Another one, to be ended."""
    peer = spawn(gate, program="slow_server.py")
    peer.greet()
    return peer


def wait_call(id_: int | str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": "wait"}}


class Opened:
    """The gate held open: everybody who waits or comes later passes."""

    def __init__(self, gate: Path) -> None:
        self._gate = gate

    def __enter__(self) -> None:
        self._end = os.open(self._gate, os.O_WRONLY)  # waits for the first who waits

    def __exit__(self, *_: object) -> None:
        os.close(self._end)


def test_a_handler_that_raises_ends_as_internal_error(slow: Peer) -> None:
    """The text of the exception goes to people, in one line that a terminal can show, and to no client."""
    result = slow.call("fail")["result"]
    assert result["isError"]
    assert result["content"][0]["text"] == '{"error":{"code":"internal_error","message":"Internal error"}}\n'
    lines = [line for line in slow.error_lines(until="fail") if line.startswith(b"ctx serve: fail:")]
    assert lines == [rb"ctx serve: fail: internal_error: RuntimeError: /a/secret/path\n\x1b[2J is missing"]


def test_nothing_else_reaches_the_wire_or_reads_from_it(slow: Peer) -> None:
    """Python, C code and child processes that print do so on standard error."""
    result = slow.call("shout")["result"]
    assert result["structuredContent"] == {"text": "''"}, "standard input is empty for everybody else"
    assert "result" in slow.ask("ping")
    lines = slow.error_lines(until="from a child")
    assert {b"from Python", b"from the descriptor", b"from C", b"from a child"} <= set(lines)


def test_frames_are_ascii_and_decode_to_what_was_sent(slow: Peer) -> None:
    """Raw U+2028, U+2029 and U+0085 break clients that split lines; a lone surrogate has no UTF-8 form."""
    text = "ä 部署 🗃 \u2028 \u2029 \u0085 \ud800 \x00 \x7f \\u0041"
    slow.send(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": text}},
        }
    )
    line = slow.line()
    assert line.isascii()
    result = json.loads(line)["result"]
    assert result["structuredContent"] == {"text": text}
    assert json.loads(result["content"][0]["text"]) == {"text": text}


def test_fifty_slow_calls_delay_no_ping(slow: Peer, gate: Path) -> None:
    slow.send(*(wait_call(number) for number in range(50)))
    slow.send(PING)
    assert slow.receive()["id"] == "ping"
    with Opened(gate):
        assert sorted(slow.receive()["id"] for _ in range(50)) == list(range(50))


def test_a_cancelled_request_is_freed_and_not_answered(slow: Peer, gate: Path) -> None:
    """Those that did not begin never do; the id may be used again; `7` and `"7"` are two requests."""
    slow.send(wait_call(7), wait_call("7"), *(wait_call(number) for number in range(100, 130)))
    for id_ in (7, *range(100, 130), "unknown", None, True, 7.0):
        slow.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}})
    slow.send(PING)
    assert slow.receive()["id"] == "ping"
    slow.send({**wait_call(7), "params": {"name": "echo"}})
    with Opened(gate):
        assert {slow.receive()["id"], slow.receive()["id"]} == {"7", 7}
    assert slow.ask("ping", id_=8)["result"] == {}


def test_a_call_that_takes_too_long_ends_as_internal_error(spawn: Spawn, gate: Path) -> None:
    peer = spawn(gate, "0.2", program="slow_server.py")
    peer.greet()
    result = peer.call("wait")["result"]
    assert result["isError"]
    assert json.loads(result["content"][0]["text"])["error"]["code"] == "internal_error"
    assert peer.error_lines(until="wait")[-1] == b"ctx serve: wait: internal_error: no answer in time"
    assert "result" in peer.call("echo", text="still here")
    assert peer.leave() == 0


def test_requests_before_the_end_of_input_are_all_answered(ending: Peer, gate: Path) -> None:
    calls = [{**wait_call(number), "params": {"name": "echo"}} for number in range(40)]
    ending.send(*calls, wait_call("slow"), json.dumps(wait_call("last")).encode())  # without a line end
    ending.close_input()
    with Opened(gate):
        answers = ending.rest()
    assert {answer["id"] for answer in answers} == {*range(40), "slow", "last"}
    assert all("result" in answer for answer in answers)
    assert ending.leave() == 0


def test_a_call_that_never_ends_does_not_outlive_the_input(ending: Peer) -> None:
    """It is told that the connection closed, and the exit code is that of a good end."""
    ending.send(wait_call("stuck"))
    ending.close_input()
    assert [answer["error"]["message"] for answer in ending.rest()] == ["Connection closed"]
    assert ending.leave() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_with_work_in_flight(ending: Peer, number: signal.Signals) -> None:
    """Also while a read is blocked; a normal exit would wait for both."""
    ending.send(wait_call(1), PING)
    assert ending.receive()["id"] == "ping"
    ending.process.send_signal(number)
    assert ending.process.wait(PATIENCE) == 128 + number
    assert ending.errors == b""


def test_a_client_that_leaves_without_closing_the_input_ends_the_server(spawn: Spawn, gate: Path) -> None:
    """The first answer finds the pipe closed."""
    read_end, write_end = os.pipe()
    peer = spawn(gate, program="slow_server.py", stdout=write_end)
    os.close(write_end)
    os.close(read_end)
    peer.send(PING)
    assert peer.process.wait(PATIENCE) == 0
