"""From postings by document to postings by term, in bounded memory.

Batches are spooled to a file as they come. Once all document frequencies are known, so is
the place of every posting: a second pass puts each where it belongs, in arrays on disk that
the system keeps in memory as far as there is room. Nothing is merged.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.index_writer import SLICE, Inversion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .compiling import Batch

Array = NDArray[np.int64]

_UNKNOWN_THERE = (errno.EINVAL, errno.EOPNOTSUPP)


class _Spooled(NamedTuple):
    """Where a batch's columns lie in the spool, and the numbers that its vocabulary has in all."""

    offset: int
    postings: int
    documents: int
    counts: NDArray[np.uint32]
    terms: NDArray[np.uint32]


class Inverter:
    """Takes batches in document order and gives back all postings by term."""

    def __init__(self, staging: Staging) -> None:
        """Files are made in the scratch directory of `staging`."""
        self._scratch = staging.scratch
        self._spool = staging.open("spool")
        self._numbers: dict[str, int] = {}
        self._batches: list[_Spooled] = []

    def add(self, batch: Batch) -> None:
        """Take the postings of a batch."""
        numbers = self._numbers
        terms = [numbers.setdefault(term, len(numbers)) for term in batch.vocabulary]
        counts = np.asarray(batch.posting_counts, np.uint32)
        entry = _Spooled(
            self._spool.tell(), len(batch.posting_terms), len(counts), counts, np.array(terms, np.uint32)
        )
        for column in (batch.posting_terms, batch.posting_body, batch.posting_title, batch.posting_compound):
            self._spool.write(column)
        self._batches.append(entry)

    def finish(self, ranks: Array | None) -> Inversion:
        """All postings, by term and then by document.

        `ranks` gives each document's number in id order, None if the documents came in it.
        """
        terms = sorted((term.encode("utf-8"), number) for term, number in self._numbers.items())
        order = np.empty(len(terms), np.int64)
        order[[number for _, number in terms]] = np.arange(len(terms))
        self._numbers = {}
        holding = self._holding(order)
        starts = np.concatenate([[0], np.cumsum(holding)])
        inversion = Inversion(
            terms=[term for term, _ in terms],
            starts=starts,
            documents=self._output("documents", int(starts[-1]), np.uint32),
            body=self._output("body", int(starts[-1]), np.uint32),
            title=self._output("title", int(starts[-1]), np.uint16),
            compound=self._output("compound", int(starts[-1]), np.bool_),
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
        return np.memmap(path, kind, "r+", shape=(length,))

    def _holding(self, order: Array) -> Array:
        """How many documents hold each term, in the order of the terms."""
        holding = np.zeros(len(order), np.int64)
        for batch in self._batches:
            local = np.bincount(self._read(batch, 0, np.uint32), minlength=len(batch.terms))
            holding[order[batch.terms]] += local
        return holding

    def _read(self, batch: _Spooled, skip: int, kind: type) -> NDArray[Any]:
        """One column of a spooled batch, `skip` bytes a posting behind its start."""
        self._spool.seek(batch.offset + skip * batch.postings)
        data = self._spool.read(np.dtype(kind).itemsize * batch.postings)
        return np.frombuffer(data, kind)

    def _documents(self, ranks: Array | None) -> Iterator[Array]:
        """For each batch, the document of each posting."""
        first = 0
        for batch in self._batches:
            numbers = np.arange(first, first + batch.documents)
            yield np.repeat(numbers if ranks is None else ranks[numbers], batch.counts)
            first += batch.documents

    def _distribute(self, inversion: Inversion, order: Array, ranks: Array | None) -> None:
        """Put each posting in its term's range, behind those of the batches before."""
        cursor = inversion.starts[:-1].copy()
        for batch, documents in zip(self._batches, self._documents(ranks), strict=True):
            terms = order[batch.terms][self._read(batch, 0, np.uint32)]
            by_term = np.argsort(terms, kind="stable")
            terms = terms[by_term]
            firsts = np.flatnonzero(np.diff(terms, prepend=-1))
            sizes = np.diff(firsts, append=len(terms))
            within = np.arange(len(terms)) - np.repeat(firsts, sizes)
            places = cursor[terms] + within
            cursor[terms[firsts]] += sizes
            inversion.documents[places] = documents[by_term]
            inversion.body[places] = self._read(batch, 4, np.uint32)[by_term]
            inversion.title[places] = self._read(batch, 8, np.uint16)[by_term]
            inversion.compound[places] = self._read(batch, 10, np.bool_)[by_term]


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
        for column in (inversion.documents, inversion.body, inversion.title, inversion.compound):
            column[part] = column[part][order]
