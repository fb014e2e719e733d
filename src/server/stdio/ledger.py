"""The requests that have no answer yet.

The server behind it sees numbers of our own instead of the client's ids: ids may repeat,
or differ only in type (`7`, `"7"`), and each request is still answered once, by its own id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from mcp_types import RequestId

REQUEST_COST = 16 * 1024  # bytes that a request costs in memory besides its own text, roughly


@dataclass(frozen=True, slots=True)
class _Open:
    id: RequestId
    cost: int


class Ledger:
    """Open requests by our number. For one event loop, not for threads."""

    def __init__(self, *, window: int) -> None:
        """`window` is how many bytes of requests may be open before no more are read."""
        self._window = window
        self._open: dict[int, _Open] = {}
        self._cost = 0
        self._last = 0
        self._changed: anyio.Event | None = None  # set and gone at the next answer, if somebody waits for one

    def open(self, id_: RequestId, size: int) -> int:
        """Enter a request of `size` bytes; returns our number for it."""
        self._last += 1
        entry = _Open(id_, size + REQUEST_COST)
        self._open[self._last] = entry
        self._cost += entry.cost
        return self._last

    def close(self, number: int) -> None:
        """Strike out a request that is answered, or needs no answer any more."""
        entry = self._open.pop(number, None)
        if entry is not None:
            self._cost -= entry.cost
            if self._changed is not None:
                self._changed.set()
                self._changed = None

    def id_of(self, number: int) -> RequestId | None:
        """The client's id of an open request."""
        entry = self._open.get(number)
        return entry.id if entry is not None else None

    def number_of(self, id_: object) -> int | None:
        """Our number of the latest open request with this id, of the same type."""
        for number, entry in reversed(self._open.items()):
            if type(entry.id) is type(id_) and entry.id == id_:
                return number
        return None

    async def room(self) -> None:
        """Wait until another request may come in; one may always, whatever its size."""
        while self._open and self._cost >= self._window:
            await self._answer()

    async def all_answered(self) -> None:
        """Wait until nothing is open."""
        while self._open:
            await self._answer()

    async def _answer(self) -> None:
        """Wait until a request is struck out."""
        if self._changed is None:
            self._changed = anyio.Event()
        await self._changed.wait()
