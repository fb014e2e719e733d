"""A mapped file of checksummed blocks: every byte is checked before it is first used.

The cost follows what is read: a block is checked once for as long as the file stays open.
Two threads may check the same block twice, which is harmless.
"""

from __future__ import annotations

import mmap
import os
import struct
from zlib import crc32

from ..errors import CacheInvalid, IoError
from .layout import BLOCK, CHECKSUMS_PER_PAGE


class CheckedFile:
    """A read-only mapping whose bytes before the checksum pages are checked on demand."""

    def __init__(self, descriptor: int, *, size: int, at: str) -> None:
        """Map `descriptor`, which must hold `size` bytes; closes it. `at` names the file."""
        self._at = at
        try:
            if os.fstat(descriptor).st_size != size:
                raise self.fault(f"has not the {size} bytes that the manifest says")
            if size < 2 * BLOCK or size % BLOCK:
                raise self.fault("is not made of whole blocks")
            self.bytes = mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
        except OSError as error:
            raise IoError(f"{at}: {error.strerror}") from None
        finally:
            os.close(descriptor)
        self._pages = 0
        self.sound = bytearray(size // BLOCK)
        """For each block, whether it was checked and holds."""

    def fault(self, problem: str) -> CacheInvalid:
        """The error that this file has the `problem`."""
        return CacheInvalid(f"{self._at} {problem}; `ctx build --force` rebuilds the cache")

    def set_pages(self, offset: int) -> None:
        """Say where the checksum pages start, which must fit the size of the file."""
        blocks, rest = divmod(offset, BLOCK)
        pages = -(-blocks // CHECKSUMS_PER_PAGE)
        if rest or (blocks + pages) * BLOCK != len(self.bytes):
            raise self.fault("has a damaged header")
        self._pages = blocks

    def check(self, start: int, end: int) -> None:
        """Check the blocks that hold the bytes from `start` to `end`; raises `CacheInvalid`."""
        first, last = start // BLOCK, (end + BLOCK - 1) // BLOCK
        block = self.sound.find(0, first, last)
        while block >= 0:
            self._check_block(block)
            block = self.sound.find(0, block + 1, last)

    def read(self, start: int, end: int) -> bytes:
        """The checked bytes from `start` to `end`. Raises `CacheInvalid` when the file has no such part."""
        if not start <= end <= self._pages * BLOCK:
            raise self.fault("is damaged: it points where nothing is")
        self.check(start, end)
        return self.bytes[start:end]

    def _check_block(self, block: int) -> None:
        page = self._pages + block // CHECKSUMS_PER_PAGE
        if not self.sound[page]:
            data = self._block(page)
            if crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
                raise self.fault(f"is damaged: checksum page {page} does not match")
            self.sound[page] = 1
        place = page * BLOCK + 4 * (block % CHECKSUMS_PER_PAGE)
        if crc32(self._block(block)) != int.from_bytes(self.bytes[place : place + 4], "little"):
            raise self.fault(f"is damaged: block {block} does not match its checksum")
        self.sound[block] = 1

    def _block(self, block: int) -> bytes:
        return self.bytes[block * BLOCK : (block + 1) * BLOCK]


def checksum_pages(checksums: list[int]) -> bytes:
    """The checksum pages for blocks with these CRC-32s."""
    pages = []
    for start in range(0, len(checksums), CHECKSUMS_PER_PAGE):
        part = checksums[start : start + CHECKSUMS_PER_PAGE]
        page = struct.pack(f"<{len(part)}I", *part).ljust(BLOCK - 4, b"\0")
        pages.append(page + crc32(page).to_bytes(4, "little"))
    return b"".join(pages)
