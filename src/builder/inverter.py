"""From postings by document to postings by term, in bounded memory.

Batches are spooled to files as they come. When all are there, each range of terms is merged alone, here or by
whoever compiles.
"""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from contextlib import closing, suppress
from itertools import compress, count
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..cache.postings import Inversion, overflowing, ranges, signatures, suffix_order
from ..cache.texts import GrowingTexts, Texts
from ..errors import UsageError
from ..garbage import gc_paused
from ..parallel import Work, ordered_map, size
from .counting import Postings
from .spool import PREFIXES, ROW, Extent, Piece, Spool, Spooled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Executor
    from pathlib import Path
    from typing import Any

Array = NDArray[np.int64]
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
MAX_POSTINGS = (1 << 32) - 1  # of what an index addresses; some fifty million documents
RANGE = 1 << 24
"""Postings of a range of terms: some 250 MB while they are merged."""
ALONE = 1 << 20
"""Up to so many postings, one process is done before others have started."""
IN_MEMORY = 1 << 26
"""Bytes of an array; a larger one is on disk, which the system keeps in memory as far as there is room."""
_UNKNOWN_THERE = (errno.EINVAL, errno.EOPNOTSUPP)


class Processes(NamedTuple):
    """Who merges ranges of terms: so many processes, or the workers of an executor."""

    jobs: int = 1
    executor: Executor | None = None

    @property
    def are_forked(self) -> bool:
        """Whether they are started from this one, which must have no thread then."""
        return self.executor is None and self.jobs > 1

    def for_postings(self, postings: int) -> Processes:
        """Those that pay for so many postings."""
        return self if postings > ALONE else Processes()

    def done(self, work: Work[Item, Outcome], items: Iterable[Item]) -> list[Outcome]:
        """The outcomes of some work, in order."""
        with closing(ordered_map(work, items, jobs=self.jobs, executor=self.executor)) as outcomes:
            return [*outcomes]


class Merged(NamedTuple):
    """All postings by term, in ranges of terms that follow each other, and what is known of all terms."""

    ranges: list[Spooled]
    terms: Texts
    signatures: NDArray[np.uint64]
    suffixes: Array
    """The terms that are found by their ends: of each range in that order."""


