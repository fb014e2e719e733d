"""From postings by document to postings by term, in bounded memory.

Batches are spooled to a file as they come. Once all document frequencies are known, so is the position of
every posting: a second pass puts each where it belongs, in arrays that are on disk where they are large.
"""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from itertools import compress, count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.postings import SLICE, Inversion, overflowing, ranges, suffix_order
from ..errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .counting import Postings

Array = NDArray[np.int64]
MAX_POSTINGS = (1 << 32) - 1  # of what an index addresses; some fifty million documents
IN_MEMORY = 1 << 26
"""Bytes of an array; a larger one is on disk, which the system keeps in memory as far as there is room."""
_UNKNOWN_THERE = (errno.EINVAL, errno.EOPNOTSUPP)


class _Spooled(NamedTuple):
    """Where a batch's columns lie in the spool, and what its terms are in all."""

    offset: int
    postings: int
    first_document: int
    """What is added to its document numbers."""
    terms: NDArray[np.uint32]
    """The number that each term has in all."""
    doc_freqs: NDArray[np.uint32]
    """How many of the batch's documents hold each term."""
    overflows: Array


class Inverter:
    """Takes postings of ever later documents and gives all back by term."""

    def __init__(self, staging: Staging) -> None:
        """Files are made in the scratch directory of `staging`."""
        self._scratch = staging.scratch
        self._spool = staging.open("spool")
        # A term that is looked up for the first time takes the next number.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._batches: list[_Spooled] = []
        self._postings = 0

    def add(self, postings: Postings, first_document: int) -> None:
        """Take the postings of a batch; its documents are numbered from `first_document`."""
        terms = np.array([*map(self._numbers.__getitem__, postings.vocabulary)], np.uint32)
        size = len(postings.documents)
        self._postings += size
        if self._postings > MAX_POSTINGS:
            raise UsageError(f"more than {MAX_POSTINGS:,} postings: split the sources into several caches")
        entry = _Spooled(
            self._spool.tell(), size, first_document, terms, postings.doc_freqs, postings.overflows
        )
        self._spool.write(postings.documents.data)
        self._spool.write(postings.occurrences.data)
        self._batches.append(entry)

    def finish(self, numbers: Array) -> Inversion:
        """All postings, by term and then by document.

        `numbers` has for each document its number in id order, -1 for one that is left out.
        """
        if (numbers < 0).any():
            self._batches = [self._without_dropped(batch, numbers) for batch in self._batches]
        doc_freqs = np.zeros(len(self._numbers), np.int64)
        for batch in self._batches:
            doc_freqs[batch.terms] += batch.doc_freqs
        # The names of dropped documents may stand nowhere else.
        # Texts sort as their bytes in UTF-8 do.
        terms = sorted(compress(self._numbers, doc_freqs.tolist()))
        old_numbers = np.array([*map(self._numbers.__getitem__, terms)], np.int64)
        self._numbers.clear()
        order = np.full(len(doc_freqs), -1)
        order[old_numbers] = np.arange(len(terms))
        starts = np.concatenate([[0], np.cumsum(doc_freqs[old_numbers])])
        vocabulary = [term.encode("utf-8") for term in terms]
        documents = self.output("documents", int(starts[-1]), np.uint32)
        occurrences = self.output("occurrences", int(starts[-1]), np.uint8)
        overflows = self._distribute(documents, occurrences, starts, order, numbers)
        self._spool.close()
        self._batches.clear()
        if (np.diff(numbers[numbers >= 0]) < 0).any():
            _sort_within_terms(documents, occurrences, starts)
        return Inversion(
            terms=vocabulary,
            starts=starts,
            documents=documents,
            occurrences=occurrences,
            overflows=overflows,
            suffix_order=suffix_order(vocabulary),
        )

    def output(self, name: str, length: int, kind: type) -> NDArray[Any]:
        """An array in memory or in a scratch file."""
        size = length * np.dtype(kind).itemsize
        if size <= IN_MEMORY:
            return np.empty(length, kind)
        path = self._scratch / name
        _reserve(path, size)
        return np.asarray(np.memmap(path, kind, "r+", shape=(length,)))  # each look at a map costs more

    def _without_dropped(self, batch: _Spooled, numbers: Array) -> _Spooled:
        """A batch whose frequencies do not count documents that are left out."""
        documents, _ = self._read(batch)
        kept = numbers[batch.first_document + documents] >= 0
        if not len(kept) or kept.all():
            return batch
        starts = np.cumsum(batch.doc_freqs, dtype=np.int64) - batch.doc_freqs
        return batch._replace(doc_freqs=np.add.reduceat(kept, starts, dtype=np.uint32))

    def _read(self, batch: _Spooled) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """The columns of a spooled batch."""
        self._spool.seek(batch.offset)
        data = self._spool.read(5 * batch.postings)
        return np.frombuffer(data, np.uint32, batch.postings), np.frombuffer(
            data, np.uint8, batch.postings, 4 * batch.postings
        )

    def _distribute(
        self,
        documents: NDArray[np.uint32],
        occurrences: NDArray[np.uint8],
        starts: Array,
        order: Array,
        numbers: Array,
    ) -> Array:
        """Put each posting in its term's range, behind those of earlier batches; the overflows, in order."""
        cursor = starts[:-1].copy()
        keys, overflows = [np.zeros(0, np.int64)], [np.zeros((0, 2), np.int64)]
        for batch in self._batches:
            in_batch, packed = self._read(batch)
            new = numbers[batch.first_document + in_batch]
            kept = new >= 0
            rows = batch.overflows
            if not kept.all():
                rows = rows[kept[overflowing(packed)]]
                new, packed = new[kept], packed[kept]
            held = batch.doc_freqs > 0
            terms, sizes = order[batch.terms[held]], batch.doc_freqs[held].astype(np.int64)
            offsets = ranges(cursor[terms], sizes)
            cursor[terms] += sizes
            documents[offsets], occurrences[offsets] = new, packed
            if len(rows):
                over = overflowing(packed)
                keys.append((np.repeat(terms, sizes)[over] << 32) | new[over])
                overflows.append(rows)
        return np.concatenate(overflows)[np.argsort(np.concatenate(keys))]


def _reserve(path: Path, size: int) -> None:
    """Make a file of `size` bytes that are there: writing to a map of a hole in a full disk kills."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                if error.errno not in _UNKNOWN_THERE:
                    raise
        file.truncate(size)


def _unsorted_terms(documents: NDArray[np.uint32], starts: Array) -> Array:
    """The terms whose documents are not in order, looked for in some postings at a time."""
    found = [np.zeros(0, np.int64)]
    for first in range(0, len(documents), SLICE):
        part = documents[first : first + SLICE + 1]
        falling = first + 1 + np.flatnonzero(part[1:] < part[:-1])
        terms = np.searchsorted(starts, falling, side="right") - 1
        found.append(np.unique(terms[starts[terms] != falling]))
    return np.unique(np.concatenate(found))


def _sort_within_terms(documents: NDArray[np.uint32], occurrences: NDArray[np.uint8], starts: Array) -> None:
    """Sort the ranges that are out of order by document, when documents did not come in id order."""
    for term in _unsorted_terms(documents, starts).tolist():
        part = slice(starts[term], starts[term + 1])
        order = np.argsort(documents[part])
        documents[part], occurrences[part] = documents[part][order], occurrences[part][order]
