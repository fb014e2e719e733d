"""The standard input and output of the process as private streams, without blocking where possible."""

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
    """A file descriptor that no other part of the process uses."""

    def __init__(self, descriptor: int, *, blocking: bool) -> None:
        """Without `blocking`, reads and writes raise `BlockingIOError`, and the descriptor can be polled."""
        self.descriptor = descriptor
        self.blocking = blocking

    def read(self) -> bytes:
        """The bytes that have arrived, at most `CHUNK`; empty at the end of the stream.

        Raises `BlockingIOError` if none have arrived, `OSError`.
        """
        while True:
            try:
                return os.read(self.descriptor, CHUNK)
            except BlockingIOError:
                if not self.blocking:
                    raise
                select.select([self.descriptor], [], [])  # the parent process made it non-blocking

    def write(self, data: memoryview) -> int:
        """Write some bytes; returns their number. Raises `BlockingIOError` if there is no room, `OSError`."""
        while True:
            try:
                return os.write(self.descriptor, data)
            except BlockingIOError:
                if not self.blocking:
                    raise
                select.select([], [self.descriptor], [])


class SocketStream(RawStream):
    """A socket, which several clients use instead of a pipe; each call says that it must not block."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, blocking=False)
        self._socket = socket.socket(fileno=descriptor)

    def read(self) -> bytes:
        """Read as `RawStream.read` does."""
        return self._socket.recv(CHUNK, socket.MSG_DONTWAIT)

    def write(self, data: memoryview) -> int:
        """Write as `RawStream.write` does."""
        return self._socket.send(data, socket.MSG_DONTWAIT)


def private_stream(standard: int) -> RawStream:
    """A stream on a private descriptor for a standard one, which must be open."""
    kind = os.fstat(standard).st_mode
    if sys.platform == "linux":  # macOS has `MSG_DONTWAIT` too, and blocks all the same
        if stat.S_ISSOCK(kind):
            return SocketStream(_duplicate(standard))
        if (stat.S_ISFIFO(kind) or os.isatty(standard)) and (reopened := _reopened(standard)):
            return RawStream(reopened, blocking=False)
    return RawStream(_duplicate(standard), blocking=True)


def _reopened(descriptor: int) -> int | None:
    """A non-blocking descriptor of the same pipe or terminal; None if the system cannot open it again."""
    import fcntl

    mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE  # `O_RDWR` may be what keeps a FIFO open
    try:
        opened = os.open(f"/proc/self/fd/{descriptor}", mode | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:  # no /proc, a pipe of another user, or a pipe without a reader
        return None
    try:
        return _duplicate(opened)
    finally:
        os.close(opened)


def _duplicate(descriptor: int) -> int:
    """A duplicate above the standard descriptors, which child processes do not inherit."""
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


class StdioTransport:
    """Reads bytes from one stream and writes frames to another; for one event loop."""

    def __init__(self, source: RawStream, sink: RawStream) -> None:
        """`source` is read, `sink` is written."""
        self._source = source
        self._sink = sink
        self._unwritten = memoryview(b"")
        """The rest of a frame that was written in part."""
        self._send_lock = anyio.Lock(fast_acquire=True)
        self._thread_lock = threading.Lock()

    @classmethod
    def claim(cls) -> StdioTransport:
        """Take the standard streams of this process. Raises `IoError` unless all three are open.

        From then on descriptor 0 is the null device, and what is printed goes to standard error.
        """
        # Python's streams, not the descriptors: a file opened since the start may have such a number.
        for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output"), (sys.__stderr__, "error")):
            if stream is None:
                raise IoError(f"standard {name} is closed: leave all three streams of the server open")
        source, sink = private_stream(0), private_stream(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        return cls(source, sink)

    async def receive(self) -> bytes:
        """The next bytes, as soon as some arrive; empty once the client has closed its side."""
        try:
            if self._source.blocking:
                return await to_thread.run_sync(self._source.read, abandon_on_cancel=True)
            while True:
                # Even if bytes have arrived already: a client that never stops must not hold the event loop.
                await anyio.wait_readable(self._source.descriptor)
                with suppress(BlockingIOError):
                    return self._source.read()
        except OSError:  # the terminal hung up, or the client died
            return b""

    async def send(self, frame: bytes) -> None:
        """Write a whole frame, after those before it. Raises `OSError`.

        It waits while the client does not read. If it is cancelled meanwhile, the rest of the frame is
        written before the next one.
        """
        async with self._send_lock:
            if self._sink.blocking:
                await to_thread.run_sync(self._write, frame, abandon_on_cancel=True)
                return
            await self.flush()
            self._unwritten = memoryview(frame)
            await self.flush()

    async def flush(self) -> None:
        """Write the rest of a frame that was written in part. Raises `OSError`."""
        while self._unwritten:
            try:
                self._unwritten = self._unwritten[self._sink.write(self._unwritten) :]
            except BlockingIOError:
                await anyio.wait_writable(self._sink.descriptor)

    def _write(self, frame: bytes) -> None:
        """Write a frame in a thread, which may be abandoned: a lock keeps the frames of threads whole."""
        with self._thread_lock:
            rest = memoryview(frame)
            while rest:
                rest = rest[self._sink.write(rest) :]
