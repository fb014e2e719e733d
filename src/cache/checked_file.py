"""A file of checksummed blocks, read into memory of our own: every byte is checked before it is used.

The cost follows what is read: a block is read and checked once for as long as the file stays
open. The memory is reserved at once and taken block by block. Nothing that happens to the file
later reaches a reader: a mapping of the file itself would end the process when it is truncated,
and show bytes that changed after they were checked.
"""

from __future__ import annotations

import mmap
from zlib import crc32

from ..errors import REBUILD, CacheInvalid
from .files import OpenFile
from .format import BLOCK, CHECKSUMS_PER_PAGE

BLOCKS_PER_READ = 256  # blocks in one read, at most
UNCHECKED_AT_ONCE = 1 << 18  # a system reads less than 2 GiB at once


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
