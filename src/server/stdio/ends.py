"""The ends of the wire: the standard streams, as descriptors of our own that need not wait.

A thread for each read and each write costs a change of thread, 0.15 ms of a call. So an end is
read and written without waiting wherever the system has a way that nobody else notices: a flag
set on the stream itself would hold for every process that shares it.
"""

from __future__ import annotations

import os
import select
import socket
import stat
import sys
from typing import Protocol

CHUNK = 1 << 16  # bytes: what a pipe holds


class End(Protocol):
    """A descriptor that nobody else knows."""

    descriptor: int
    waits: bool
    """Whether reading and writing may wait; else they raise `BlockingIOError`, and it can be polled."""

    def read(self) -> bytes:
        """What has arrived, empty at the end. Raises `BlockingIOError` if nothing has, `OSError`."""

    def write(self, data: memoryview) -> int:
        """Write some of it; returns how much. Raises `BlockingIOError` if there is no room, `OSError`."""


class Plain:
    """A descriptor as it is; whether it waits was found out by whoever opened it."""

    def __init__(self, descriptor: int, *, waits: bool) -> None:
        self.descriptor = descriptor
        self.waits = waits

    def read(self) -> bytes:
        """What has arrived, empty at the end."""
        while True:
            try:
                return os.read(self.descriptor, CHUNK)
            except BlockingIOError:
                if not self.waits:
                    raise
                select.select([self.descriptor], [], [])  # a parent may have left it so

    def write(self, data: memoryview) -> int:
        """Write some of it."""
        while True:
            try:
                return os.write(self.descriptor, data)
            except BlockingIOError:
                if not self.waits:
                    raise
                select.select([], [self.descriptor], [])


class Socket:
    """A socket, as several clients give one for a pipe; not to wait is asked for with each call."""

    waits = False

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._socket = socket.socket(fileno=descriptor)

    def read(self) -> bytes:
        """What has arrived, empty at the end."""
        return self._socket.recv(CHUNK, socket.MSG_DONTWAIT)

    def write(self, data: memoryview) -> int:
        """Write some of it."""
        return self._socket.send(data, socket.MSG_DONTWAIT)


def end_of(standard: int) -> End:
    """An end for a standard stream, which must be open."""
    kind = os.fstat(standard).st_mode
    if sys.platform == "linux":  # macOS knows the flag of a socket too, and waits all the same
        if stat.S_ISSOCK(kind):
            return Socket(_duplicate(standard))
        if (stat.S_ISFIFO(kind) or os.isatty(standard)) and (reopened := _reopened(standard)):
            return Plain(reopened, waits=False)
    return Plain(_duplicate(standard), waits=True)


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
