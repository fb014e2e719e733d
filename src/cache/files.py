"""The files of a cache: opened without following a link, read at any offset, checked block by block.

The cost follows what is read: a block is read and checked once for as long as its file stays
open. The memory is reserved at once and taken block by block. Nothing that happens to the file
later reaches a reader: a mapping of the file itself would end the process when it is truncated,
and show bytes that changed after they were checked.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
from threading import Lock
from zlib import crc32

from ..errors import REBUILD, CacheInvalid, CacheMissing, IoError
from ..safeio import NOFOLLOW_FLAGS, mode_of, translate_oserror
from .format import BLOCK, CHECKSUMS_PER_PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

LARGEST_FILE = 64 << 20
"""Bytes of a file that is read whole: parsing takes up to thirty times as much memory."""
BLOCKS_PER_READ = 256  # blocks in one read, at most
UNCHECKED_AT_ONCE = 1 << 18  # a system reads less than 2 GiB at once


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


class CheckedFile:
    """The blocks of a file before its checksum pages, read and checked on demand. Threads may share it."""

    def __init__(self, path: str, *, size: int) -> None:
        """Open the file at `path`, which must hold `size` bytes."""
        self._file = OpenFile(path)
        if not self._file.has_size(size):
            raise self.fault(f"has not the {size} bytes that the manifest says")
        if size < 2 * BLOCK or size % BLOCK:
            raise self.fault("is not made of whole blocks")
        self._memory = mmap.mmap(-1, size)
        self.bytes = memoryview(self._memory).toreadonly()
        """The file's bytes; those of a block are there once it was checked."""
        self.checked = bytearray(size // BLOCK)
        """For each block, whether it was checked and holds."""
        self._pages = 0

    def fault(self, problem: str) -> CacheInvalid:
        """The error that this file has the `problem`."""
        return CacheInvalid(f"{self._file.path} {problem}; {REBUILD} rebuilds the cache")

    def header(self) -> bytes:
        """The first block, not yet checked: it says where the checksums are."""
        return self._read(0, 1)

    def set_pages(self, offset: int) -> None:
        """Say where the checksum pages start, which must fit the size of the file."""
        blocks, rest = divmod(offset, BLOCK)
        pages = -(-blocks // CHECKSUMS_PER_PAGE)
        if rest or (blocks + pages) * BLOCK != len(self.bytes):
            raise self.fault("has a damaged header")
        self._pages = blocks

    def check(self, start: int, end: int) -> None:
        """Read and check the blocks that hold the bytes from `start` to `end`; raises `CacheInvalid`."""
        last = (end + BLOCK - 1) // BLOCK
        block = self.checked.find(0, start // BLOCK, last)
        while block >= 0:
            limit = min(last, block + BLOCKS_PER_READ)
            following = self.checked.find(1, block, limit)
            limit = following if following >= 0 else limit
            self._load(block, limit)
            block = self.checked.find(0, limit, last)

    def read(self, start: int, end: int) -> bytes:
        """The checked bytes from `start` to `end`. Raises `CacheInvalid` when the file has no such part."""
        if not start <= end <= self._pages * BLOCK:
            raise self.fault("is damaged: it points where nothing is")
        self.check(start, end)
        return bytes(self.bytes[start:end])

    def read_unchecked(self, start: int, end: int) -> memoryview:
        """The same for whoever has compared the file with its SHA-256 just now, in a third of the time."""
        first, last = start // BLOCK, -(-end // BLOCK)
        parts = range(first, last, UNCHECKED_AT_ONCE)
        data = b"".join([self._read(part, min(part + UNCHECKED_AT_ONCE, last)) for part in parts])
        return memoryview(data)[start - first * BLOCK : end - first * BLOCK]

    def _load(self, first: int, last: int) -> None:
        """Read the blocks from `first` up to `last` and keep them if their checksums match."""
        data = memoryview(self._read(first, last))
        for block in range(first, last):
            start = (block - first) * BLOCK
            if crc32(data[start : start + BLOCK]) != self._checksum(block):
                raise self.fault(f"is damaged: block {block} does not match its checksum")
        self._memory[first * BLOCK : last * BLOCK] = data
        self.checked[first:last] = b"\1" * (last - first)

    def _checksum(self, block: int) -> int:
        """The checksum of a block, from its page."""
        page = self._pages + block // CHECKSUMS_PER_PAGE
        if not self.checked[page]:
            data = self._read(page, page + 1)
            if crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
                raise self.fault(f"is damaged: checksum page {page} does not match")
            self._memory[page * BLOCK : (page + 1) * BLOCK] = data
            self.checked[page] = 1
        start = page * BLOCK + 4 * (block % CHECKSUMS_PER_PAGE)
        return int.from_bytes(self.bytes[start : start + 4], "little")

    def _read(self, first: int, last: int) -> bytes:
        """The bytes of the blocks from `first` up to `last`, as they are in the file now."""
        length = (last - first) * BLOCK
        data = self._file.read(first * BLOCK, length)
        if len(data) != length:
            raise self.fault("is shorter than when it was opened")
        return data
