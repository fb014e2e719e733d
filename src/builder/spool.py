"""Postings in files, for the processes of one build: batches leave theirs, and ranges of terms are read back.

The terms of a batch are in the order of their first two bytes, so the postings of a range of terms are one
stretch of its file. The files are in a directory, or in a folder behind a URL that fsspec opens. They hold
numbers and terms only: nothing in them is ever run. No name is used twice, since a worker that was given up
may go on writing.
"""

from __future__ import annotations

import os
import uuid
from contextlib import contextmanager, suppress
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.postings import overflowing, ranges
from ..errors import IoError
from ..safeio import remove_tree
from .counting import Postings
from .sources.tree import is_url, label_of, opened, store_failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Array = NDArray[np.int64]


class Spooled(NamedTuple):
    """A file of postings."""

    name: str
    prefixes: NDArray[np.uint16]
    """The first two bytes of its terms, each once, ascending."""
    bounds: Array
    """For each of these, and for the end: terms, bytes of terms, postings and overflows before it."""
    attachment: tuple[str, int, int]
    """Where the bytes are that were put beside the postings: file, start and end."""

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.bounds[2, -1])

    def pieces(self, cuts: NDArray[np.uint16]) -> Iterator[Piece | None]:
        """The postings between each two of these prefixes; None where there are none."""
        bounds = self.bounds[:, np.searchsorted(self.prefixes, cuts)].T.tolist()
        sizes = self.bounds[:, -1].tolist()
        for first, last in pairwise(bounds):
            yield Piece(self.name, sizes, first, last) if first[0] < last[0] else None

    def whole(self) -> Piece:
        """All postings."""
        first, last = self.bounds[:, 0].tolist(), self.bounds[:, -1].tolist()
        return Piece(self.name, last, first, last)


class Piece(NamedTuple):
    """A range of the terms of a file, as `Spooled.bounds` has them."""

    name: str
    sizes: list[int]
    """Of the whole file."""
    first: list[int]
    last: list[int]

    def extents(self) -> Iterator[tuple[str, int, int]]:
        """Where the columns of its postings lie: file, start and end."""
        (terms, names, postings, _), offset = self.sizes, 0
        widths = ((1, 1, names), (0, 4, 4 * terms), (2, 4, 4 * postings), (2, 1, postings), (3, 16, 0))
        for kind, width, size in widths:
            yield self.name, offset + width * self.first[kind], offset + width * self.last[kind]
            offset += size


class Spool(NamedTuple):
    """A folder for the files of one build."""

    root: str
    """The path of a directory, or a URL, that each process of the build opens."""

    def put(self, postings: Postings, attachment: bytes | memoryview) -> Spooled:
        """Write postings, their terms put in order as far as need be, and bytes that go with them."""
        names = b"".join([b"%b\n" % term for term in postings.vocabulary])
        data = np.frombuffer(names, np.uint8)
        ends = np.flatnonzero(data == ord("\n")) + 1
        starts = np.concatenate([[0], ends])[:-1]
        prefixes = data[starts].astype(np.uint16) << 8 | data[starts + 1]
        if (prefixes[1:] < prefixes[:-1]).any():
            return self.put(_in_order(postings, np.argsort(prefixes, kind="stable")), attachment)
        firsts = np.flatnonzero(np.diff(prefixes, prepend=np.uint16(0)))
        at = np.append(firsts, len(ends))
        before = np.concatenate([[0], np.cumsum(postings.doc_freqs, dtype=np.int64)])[at]
        over = np.searchsorted(overflowing(postings.occurrences), before)
        bounds = np.stack([at, np.concatenate([[0], ends])[at], before, over])
        columns = (postings.doc_freqs, postings.documents, postings.occurrences, postings.overflows)
        parts = [memoryview(names), *(np.ascontiguousarray(column).data for column in columns)]
        name, size = self.write([*parts, attachment]), sum(part.nbytes for part in parts)
        return Spooled(name, prefixes[firsts], bounds, (name, size, size + memoryview(attachment).nbytes))

    def attachment(self, spooled: Spooled) -> bytes:
        """The bytes that were put beside postings."""
        return next(self.read([spooled.attachment]))

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

    def read(self, extents: Sequence[tuple[str, int, int]]) -> Iterator[bytes]:
        """Parts of files: the name of each, where it starts and where it ends."""
        with self.failures():
            chunks = _fetched(self.root, extents) if is_url(self.root) else _read(self.root, extents)
            for data, (name, start, end) in zip(chunks, extents, strict=True):
                if len(data) != end - start:
                    raise OSError(f"{name} is shorter than it was")
                yield data

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Raise `IoError` for whatever fails in the block."""
        try:
            with store_failures():
                yield
        except OSError as error:
            raise IoError(f"{label_of(self.root)}: {error.strerror or error}") from None


def _read(root: str, extents: Sequence[tuple[str, int, int]]) -> Iterator[bytes]:
    for name, parts in groupby(extents, key=itemgetter(0)):
        with open(os.path.join(root, name), "rb") as file:  # noqa: PTH118, PTH123 - for each batch and range
            for _, start, end in parts:
                file.seek(start)
                yield file.read(end - start)


def _fetched(root: str, extents: Sequence[tuple[str, int, int]]) -> Iterator[bytes]:
    """From a store, many at once; some stores know no empty part."""
    system, folder = opened(root.encode())
    wanted = [(f"{folder}/{name}", start, end) for name, start, end in extents if start < end]
    parts = map(list, zip(*wanted, strict=True))
    parts_read = iter(system.cat_ranges(*parts, on_error="raise") if wanted else ())
    for _, start, end in extents:
        yield next(parts_read) if start < end else b""


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
            remove_tree(spool.root)
