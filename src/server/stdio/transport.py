"""The process's standard input and output, taken away from everybody else, as streams that need not wait."""

from __future__ import annotations

import os
import select
import socket
import stat
import sys
import threading
from contextlib import suppress

import anyio
from anyio import to_thread

from ...errors import IoError

CHUNK = 1 << 16  # bytes: what a pipe holds


class RawStream:
    """A descriptor that nobody else knows."""

    def __init__(self, descriptor: int, *, waits: bool) -> None:
        """`waits`: reading and writing may wait; else they raise `BlockingIOError`, and it can be polled."""
        self.descriptor = descriptor
        self.waits = waits

    def read(self) -> bytes:
        """What has arrived, empty at the end. Raises `BlockingIOError` if nothing has, `OSError`."""
        while True:
            try:
                return os.read(self.descriptor, CHUNK)
            except BlockingIOError:
                if not self.waits:
                    raise
                select.select([self.descriptor], [], [])  # a parent may have left it so

    def write(self, data: memoryview) -> int:
        """Write some of it; returns how much. Raises `BlockingIOError` if there is no room, `OSError`."""
        while True:
            try:
                return os.write(self.descriptor, data)
            except BlockingIOError:
                if not self.waits:
                    raise
                select.select([], [self.descriptor], [])


class SocketStream(RawStream):
    """A socket, as several clients give one for a pipe; not to wait is asked for with each call."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, waits=False)
        self._socket = socket.socket(fileno=descriptor)

    def read(self) -> bytes:
        """As that of any descriptor."""
        return self._socket.recv(CHUNK, socket.MSG_DONTWAIT)

    def write(self, data: memoryview) -> int:
        """As that of any descriptor."""
        return self._socket.send(data, socket.MSG_DONTWAIT)


def take_over(standard: int) -> RawStream:
    """A standard stream, which must be open, under a descriptor of its own."""
    kind = os.fstat(standard).st_mode
    if sys.platform == "linux":  # macOS knows the flag of a socket too, and waits all the same
        if stat.S_ISSOCK(kind):
            return SocketStream(_duplicate(standard))
        if (stat.S_ISFIFO(kind) or os.isatty(standard)) and (reopened := _reopened(standard)):
            return RawStream(reopened, waits=False)
    return RawStream(_duplicate(standard), waits=True)


def _reopened(descriptor: int) -> int | None:
    """The same pipe or terminal opened once more, not to wait; None where the system has no such way."""
    import fcntl

    mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE  # both ways, as before, may keep a FIFO open
    try:
        opened = os.open(f"/proc/self/fd/{descriptor}", mode | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:  # no /proc, another user's pipe, nobody at the other side
        return None
    try:
        return _duplicate(opened)
    finally:
        os.close(opened)


def _duplicate(descriptor: int) -> int:
    """A private duplicate that no child inherits, above the standard ones."""
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


class StdioTransport:
    """The two ends of the protocol; used from one event loop."""

    def __init__(self, source: RawStream, sink: RawStream) -> None:
        """`source` is read, `sink` is written."""
        self._source = source
        self._sink = sink
        self._owed = memoryview(b"")  # the rest of a frame of which some is written
        self._turn = anyio.Lock(fast_acquire=True)
        self._thread = threading.Lock()

    @classmethod
    def claim(cls) -> StdioTransport:
        """Take the standard streams of this process, for good. `IoError` if it has not all three."""
        # Python's streams, not the descriptors: whatever was opened since the start may be one of those.
        for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output"), (sys.__stderr__, "error")):
            if stream is None:
                raise IoError(f"standard {name} is closed: leave all three streams of the server open")
        source, sink = take_over(0), take_over(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        return cls(source, sink)

    async def receive(self) -> bytes:
        """What arrives, as soon as something does; empty once the other side has closed."""
        try:
            if self._source.waits:
                return await to_thread.run_sync(self._source.read, abandon_on_cancel=True)
            while True:
                # Also where something has arrived already: a client that never stops must not keep the loop.
                await anyio.wait_readable(self._source.descriptor)
                with suppress(BlockingIOError):
                    return self._source.read()
        except OSError:  # a terminal that hung up, a client that died: nothing more will come
            return b""

    async def send(self, frame: bytes) -> None:
        """Write a whole frame, when those before it are written; raises `OSError`.

        A client that does not read holds up this, and nothing else. When that is cancelled, as at the
        end of the input, what is left of a frame that was begun goes out first of all that follows.
        """
        async with self._turn:
            if self._sink.waits:
                await to_thread.run_sync(self._write, frame, abandon_on_cancel=True)
                return
            await self.settle()
            self._owed = memoryview(frame)
            await self.settle()

    async def settle(self) -> None:
        """Write what is left of a frame that was begun; raises `OSError`."""
        while self._owed:
            try:
                self._owed = self._owed[self._sink.write(self._owed) :]
            except BlockingIOError:
                await anyio.wait_writable(self._sink.descriptor)

    def _write(self, frame: bytes) -> None:
        """From a thread, which may have been abandoned: frames of several threads never mix."""
        with self._thread:
            left = memoryview(frame)
            while left:
                left = left[self._sink.write(left) :]
