"""A bounded pool of open caches, each known by what its `manifest.json` is on disk.

A cache that was opened stays open and serves all calls. A rebuild replaces the manifest in
one rename, so a look at that file says whether the open cache is still the one on disk; if
it is not, the next call gets a new one. A call in flight keeps the cache that it was given:
the files are closed when nobody refers to it any more.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from .manifest import manifest_stamp

if TYPE_CHECKING:
    from collections.abc import Callable

Opened = TypeVar("Opened")


class CachePool(Generic[Opened]):
    """Open caches by path; safe for any number of threads."""

    def __init__(self, opener: Callable[[str], Opened], *, capacity: int = 16) -> None:
        """`opener` opens the cache at a path; at most `capacity` of them are kept."""
        self._opener = opener
        self._capacity = capacity
        self._slots: OrderedDict[str, _Slot[Opened]] = OrderedDict()
        self._lock = Lock()
        self.replacements = 0
        """How often a call found another manifest than the one that the cache was opened by."""

    def get(self, path: str) -> Opened:
        """The cache at `path` as it is on disk now.

        Raises what the opener raises, and `CacheInvalid` or `IoError` for a manifest that
        cannot be looked at; a cache that cannot be opened is not kept.
        """
        slot = self._slot(path)
        with slot.lock:  # one thread opens, the others wait for what it opened
            # A rebuild that comes between stamp and opening leaves the newer cache under the older stamp, so
            # that the next call merely opens once more.
            stamp = manifest_stamp(path)
            if slot.stamp not in (None, stamp):
                with self._lock:
                    self.replacements += 1
            if slot.opened is None or slot.stamp != stamp:
                slot.stamp = stamp
                slot.opened = None  # close the old one even if there is no new one
                slot.opened = self._opener(path)
            return slot.opened

    def _slot(self, path: str) -> _Slot[Opened]:
        """The slot of `path`, now the last to be dropped; the first makes room for it."""
        with self._lock:
            slot = self._slots.setdefault(path, _Slot())
            self._slots.move_to_end(path)
            if len(self._slots) > self._capacity:
                self._slots.popitem(last=False)
        return slot


class _Slot(Generic[Opened]):
    """What is open at one path, and the stamp of the manifest that it was opened by."""

    def __init__(self) -> None:
        self.stamp: tuple[int, ...] | None = None
        self.opened: Opened | None = None
        self.lock = Lock()
