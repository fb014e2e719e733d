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


_Identity: TypeAlias = tuple[int, int, int, int]


def _identity(status: os.stat_result) -> _Identity:
    """What tells one state of a file from another, without reading it: inode, size and both times."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def status_of(path: str) -> os.stat_result | None:
    """The status of a regular file, None for anything else, links included."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


class Memo(Generic[T]):
    """One value a path, valid for one state of the file. Safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[_Identity, T]] = {}

    def get(self, path: str, status: os.stat_result) -> T | None:
        """The value that was kept for this state of the file, if any."""
        kept = self._kept.get(path)
        return kept[1] if kept is not None and kept[0] == _identity(status) else None

    def keep(self, path: str, status: os.stat_result, value: T) -> None:
        """Keep a value, unless the file is too young for its times to be trusted."""
        if time.time_ns() - max(status.st_ctime_ns, status.st_mtime_ns) > _SETTLED_NS:
            self._kept[path] = (_identity(status), value)
