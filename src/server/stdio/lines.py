"""Cutting what arrives into lines, without ever holding a line that is too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class LineSplitter:
    """Bytes in, lines out; in place of a line above the limit comes None."""

    def __init__(self, limit: int) -> None:
        """`limit` is the longest line in bytes, its end not counted."""
        self._limit = limit
        self._held = bytearray()
        self._is_too_long = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """The lines that end in `data`; the rest is held until its end comes."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._hold(piece)
            yield self._take()
        self._hold(rest)

    def finish(self) -> Iterator[bytes | None]:
        """The last line, when the input ended without a line end."""
        if self._held or self._is_too_long:
            yield self._take()

    def _hold(self, piece: bytes) -> None:
        if self._is_too_long or len(self._held) + len(piece) > self._limit:
            self._is_too_long = True
            self._held.clear()
        else:
            self._held += piece

    def _take(self) -> bytes | None:
        line = None if self._is_too_long else bytes(self._held)
        self._is_too_long = False
        self._held.clear()
        return line
