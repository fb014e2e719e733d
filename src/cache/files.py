"""The files of a cache: opened without following a link, read whole or at any offset."""

from __future__ import annotations

import errno
import os
import stat
from threading import Lock

from ..errors import CacheInvalid, CacheMissing, IoError
from ..safeio import NOFOLLOW_FLAGS, mode_of, translate_oserror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

LARGEST_FILE = 64 << 20
"""Bytes of a file that is read whole: parsing takes up to thirty times as much memory."""


def require_directory(path: str) -> None:
    """Raise `CacheMissing` unless `path` is a directory, `IoError` if the system will not say."""
    with translate_oserror(path):
        mode = mode_of(path)
    if not mode:
        raise CacheMissing(f"{path}: there is no cache; `ctx list` shows those of a directory")
    if not stat.S_ISDIR(mode):
        raise CacheMissing(f"{path}: not a directory, so not a cache")


def open_regular(path: str) -> BufferedReader:
    """The regular file at `path`, open for reading.

    Raises `FileNotFoundError` when nothing is there, `CacheInvalid` when it is no regular
    file, `IoError` when the system refuses.
    """
    return os.fdopen(_opened(path), "rb")


def read_regular(path: str, *, largest: int = LARGEST_FILE) -> bytes:
    """All bytes of the regular file at `path`, at most `largest`; errors as in `open_regular`."""
    with open_regular(path) as file, translate_oserror(path):
        if os.fstat(file.fileno()).st_size > largest:
            raise CacheInvalid(f"{path}: larger than {largest:,} bytes, which no such file of a cache is")
        return file.read(largest)


def _opened(path: str) -> int:
    """A descriptor of the regular file at `path`; errors as in `open_regular`."""
    try:
        descriptor = os.open(path, NOFOLLOW_FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):  # the second on some BSDs
            raise CacheInvalid(f"{path}: a symbolic link, not a file of a cache") from None
        raise IoError(f"{path}: {error.strerror}") from None
    try:
        with translate_oserror(path):
            is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if not is_regular:
            raise CacheInvalid(f"{path}: not a regular file")
    except BaseException:  # also an interruption: nobody else knows of the descriptor
        os.close(descriptor)
        raise
    return descriptor


class OpenFile:
    """A file that is read at any offset, by any thread; closed when nobody refers to it any more."""

    descriptor = -1

    def __init__(self, path: str) -> None:
        """Open the regular file at `path`; errors as in `open_regular`."""
        self.path = path
        self.descriptor = _opened(path)
        self._seeking = Lock()

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        # The descriptor lives as long as any call that uses it; at exit, longer than the module `os`.
        if self.descriptor >= 0:
            close(self.descriptor)

    def has_size(self, size: int) -> bool:
        """Whether the file has so many bytes now. Raises `IoError`."""
        with translate_oserror(self.path):
            return os.fstat(self.descriptor).st_size == size

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes, as they are in the file now. Raises `IoError`."""
        try:
            if hasattr(os, "pread"):
                return os.pread(self.descriptor, length, offset)
            with self._seeking:  # two threads share one file position
                os.lseek(self.descriptor, offset, os.SEEK_SET)
                return os.read(self.descriptor, length)
        except OSError as error:
            raise IoError(f"{self.path}: {error.strerror}") from None