class Inverter:
    """Takes postings of ever later documents and gives all back by term."""

    def __init__(self, spool: Spool, scratch: Path, processes: Processes) -> None:
        """Postings are in the `spool`, which the `processes` read and write; large arrays in `scratch`."""
        self._spool = spool
        self._scratch = scratch
        self._processes = processes
        self._tables = Spool(str(scratch))  # they would take as much memory as documents do
        self._batches: list[_Batch] = []
        self._postings = 0
        self._totals = np.zeros(PREFIXES, np.int64)  # postings by the prefix of their term

    def add(self, spooled: Spooled, first_document: int) -> None:
        """Take the postings of a batch; its documents are numbered from `first_document`."""
        table = spooled.table
        self._totals[table["prefix"][:-1]] += np.diff(table["bounds"][:, 2])
        self._batches.append(_Batch(spooled.name, self._tables.put_bytes(table.data), first_document))
        self._postings += spooled.size
        if self._postings > MAX_POSTINGS:
            raise UsageError(f"more than {MAX_POSTINGS:,} postings: split the sources into several caches")

    def merge(self, numbers: Array, key: bytes) -> Merged:
        """All postings, by term and then by document; `key` is that of the signatures of terms.

        `numbers` has for each document its number in id order, -1 for one that is left out.
        """
        processes = self._processes.for_postings(self._postings)
        shares = 2 * size(*processes) - 1  # one for one process, and some to spare for several
        items = self._ranges(max(shares, -(-self._postings // RANGE)))
        return self._merged(
            processes.done(_Merge(self._spool, self._spool.put_bytes(numbers.data), key), items)
        )

    def _merged(self, ranges: list[Spooled]) -> Merged:
        """What is known of ranges that follow each other."""
        terms, count = GrowingTexts(), 0
        of_terms, suffixes = [np.zeros((0, 2), np.uint64)], [np.zeros(0, np.int64)]
        for one in ranges:
            names, attachment = self._spool.read([one.names, one.attachment])
            terms.add(Texts.of_lines(names))
            end = 16 * one.terms
            of_terms.append(np.frombuffer(attachment[:end], np.uint64).reshape(-1, 2))
            suffixes.append(count + np.frombuffer(attachment[end:], np.int64))
            count += one.terms
        return Merged(ranges, terms.texts(), np.concatenate(of_terms), np.concatenate(suffixes))

    def _ranges(self, count: int) -> Iterator[list[_BatchPiece]]:
        """The postings of all batches by some `count` ranges of terms, which have about as many."""
        wanted = np.arange(1, count) * self._postings // count
        cuts = np.array([0, *np.unique(np.searchsorted(np.cumsum(self._totals), wanted)), PREFIXES])
        tables = (
            np.frombuffer(data, ROW) for data in self._tables.read([one.table for one in self._batches])
        )
        rows = [table[np.searchsorted(table["prefix"], cuts)] for table in tables]
        for number in range(len(cuts) - 1):
            pieces = [
                _BatchPiece(Piece.between(batch.name, at_cuts, number), batch.first_document)
                for batch, at_cuts in zip(self._batches, rows, strict=True)
                if at_cuts["prefix"][number] < at_cuts["prefix"][number + 1]
            ]
            if pieces:
                yield pieces

    def joined(self, merged: Merged) -> Inversion:
        """All postings in memory or in scratch files."""
        total = sum(one.size for one in merged.ranges)
        documents = self.output("documents", total, np.uint32)
        occurrences = self.output("occurrences", total, np.uint8)
        doc_freqs, overflows, done = [np.zeros(0, np.uint32)], [np.zeros((0, 2), np.int64)], 0
        for one in merged.ranges:
            for postings in self._spool.get(one.pieces()):
                doc_freqs.append(postings.doc_freqs)
                overflows.append(postings.overflows)
                end = done + postings.size
                documents[done:end], occurrences[done:end] = postings.documents, postings.occurrences
                done = end
        return Inversion(
            terms=merged.terms,
            starts=np.concatenate([[0], np.cumsum(np.concatenate(doc_freqs), dtype=np.int64)]),
            documents=documents,
            occurrences=occurrences,
            overflows=np.concatenate(overflows),
        )

    def output(self, name: str, length: int, kind: type) -> NDArray[Any]:
        """An array in memory or in a scratch file, to which no other program can write: it has no name."""
        size = length * np.dtype(kind).itemsize
        if size <= IN_MEMORY:
            return np.empty(length, kind)
        path = self._scratch / name
        _reserve(path, size)
        array = np.asarray(np.memmap(path, kind, "r+", shape=(length,)))  # each look at a map costs more
        with suppress(OSError):  # Windows removes no open file
            path.unlink()
        return array


class _Batch(NamedTuple):
    """Where the postings of a batch are."""

    name: str
    table: Extent
    first_document: int


class _BatchPiece(NamedTuple):
    """Some postings of a batch."""

    where: Piece
    first_document: int
    """What is added to their document numbers."""


class _Merge(Work["list[_BatchPiece]", Spooled]):
    """Merges the postings of batches in a range of terms, in the spool."""

    def __init__(self, spool: Spool, numbers: Extent, key: bytes) -> None:
        """At `numbers` is the number of each document, -1 for one that is left out."""
        self._spool = spool
        self._numbers = numbers
        self._key = key

    @gc_paused()
    def __call__(self, pieces: list[_BatchPiece]) -> Spooled:
        """Merge one range."""
        (data,) = self._spool.read([self._numbers])
        numbers = np.frombuffer(data, np.int64)
        batches = self._spool.get([piece.where for piece in pieces])
        numbers_of = (numbers[piece.first_document :] for piece in pieces)
        postings = merged(map(_renumbered, batches, numbers_of))
        of_terms = signatures(inversion_of(postings), self._key)
        return self._spool.put(postings, of_terms.tobytes() + suffix_order(postings.vocabulary).tobytes())


def inversion_of(postings: Postings) -> Inversion:
    """The same as an index takes them."""
    return Inversion(
        terms=Texts.of(postings.vocabulary),
        starts=np.concatenate([[0], np.cumsum(postings.doc_freqs, dtype=np.int64)]),
        documents=postings.documents,
        occurrences=postings.occurrences,
        overflows=postings.overflows,
    )


def _renumbered(postings: Postings, numbers: Array) -> Postings:
    """Postings with other document numbers, without those that are left out."""
    documents = numbers[postings.documents]
    stays = documents >= 0
    if stays.all():
        return postings._replace(documents=documents.astype(np.uint32))
    starts = np.cumsum(postings.doc_freqs, dtype=np.int64) - postings.doc_freqs
    return postings._replace(
        doc_freqs=np.add.reduceat(stays, starts, dtype=np.uint32),
        documents=documents[stays].astype(np.uint32),
        occurrences=postings.occurrences[stays],
        overflows=postings.overflows[stays[overflowing(postings.occurrences)]],
    )


class _Numbered(NamedTuple):
    """The postings of a batch, its terms as numbers: names of all batches would take most of the memory."""

    terms: NDArray[np.uint32]
    postings: Postings
    """Without its vocabulary."""


def merged(batches: Iterable[Postings]) -> Postings:
    """The postings of several batches as those of one, its terms sorted."""
    # A term that is looked up for the first time takes the next number.
    ids: defaultdict[bytes, int] = defaultdict(count().__next__)
    numbered = []
    for batch in batches:
        terms = np.fromiter(map(ids.__getitem__, batch.vocabulary), np.uint32, len(batch.vocabulary))
        numbered.append(_Numbered(terms, batch._replace(vocabulary=[])))
    doc_freqs = np.zeros(len(ids), np.int64)
    for terms, batch in numbered:
        doc_freqs[terms] += batch.doc_freqs
    # The names of dropped documents may stand nowhere else.
    vocabulary = sorted(compress(ids, doc_freqs.tolist()))
    order = np.fromiter(map(ids.__getitem__, vocabulary), np.int64, len(vocabulary))
    del ids
    sizes = doc_freqs[order]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    documents, occurrences = np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.uint8)
    firsts = np.zeros(len(doc_freqs), np.int64)
    firsts[order] = starts[:-1]
    overflows = _distribute(numbered, firsts, documents, occurrences)
    _sort_within_terms(documents, occurrences, starts)
    return Postings(vocabulary, sizes.astype(np.uint32), documents, occurrences, overflows)


def _distribute(
    batches: list[_Numbered],
    firsts: Array,
    documents: NDArray[np.uint32],
    occurrences: NDArray[np.uint8],
) -> Array:
    """Put each posting behind those of its term in earlier batches; the overflows, in order.

    `firsts` has for each number of a term where its postings begin.
    """
    cursor = firsts.copy()
    keys, overflows = [np.zeros(0, np.uint64)], [np.zeros((0, 2), np.int64)]
    for numbers, batch in batches:
        occurs = batch.doc_freqs > 0
        terms, sizes = numbers[occurs], batch.doc_freqs[occurs].astype(np.int64)
        offsets = ranges(cursor[terms], sizes)
        cursor[terms] += sizes
        documents[offsets], occurrences[offsets] = batch.documents, batch.occurrences
        if len(batch.overflows):
            over = overflowing(batch.occurrences)
            begins = np.repeat(firsts[terms], sizes)[over].astype(np.uint64)
            keys.append(begins << np.uint64(32) | batch.documents[over])
            overflows.append(batch.overflows)
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


def _sort_within_terms(documents: NDArray[np.uint32], occurrences: NDArray[np.uint8], starts: Array) -> None:
    """Sort the ranges that are out of order by document, when documents did not come in id order."""
    falling = 1 + np.flatnonzero(documents[1:] < documents[:-1])
    terms = np.searchsorted(starts, falling, side="right") - 1
    for term in np.unique(terms[starts[terms] != falling]).tolist():
        part = slice(starts[term], starts[term + 1])
        order = np.argsort(documents[part])
        documents[part], occurrences[part] = documents[part][order], occurrences[part][order]
