"""The streams that a server may be given, and clients that are slow to read them."""

from __future__ import annotations

import json
import os
import select
import shlex
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from ctxcache.server.stdio.transport import RawStream, StdioTransport

from .conftest import HELLO, PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sockets and terminals as standard streams")

Message = dict[str, Any]


def request(id_: object, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def echo(id_: object, text: str) -> Message:
    return request(id_, "tools/call", name="echo", arguments={"text": text})


def as_lines(*messages: Message) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def started(stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    """A server between two descriptors."""
    program = [sys.executable, str(Path(__file__).parent / "slow_server.py"), "no gate"]
    return subprocess.Popen(program, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)


class Slow:
    """A client that reads when it is told to; it keeps the server's ends open, as a shell does a terminal."""

    def __init__(self, stdin: int, stdout: int, write_end: int, read_end: int) -> None:
        self.process = started(stdin, stdout)
        self.shared = {stdin, stdout}
        self.write_end = write_end
        self.read_end = read_end
        self._read = b""
        self.send(request(0, "initialize", **HELLO))
        assert self.receive()["id"] == 0

    def send(self, *messages: Message) -> None:
        """Write messages, each as a line."""
        left = memoryview(as_lines(*messages))
        while left:
            left = left[os.write(self.write_end, left) :]

    def receive(self) -> Message:
        """The next message."""
        while b"\n" not in self._read:
            assert select.select([self.read_end], [], [], PATIENCE)[0], "no answer"
            self._read += os.read(self.read_end, 1 << 16)
        line, _, self._read = self._read.partition(b"\n")
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def leave(self) -> int:
        """Close all ends."""
        for descriptor in {self.write_end, self.read_end} | self.shared:
            os.close(descriptor)
        return self.process.wait(PATIENCE)


def pipes() -> Slow:
    """A client behind two pipes."""
    (stdin, write_end), (read_end, stdout) = os.pipe(), os.pipe()
    return Slow(stdin, stdout, write_end, read_end)


def sockets() -> Slow:
    """A client behind one socket, as Node gives one for a pipe."""
    ours, theirs = (end.detach() for end in socket.socketpair())
    return Slow(theirs, theirs, ours, ours)


def terminal() -> Slow:
    """Somebody who types requests."""
    import pty
    import tty

    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    return Slow(theirs, theirs, ours, ours)


@pytest.fixture(params=[pipes, sockets])
def slow(request: pytest.FixtureRequest) -> Iterator[Slow]:
    """A slow client behind pipes, and one behind sockets."""
    client: Slow = request.param()
    yield client
    assert client.leave() == 0


def test_a_client_that_reads_late_gets_every_frame_whole(slow: Slow) -> None:
    texts = {number: f"{number} é " * 20_000 for number in range(30)}
    slow.send(*(echo(number, text) for number, text in texts.items()))
    answers = [slow.receive() for _ in texts]
    assert {answer["id"]: answer["result"]["structuredContent"]["text"] for answer in answers} == texts


@pytest.mark.parametrize("client", [pipes, sockets, terminal])
def test_a_stream_that_others_share_still_waits_for_them(client: Callable[[], Slow]) -> None:
    """The flag not to wait belongs to a stream, not to a process: set on it, it would hold for all."""
    slow = client()
    slow.send(echo(1, "typed"))
    assert slow.receive()["result"]["structuredContent"] == {"text": "typed"}
    assert all(map(os.get_blocking, slow.shared))
    assert slow.leave() == 0


def test_a_client_that_ends_its_input_and_reads_nothing_holds_no_server() -> None:
    """The answer to what stands last, behind one that nobody reads, never gets its turn."""
    (stdin, write_end), (read_end, stdout) = os.pipe(), os.pipe()
    with started(stdin, stdout) as process:
        for end in (stdin, stdout):
            os.close(end)
        asked = as_lines(request(0, "initialize", **HELLO), echo(1, "x" * 30_000), echo(2, "y" * 30_000))
        os.write(write_end, asked + b"no message, and no line end")
        os.close(write_end)
        try:
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            os.close(read_end)


def test_files_serve_as_streams(tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_bytes(as_lines(request(0, "initialize", **HELLO), echo(1, "é"), request(2, "ping")))
    answered.write_bytes(b"kept\n")
    with asked.open("rb") as stdin, answered.open("ab") as stdout:
        assert started(stdin.fileno(), stdout.fileno()).wait(PATIENCE) == 0
    kept, *lines = answered.read_bytes().splitlines()
    assert kept == b"kept"
    assert sorted(json.loads(line)["id"] for line in lines) == [0, 1, 2]


def test_the_null_device_ends_a_server_at_once() -> None:
    with Path(os.devnull).open("r+b") as null:
        assert started(null.fileno(), null.fileno()).wait(PATIENCE) == 0


@pytest.mark.parametrize("blocking", [True, False])
def test_frames_pass_also_where_reads_and_writes_wait(blocking: bool) -> None:
    """Other systems have no way not to wait, so threads do; here both, through one pipe."""
    frames = [bytes([65 + number]) * 300_000 + b"\n" for number in range(5)]

    async def through_a_pipe() -> bytes:
        reads, writes = os.pipe()
        if not blocking:
            os.set_blocking(reads, False)
            os.set_blocking(writes, False)
        wire = StdioTransport(RawStream(reads, blocking=blocking), RawStream(writes, blocking=blocking))
        received = b""
        async with anyio.create_task_group() as tasks:
            for frame in frames:
                tasks.start_soon(wire.send, frame)
            while len(received) < sum(map(len, frames)):
                received += await wire.receive()
        os.close(writes)
        assert await wire.receive() == b"", "the other side has closed"
        os.close(reads)
        return received

    assert anyio.run(through_a_pipe) == b"".join(frames)


def test_a_frame_that_is_half_written_goes_out_before_the_next() -> None:
    """Also when whoever wrote it was cancelled, as at the end of the input: no frame is ever torn."""
    first, second = b"1" * 1_000_000 + b"\n", b"2" * 1_000_000 + b"\n"

    async def through_a_pipe() -> bytes:
        reads, writes = os.pipe()
        for end in (reads, writes):
            os.set_blocking(end, False)
        wire = StdioTransport(RawStream(reads, blocking=False), RawStream(writes, blocking=False))
        received = b""
        async with anyio.create_task_group() as tasks:
            async with anyio.create_task_group() as cancelled:
                cancelled.start_soon(wire.send, first)
                await anyio.wait_readable(reads)
                cancelled.cancel_scope.cancel()
            tasks.start_soon(wire.send, second)
            with anyio.fail_after(PATIENCE):
                while len(received) < len(first + second):
                    received += await wire.receive()
        os.close(reads)
        os.close(writes)
        return received

    assert anyio.run(through_a_pipe) == first + second


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "1>&- 2>&-"])
def test_a_server_without_all_standard_streams_refuses_to_serve(closed: str, tmp_path: Path) -> None:
    """What it opens itself would become a standard stream, and what is printed would reach the wire."""
    program = shlex.join([sys.executable, str(Path(__file__).parent / "slow_server.py"), "no gate"])
    asked = tmp_path / "asked"
    asked.write_bytes(as_lines(request(0, "initialize", **HELLO)))
    served = subprocess.run(
        ["sh", "-c", f"exec {program} < {asked} {closed}"], capture_output=True, timeout=PATIENCE, check=False
    )
    assert served.returncode == 1
    assert served.stdout == b""


def test_a_fifo_that_is_opened_both_ways_outlasts_its_writers(tmp_path: Path) -> None:
    """A server at `<>fifo` waits for the next."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read_end, stdout = os.pipe()
    stdin = os.open(fifo, os.O_RDWR)
    client = Slow(stdin, stdout, os.open(fifo, os.O_WRONLY), read_end)
    os.close(stdin)
    client.shared = {stdout}
    for id_ in ("one", "another"):
        os.close(client.write_end)
        client.write_end = os.open(fifo, os.O_WRONLY)
        client.send(request(id_, "ping"))
        assert client.receive()["id"] == id_
    client.process.kill()
    client.leave()


def test_a_client_that_never_stops_does_not_hold_up_what_it_asked_for(slow: Slow) -> None:
    """Blank lines ask for nothing; however many there are, the loop is free for answers in between."""
    flooding = threading.Event()

    def flood() -> None:
        while not flooding.is_set():
            os.write(slow.write_end, b"\n" * 60_000)

    slow.send(echo("asked", "in time"))
    thread = threading.Thread(target=flood)
    thread.start()
    try:
        assert slow.receive()["id"] == "asked"
    finally:
        flooding.set()
        thread.join()
