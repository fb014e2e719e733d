"""Reading from a cache directory, with the system's refusals told apart.

A cache may lie anywhere and hold anything: only regular files are opened, so that a FIFO
or a device under a known name cannot hang a reader.
"""

from __future__ import annotations

import errno
import os
import stat

from ..errors import CacheInvalid, CacheMissing, IoError

# A link is not followed, a FIFO does not block, no newline is translated.
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
LARGEST = 64 << 20
"""Bytes of a file that is read whole: parsing takes up to thirty times as much memory."""
LEADS_NOWHERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL})


def require_directory(path: str) -> None:
    """Raise `CacheMissing` unless `path` is a directory, `IoError` if the system will not say."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - pathlib costs a cold start 3 ms
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) or error.errno in LEADS_NOWHERE:
            raise CacheMissing(f"{path}: there is no cache; `ctx list` shows those of a directory") from None
        raise IoError(f"{path}: {error.strerror}") from None
    if not stat.S_ISDIR(mode):
        raise CacheMissing(f"{path}: not a directory, so not a cache")


def open_regular(path: str) -> int:
    """A file descriptor for the regular file at `path`.

    Raises `FileNotFoundError` when nothing is there, `CacheInvalid` when it is no regular
    file, `IoError` when the system refuses.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _SAFELY)
    except FileNotFoundError:
        raise
    except OSError as error:
        if os.path.islink(path):  # noqa: PTH114 - as above
            raise CacheInvalid(f"{path}: a symbolic link, not a file of a cache") from None
        raise IoError(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CacheInvalid(f"{path}: not a regular file")
    return descriptor


def read_regular(path: str, *, largest: int = LARGEST) -> bytes:
    """All bytes of the regular file at `path`, at most `largest`; errors as in `open_regular`."""
    with os.fdopen(open_regular(path), "rb") as file:
        if os.fstat(file.fileno()).st_size > largest:
            raise CacheInvalid(f"{path}: larger than {largest:,} bytes, which no such file of a cache is")
        try:
            return file.read(largest)
        except OSError as error:
            raise IoError(f"{path}: {error.strerror}") from None
