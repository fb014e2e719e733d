"""Locks between processes and threads: held on open files, so that a kill frees them.

A process number would not do: two threads share one, and so may two containers on one volume.
Some network and virtual-machine file systems have no locks. There, nothing is held, and whoever
locks is told so; on Windows, where no directory is locked, whoever asks for one may go on.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF})
"""What systems say that cannot lock a file or a directory where it lies."""


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, wait: bool = False) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int, *, wait: bool = False) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        # Closing would not do while a forked worker has a copy of the descriptor.
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def locked(directory: Path) -> Iterator[bool]:
    """Hold the lock of a directory, waiting for it; False where it cannot be locked. Raises `OSError`.

    Windows cannot open a directory: nothing is held, and a rename that meets another fails.
    """
    if os.name == "nt":
        yield True
        return
    descriptor = os.open(directory, os.O_RDONLY)
    is_held = False
    try:
        is_held = wait_for_lock(descriptor)
        yield is_held
    finally:
        if is_held:
            _unlock(descriptor)
        os.close(descriptor)


def wait_for_lock(descriptor: int) -> bool:
    """Lock what is open once nobody else holds it; False where it cannot be locked. Raises `OSError`."""
    try:
        _lock(descriptor, wait=True)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        return False
    return True


def lock_if_free(descriptor: int) -> bool:
    """Lock what is open; False if another holds it, or the file system has no locks."""
    try:
        _lock(descriptor)
    except OSError:
        return False
    return True


class LockFile:
    """A file made anew and held by one build; free again once the build has ended, however it did."""

    def __init__(self, path: Path) -> None:
        """Make the file and hold it, where it can be locked. Raises `OSError`."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            _lock(self._descriptor)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                os.close(self._descriptor)
                raise

    def release(self) -> None:
        """Free the file and close it."""
        with suppress(OSError):  # where it could not be locked
            _unlock(self._descriptor)
        os.close(self._descriptor)


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock file at `path`; one that the system refuses to open is not free."""
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        if is_locked := lock_if_free(descriptor):
            _unlock(descriptor)
        return is_locked
    finally:
        os.close(descriptor)
