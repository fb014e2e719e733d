"""From postings by document to postings by term, in bounded memory.

Batches are spooled to a file as they come. Once all document frequencies are known, so is the position of
every posting: a second pass puts each where it belongs, in arrays on disk that the system keeps in memory as
far as there is room.
"""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.postings import SLICE, Inversion
from ..errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .counting import Postings

Array = NDArray[np.int64]
MAX_POSTINGS = (1 << 32) - 1  # of what an index addresses; some fifty million documents

_COLUMNS: tuple[tuple[int, type], ...] = ((0, np.uint32), (4, np.uint32), (8, np.uint16), (10, np.bool_))
"""The columns of a spooled batch: bytes a posting before it, and its type."""
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
        entry = _Spooled(self._spool.tell(), size, first_document, terms, postings.doc_freqs)
        for column in (postings.documents, postings.body, postings.title, postings.multi_term):
            self._spool.write(column.tobytes())
        self._batches.append(entry)

    def drop(self, dropped: NDArray[np.bool_]) -> None:
        """Leave out the postings of some documents, each of which another one has too."""
        for number, batch in enumerate(self._batches):
            documents = self._read(batch, 0, np.uint32).astype(np.int64)
            kept = ~dropped[batch.first_document + documents]
            if kept.all():
                continue
            terms = np.repeat(np.arange(len(batch.terms)), batch.doc_freqs)[kept]
            columns = [self._read(batch, skip, kind)[kept] for skip, kind in _COLUMNS]
            doc_freqs = np.bincount(terms, minlength=len(batch.terms)).astype(np.uint32)
            self._batches[number] = batch._replace(
                offset=self._spool.seek(0, os.SEEK_END),
                postings=len(terms),
                terms=batch.terms[doc_freqs > 0],
                doc_freqs=doc_freqs[doc_freqs > 0],
            )
            for column in columns:
                self._spool.write(column.tobytes())

    def finish(self, ranks: Array | None) -> Inversion:
        """All postings, by term and then by document.

        `ranks` gives each document's number in id order, None if the documents came in it.
        """
        # The names of dropped documents may stand nowhere else.
        is_held = np.zeros(len(self._numbers), np.bool_)
        for batch in self._batches:
            is_held[batch.terms] = True
        terms = sorted((term.encode("utf-8"), n) for term, n in self._numbers.items() if is_held[n])
        order = np.empty(len(is_held), np.int64)
        order[[number for _, number in terms]] = np.arange(len(terms))
        self._numbers.clear()
        doc_freqs = self._doc_freqs(order, len(terms))
        starts = np.concatenate([[0], np.cumsum(doc_freqs)])
        inversion = Inversion(
            terms=[term for term, _ in terms],
            starts=starts,
            documents=self._output("documents", int(starts[-1]), np.uint32),
            body=self._output("body", int(starts[-1]), np.uint32),
            title=self._output("title", int(starts[-1]), np.uint16),
            multi_term=self._output("multi_term", int(starts[-1]), np.bool_),
        )
        self._distribute(inversion, order, ranks)
        if ranks is not None:
            _sort_within_terms(inversion)
        self._spool.close()
        return inversion

    def _output(self, name: str, length: int, kind: type) -> NDArray[Any]:
        if not length:
            return np.zeros(0, kind)
        path = self._scratch / name
        _reserve(path, length * np.dtype(kind).itemsize)
        return np.asarray(np.memmap(path, kind, "r+", shape=(length,)))  # each look at a map costs more

    def _doc_freqs(self, order: Array, terms: int) -> Array:
        """How many documents hold each term, in the order of the terms."""
        doc_freqs = np.zeros(terms, np.int64)
        for batch in self._batches:
            doc_freqs[order[batch.terms]] += batch.doc_freqs
        return doc_freqs

    def _read(self, batch: _Spooled, skip: int, kind: type) -> NDArray[Any]:
        """One column of a spooled batch, `skip` bytes a posting behind its start."""
        self._spool.seek(batch.offset + skip * batch.postings)
        data = self._spool.read(np.dtype(kind).itemsize * batch.postings)
        return np.frombuffer(data, kind)

    def _distribute(self, inversion: Inversion, order: Array, ranks: Array | None) -> None:
        """Put each posting in its term's range, behind those of the batches before."""
        cursor = inversion.starts[:-1].copy()
        for batch in self._batches:
            terms, sizes = order[batch.terms], batch.doc_freqs.astype(np.int64)
            # Postings of one term stand together: each is as far from its offset as the first of them.
            offsets = np.arange(batch.postings) + np.repeat(cursor[terms] - (np.cumsum(sizes) - sizes), sizes)
            cursor[terms] += sizes
            documents = batch.first_document + self._read(batch, 0, np.uint32).astype(np.int64)
            inversion.documents[offsets] = documents if ranks is None else ranks[documents]
            inversion.body[offsets] = self._read(batch, *_COLUMNS[1])
            inversion.title[offsets] = self._read(batch, *_COLUMNS[2])
            inversion.multi_term[offsets] = self._read(batch, *_COLUMNS[3])


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


def _unsorted_terms(inversion: Inversion) -> Array:
    """The terms whose documents are not in order, looked for some millions of postings at a time."""
    found = [np.zeros(0, np.int64)]
    for first in range(0, len(inversion.documents), SLICE):
        part = inversion.documents[first : first + SLICE + 1]
        falling = first + 1 + np.flatnonzero(part[1:] < part[:-1])
        terms = np.searchsorted(inversion.starts, falling, side="right") - 1
        found.append(np.unique(terms[inversion.starts[terms] != falling]))
    return np.unique(np.concatenate(found))


def _sort_within_terms(inversion: Inversion) -> None:
    """Sort the ranges that are out of order by document, when documents did not come in id order."""
    for term in _unsorted_terms(inversion):
        part = slice(inversion.starts[term], inversion.starts[term + 1])
        order = np.argsort(inversion.documents[part])
        for column in (inversion.documents, inversion.body, inversion.title, inversion.multi_term):
            column[part] = column[part][order]
