"""Reading a regular file below a folder, and nothing else.

Between the walk and the read a name may become a link, a pipe or a device. No component below
the root is followed as a link, a pipe is opened without waiting for a writer, and what is not a
regular file is refused before a byte is read.
"""

from __future__ import annotations

import errno
import os
import stat

# Windows lacks these flags, and `dir_fd`; a file there is opened by its whole path.
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_FILE = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CHUNK = 1 << 20


class NotRegular(OSError):
    """There is something else than a regular file."""


def read_beneath(root: bytes, name: bytes, limit: int) -> bytes:
    """Read at most `limit` bytes of `root/name`; NotRegular or another OSError if that cannot be."""
    descriptor = _open(root, name)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegular
        return _read(descriptor, limit)
    finally:
        os.close(descriptor)


def is_unreadable(error: OSError) -> bool:
    """Whether the system refused to read what is there; else it is nothing that is read, or has vanished."""
    gone = isinstance(error, (NotRegular, FileNotFoundError, NotADirectoryError))
    return not gone and error.errno not in (errno.ENXIO, errno.ELOOP)


def why_unreadable(error: OSError) -> str:
    """Say why the system refused, in words that are equal on every machine."""
    if isinstance(error, NotRegular):
        return "not a regular file"
    if isinstance(error, PermissionError):
        return "unreadable (permission denied)"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "vanished while the folder was read"
    if error.errno == errno.ENXIO:
        return "not a regular file (socket)"
    if error.errno == errno.ELOOP:
        return "symbolic link, not followed"
    return f"unreadable ({errno.errorcode.get(error.errno or 0, 'I/O error')})"


def _open(root: bytes, name: bytes) -> int:
    """Open `root/name` for reading, component by component."""
    if os.open not in os.supports_dir_fd:
        return os.open(os.path.join(root, name), _FILE)  # noqa: PTH118 - Path does not take bytes
    *folders, last = name.split(b"/")
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER | _NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(last, _FILE, dir_fd=at)
    finally:
        os.close(at)


def _read(descriptor: int, limit: int) -> bytes:
    """Read to the end or to the limit; one call may return less than was asked for."""
    chunks = []
    while limit > 0 and (chunk := os.read(descriptor, min(limit, _CHUNK))):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)
