"""What was found out about files, kept while they stay as they were.

A server answers the same question about the same project many times. Nothing
here is ever shown: it only decides whether a file is read again.
"""

from __future__ import annotations

import os
import stat
import time
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")

_SETTLED_NS = 2 * 10**9
"""A file this young may change again without its times showing it, so it is not remembered."""


State: TypeAlias = tuple[int, int, int, int]
"""What tells one state of a file from another, without reading it: inode, size, and both times in ns."""


def state_of(status: os.stat_result) -> State:
    """The state that the system reports; all that it reports would take another 0.5 KB a file."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def state_at(path: str) -> State | None:
    """The state of a regular file, None for anything else, links included."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return state_of(status) if stat.S_ISREG(status.st_mode) else None


class Memo(Generic[T]):
    """One value a path, valid for one state of the file. Safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[State, T]] = {}

    def get(self, path: str, state: State) -> T | None:
        """The value that was kept for this state of the file, if any."""
        kept = self._kept.get(path)
        return kept[1] if kept is not None and kept[0] == state else None

    def keep(self, path: str, state: State, value: T) -> None:
        """Keep a value, unless the file is too young for its times to be trusted."""
        if time.time_ns() - max(state[2:]) > _SETTLED_NS:
            self._kept[path] = (state, value)
