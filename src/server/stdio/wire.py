"""The wire: the process's standard input and output, taken away from everybody else.

While a server runs, descriptor 0 is the null device and descriptor 1 is standard error,
for Python, C code and child processes alike; the protocol has private ends.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from ...errors import IoError
from .ends import end_of

if TYPE_CHECKING:
    from .ends import End


class Wire:
    """The two ends of the protocol; used from one event loop."""

    def __init__(self, source: End, sink: End) -> None:
        """`source` is read, `sink` is written."""
        self._source = source
        self._sink = sink
        self._owed = memoryview(b"")  # the rest of a frame of which some is written
        self._turn = anyio.Lock(fast_acquire=True)
        self._thread = threading.Lock()

    @classmethod
    def claim(cls) -> Wire:
        """Take the standard streams of this process, for good. `IoError` if it has not all three."""
        # Python's streams, not the descriptors: whatever was opened since the start may be one of those.
        for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output"), (sys.__stderr__, "error")):
            if stream is None:
                raise IoError(f"standard {name} is closed: leave all three streams of the server open")
        source, sink = end_of(0), end_of(1)
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
