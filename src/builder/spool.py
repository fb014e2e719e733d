"""Postings in files, for the processes of one build: batches leave theirs, and ranges of terms are read back.

The terms of a batch are in the order of their first two bytes, so the postings of a range of terms are one
stretch of its file. The files are in a directory, or in a folder behind a URL that fsspec opens. They hold
numbers and terms only: nothing in them is ever run. No name is used twice, since a worker that was given up
may go on writing. Whatever is read back is compared with the checksum of what was written.
"""

from __future__ import annotations

import os
import uuid
from contextlib import contextmanager, suppress
from itertools import accumulate, groupby, islice, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..cache.postings import overflowing, ranges
from ..cache.texts import run_together
from ..errors import SCRATCH_CHANGED, IoError
from ..safeio import remove_tree
from .counting import Postings
from .sources.tree import is_url, label_of, opened, store_failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

Array = NDArray[np.int64]
COLUMNS = ((1, 1), (0, 4), (2, 4), (2, 1), (3, 16))
"""Of each column of postings: which of the `bounds` of a row counts its items, and the bytes of an item."""
ROW = np.dtype([("bounds", "i8", 4), ("checksums", "u4", len(COLUMNS)), ("prefix", "u4")])
"""What is before the first term with two bytes, the `prefix`: how many terms, bytes of terms, postings and
overflows, and the CRC-32 of each of the `COLUMNS` up to there."""
PREFIXES = 1 << 16
AT_ONCE = 1 << 20  # postings
TRIES = 10
"""How often a folder is removed in which others write."""


class Extent(NamedTuple):
    """A part of a file."""

    name: str
    start: int
    end: int
    before: int
    after: int
    """What the running CRC-32 was before this part, and is after it."""


class Spooled(NamedTuple):
    """A file of postings."""

    name: str
    table: NDArray[Any]
    """A `ROW` for each of the prefixes of its terms, ascending, and one for the end."""
    attachment: Extent
    """Where the bytes are that were put beside the postings."""

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.table["bounds"][-1, 2])

    @property
    def terms(self) -> int:
        """How many terms have some."""
        return int(self.table["bounds"][-1, 0])

    @property
    def names(self) -> Extent:
        """Where the terms are, each in a line."""
        return next(Piece.between(self.name, self.table[[0, -1]], 0).extents())

    def pieces(self) -> list[Piece]:
        """All postings, about `AT_ONCE` in a piece."""
        firsts = np.searchsorted(self.table["bounds"][:, 2], np.arange(0, self.size, AT_ONCE))
        rows = self.table[np.unique([*firsts, len(self.table) - 1])]
        return [Piece.between(self.name, rows, number) for number in range(len(rows) - 1)]


class Piece(NamedTuple):
    """A range of the terms of a file, in numbers as a `ROW` has them."""

    name: str
    sizes: list[int]
    """The bounds of the whole file."""
    first: list[int]
    last: list[int]
    before: list[int]
    """The checksums up to `first`."""
    after: list[int]
    """Those up to `last`."""

    @classmethod
    def between(cls, name: str, rows: NDArray[Any], number: int) -> Piece:
        """What is between row `number` and the next one, given some rows of a file and that of its end."""
        bounds, checksums = rows["bounds"], rows["checksums"]
        sizes, first, last = (bounds[at].tolist() for at in (-1, number, number + 1))
        return cls(name, sizes, first, last, *checksums[number : number + 2].tolist())

    def extents(self) -> Iterator[Extent]:
        """Where the columns of its postings lie."""
        offset = 0
        for (row, width), before, after in zip(COLUMNS, self.before, self.after, strict=True):
            start, end = (offset + width * bound[row] for bound in (self.first, self.last))
            yield Extent(self.name, start, end, before, after)
            offset += width * self.sizes[row]


