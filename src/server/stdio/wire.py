"""The wire: the process's standard input and output, taken away from everybody else.

While a server runs, descriptor 0 is the null device and descriptor 1 is standard error,
for Python, C code and child processes alike; the protocol has private duplicates.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 1 << 16  # bytes: what a pipe holds


class Wire:
    """The two ends of the protocol, as descriptors that nobody else knows."""

    def __init__(self, source: int, sink: int) -> None:
        """`source` is read, `sink` is written; a parent may have left either non-blocking."""
        self._source = source
        self._sink = sink
        self._writing = threading.Lock()

    @classmethod
    def claim(cls) -> Wire:
        """Take the standard streams of this process, for good."""
        source, sink = _duplicate(0), _duplicate(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        return cls(source, sink)

    def chunks(self) -> Iterator[bytes]:
        """What arrives, as it arrives, until the other side closes."""
        while chunk := self._read():
            yield chunk

    def write(self, frame: bytes) -> None:
        """Write a whole frame; frames of several threads never mix. Raises `OSError`."""
        with self._writing:
            left = memoryview(frame)
            while left:
                try:
                    left = left[os.write(self._sink, left) :]
                except BlockingIOError:
                    select.select([], [self._sink], [])

    def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._source, _CHUNK)
            except BlockingIOError:
                select.select([self._source], [], [])
            except OSError:  # a terminal that hung up: nothing more will come
                return b""


def _duplicate(descriptor: int) -> int:
    """A private duplicate that no child inherits, above the standard ones."""
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
