"""Locks between builds, in one process or in several: held on open files, so that a kill frees them.

A process number would not do: two threads share one, and so may two containers on one volume.
Some network and virtual-machine file systems have no locks. There, nothing is held, and whoever
locks is told so.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF})
"""What systems say that cannot lock a file or a directory where it lies."""


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _free(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    @contextlib.contextmanager
    def locked(directory: Path) -> Iterator[bool]:
        """Hold nothing: Windows cannot open a directory, and a rename that meets another fails."""
        yield True

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _free(descriptor: int) -> None:
        # Closing would not do while a forked worker has a copy of the descriptor.
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    @contextlib.contextmanager
    def locked(directory: Path) -> Iterator[bool]:
        """Hold the lock of a directory, waiting for it; False where it cannot be locked. Raises `OSError`."""
        descriptor = os.open(directory, os.O_RDONLY)
        held = True
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
                held = False
            yield held
        finally:
            if held:
                _free(descriptor)
            os.close(descriptor)


class LockFile:
    """A file made anew and held by one build; free again once the build has ended, however it did."""

    def __init__(self, path: Path) -> None:
        """Make the file and hold it, where it can be locked. Raises `OSError`."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            _take(self._descriptor)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                os.close(self._descriptor)
                raise

    def release(self) -> None:
        """Free the file and close it."""
        with contextlib.suppress(OSError):  # where it could not be locked
            _free(self._descriptor)
        os.close(self._descriptor)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock file at `path`; one that the system refuses to open is not free."""
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        _take(descriptor)
        _free(descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