class Spool(NamedTuple):
    """A folder for the files of one build."""

    root: str
    """The path of a directory, or a URL, that each process of the build opens."""

    def put(self, postings: Postings, attachment: bytes | memoryview) -> Spooled:
        """Write postings, their terms put in order as far as need be, and bytes that go with them."""
        names = run_together(postings.vocabulary, b"\n")
        data = np.frombuffer(names, np.uint8)
        starts = np.append(0, np.flatnonzero(data == ord("\n")) + 1)  # of each term, and the end of the last
        prefixes = data[starts[:-1]].astype(np.uint16) << 8 | data[starts[:-1] + 1]
        if (prefixes[1:] < prefixes[:-1]).any():
            return self.put(_in_order(postings, np.argsort(prefixes, kind="stable")), attachment)
        firsts = np.flatnonzero(np.diff(prefixes, prepend=np.uint16(0)))
        at = np.append(firsts, len(prefixes))
        table = np.empty(len(at), ROW)
        table["prefix"] = np.append(prefixes[firsts].astype(np.uint32), PREFIXES)
        before = np.append(0, np.cumsum(np.add.reduceat(postings.doc_freqs, firsts, dtype=np.int64)))
        over = np.searchsorted(overflowing(postings.occurrences), before)
        table["bounds"] = bounds = np.stack([at, starts[at], before, over], axis=1)
        columns = (data, postings.doc_freqs, postings.documents, postings.occurrences, postings.overflows)
        parts = [np.ascontiguousarray(column).reshape(-1).view(np.uint8).data for column in columns]
        offsets = [(bounds[:, row] * width).tolist() for row, width in COLUMNS]
        table["checksums"] = np.array([*map(_running_checksums, parts, offsets)]).T
        name, size = self.write([*parts, attachment]), sum(part.nbytes for part in parts)
        beside = Extent(name, size, size + memoryview(attachment).nbytes, 0, crc32(attachment))
        return Spooled(name, table, beside)

    def put_bytes(self, data: bytes | memoryview) -> Extent:
        """Write nothing but bytes."""
        return Extent(self.write([data]), 0, memoryview(data).nbytes, 0, crc32(data))

    def put_columns(self, columns: Mapping[str, Sequence[NDArray[Any]]]) -> dict[str, Extent]:
        """Write arrays, of each column in parts; where each column is."""
        parts = [part.reshape(-1).view(np.uint8).data for column in columns.values() for part in column]
        name, remaining, end = self.write(parts), iter(parts), 0
        extents = {}
        for column in columns:
            start, checksum = end, 0
            for part in islice(remaining, len(columns[column])):
                checksum, end = crc32(part, checksum), end + part.nbytes
            extents[column] = Extent(name, start, end, 0, checksum)
        return extents

    def get(self, pieces: Sequence[Piece]) -> Iterator[Postings]:
        """The postings of each piece."""
        columns = iter(self.read([extent for piece in pieces for extent in piece.extents()]))
        for names, doc_freqs, documents, occurrences, overflows in zip(*[columns] * 5, strict=True):
            yield Postings(
                names.split(b"\n")[:-1],
                np.frombuffer(doc_freqs, np.uint32),
                np.frombuffer(documents, np.uint32),
                np.frombuffer(occurrences, np.uint8),
                np.frombuffer(overflows, np.int64).reshape(-1, 2),
            )

    def write(self, parts: Iterable[bytes | memoryview]) -> str:
        """Write a new file; its name."""
        name = uuid.uuid4().hex
        with self.failures():
            if is_url(self.root):
                system, path = opened(self.root.encode(), name.encode())
                system.pipe_file(path, b"".join(parts))
            else:
                with open(os.path.join(self.root, name), "xb") as file:  # noqa: PTH118, PTH123 - for each batch
                    file.writelines(parts)
        return name

    def read(self, extents: Sequence[Extent]) -> Iterator[bytes]:
        """Parts of files. Raises `IoError` also for one that is not what was written."""
        with self.failures():
            chunks = _fetched(self.root, extents) if is_url(self.root) else _read(self.root, extents)
            for data, extent in zip(chunks, extents, strict=True):
                if len(data) != extent.end - extent.start or crc32(data, extent.before) != extent.after:
                    raise OSError(f"{extent.name} {SCRATCH_CHANGED}")
                yield data

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Raise `IoError` for whatever fails in the block."""
        try:
            with store_failures():
                yield
        except OSError as error:
            raise IoError(f"{label_of(self.root)}: {error.strerror or error}") from None


def _running_checksums(data: memoryview, offsets: list[int]) -> list[int]:
    """The CRC-32 of what is before each of these offsets, the first of which is 0."""
    parts = (data[start:end] for start, end in pairwise(offsets))
    return [*accumulate(parts, lambda checksum, part: crc32(part, checksum), initial=0)]


def _read(root: str, extents: Sequence[Extent]) -> Iterator[bytes]:
    for name, parts in groupby(extents, key=attrgetter("name")):
        with open(os.path.join(root, name), "rb") as file:  # noqa: PTH118, PTH123 - for each batch and range
            for part in parts:
                file.seek(part.start)
                yield file.read(part.end - part.start)


def _fetched(root: str, extents: Sequence[Extent]) -> Iterator[bytes]:
    """From a store, many at once; some stores know no empty part."""
    system, folder = opened(root.encode())
    wanted = [(f"{folder}/{part.name}", part.start, part.end) for part in extents if part.start < part.end]
    parts = map(list, zip(*wanted, strict=True))
    parts_read = iter(system.cat_ranges(*parts, on_error="raise") if wanted else ())
    for part in extents:
        yield next(parts_read) if part.start < part.end else b""


def _in_order(postings: Postings, order: Array) -> Postings:
    """Postings with their terms in another order."""
    doc_freqs = postings.doc_freqs.astype(np.int64)
    at = ranges((np.cumsum(doc_freqs) - doc_freqs)[order], doc_freqs[order])
    occurrences = postings.occurrences[at]
    rows = np.searchsorted(overflowing(postings.occurrences), at[overflowing(occurrences)])
    return Postings(
        [postings.vocabulary[number] for number in order.tolist()],
        postings.doc_freqs[order],
        postings.documents[at],
        occurrences,
        postings.overflows[rows],
    )


@contextmanager
def shared_spool(root: str) -> Iterator[Spool]:
    """A spool below a directory or URL that all workers reach, gone when the block ends."""
    top = root.rstrip("/") if is_url(root) else os.path.abspath(root)  # noqa: PTH100 - keeps links
    spool = Spool(f"{top}/ctx-build-{uuid.uuid4().hex}")
    with spool.failures():
        if is_url(root):
            system, path = opened(spool.root.encode())
            system.mkdir(path, create_parents=False)  # most stores have no folders, and do nothing
        else:
            os.mkdir(spool.root, 0o700)  # noqa: PTH102 - as above
    try:
        yield spool
    finally:
        if is_url(root):
            with suppress(IoError), spool.failures():
                system, path = opened(spool.root.encode())
                system.rm(path, recursive=True)
        else:
            _remove(spool.root)


def _remove(directory: str) -> None:
    """Remove a directory in which a worker that was given up may be writing a last file."""
    for _ in range(TRIES):
        remove_tree(directory)
        if not os.path.lexists(directory):
            return
