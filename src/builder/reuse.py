"""Documents of a cache as batches of a new build, without reading or analysing their sources again.

Lines are taken as they are. The postings of a range of documents are gathered from those of
all terms: what the inversion did, undone. Every byte is checked on the way.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import DocumentSummary
from ..cache.occurrences import COMPOUND, OVERFLOW
from ..errors import CacheInvalid
from .compile import Batch
from .counting import Postings, distinct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..cache.index import Index
    from ..cache.store import Store

POSTINGS_AT_ONCE = 1 << 22

Array = NDArray[np.int64]


class _Postings(NamedTuple):
    """Columns of equal length, one item a posting."""

    terms: Array
    documents: Array
    occurrences: NDArray[np.uint8]
    keys: Array
    """Where the occurrences stand that do not fit in a byte."""

    def and_(self, other: _Postings) -> _Postings:
        """These postings and then the others."""
        return _Postings(
            np.concatenate([self.terms, other.terms]),
            np.concatenate([self.documents, other.documents]),
            np.concatenate([self.occurrences, other.occurrences]),
            np.concatenate([self.keys, other.keys]),
        )

    def at(self, places: NDArray[Any]) -> _Postings:
        """Those at some places, or where a mask says so."""
        return _Postings(
            self.terms[places], self.documents[places], self.occurrences[places], self.keys[places]
        )


def reused_batches(store: Store, sources: Collection[str]) -> Iterator[Batch]:
    """The documents of `store` that come from `sources`, in id order, with their postings.

    Raises `CacheInvalid` when the cache is damaged.
    """
    columns = _Columns(store.index)
    counts = store.index.counts
    postings = counts["postings"] + counts["dense_terms"] * counts["documents"]
    step = max(1, POSTINGS_AT_ONCE * counts["documents"] // max(1, postings))
    seen: set[str] = set()
    for first in range(0, counts["documents"], step):
        batch = Batch()
        numbers = _take_documents(
            store, range(first, min(first + step, counts["documents"])), sources, batch, seen
        )
        if numbers:
            columns.take_postings(first, first + step, np.array(numbers, np.int64), batch)
            yield batch


def _take_documents(
    store: Store, numbers: range, sources: Collection[str], batch: Batch, seen: set[str]
) -> list[int]:
    """Put the documents of a range into the batch; the numbers of those that were taken."""
    taken = []
    for number in numbers:
        line = store.line(number)
        try:
            summary = DocumentSummary.parse(line, 0, 0)
        except ValueError as error:
            raise CacheInvalid(f"{store.directory}: document {number + 1}: {error}") from None
        if summary.source in sources:
            taken.append(number)
            batch.sources += summary.source not in seen
            seen.add(summary.source)
            batch.ids.append(summary.id)
            batch.versions.append(summary.version)
            batch.names.append(summary.names)
            batch.lines.append(line)
    for column, section in (
        (batch.tokens, "tokens"),
        (batch.words, "words"),
        (batch.title_words, "title_words"),
        (batch.checksums, "line_checksums"),
    ):
        values = store.index.numbers(section, numbers.start, numbers.stop)
        column.extend(values[number - numbers.start] for number in taken)
    return taken


class _Columns:
    """The sections of an index as arrays in place."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._starts = self._section("posting_starts").astype(np.int64)
        self._documents = self._section("posting_documents")
        self._occurrences = self._section("posting_occurrences")
        self._dense = self._section("dense_terms")
        shape = (len(self._dense), index.documents)
        self._dense_impacts = self._section("dense_impacts").reshape(shape)
        self._dense_occurrences = self._section("dense_occurrences").reshape(shape)
        self._keys = self._section("overflow_keys")
        self._bodies = self._section("overflow_bodies")
        self._titles = self._section("overflow_titles")
        ends = [0, *self._section("term_ends").tolist()]
        start = index.place("term_bytes")
        blob = index.file.read(start, start + ends[-1])
        self._terms = [blob[start:end] for start, end in pairwise(ends)]

    def take_postings(self, first: int, end: int, numbers: Array, batch: Batch) -> None:
        """Put the postings of some documents between `first` and `end` into the batch."""
        found = self._sparse(first, end).and_(self._of_dense(first, end))
        place = np.full(end - first, -1)
        place[numbers - first] = np.arange(len(numbers))
        found = found.at(place[found.documents - first] >= 0)
        by_term = np.argsort(found.terms, kind="stable")
        found = found.at(by_term)
        body, title = self._counts(found)
        present, holding = distinct(found.terms)
        batch.postings = Postings(
            vocabulary=[self._terms[number].decode("utf-8") for number in present.tolist()],
            doc_freqs=holding.astype(np.uint32),
            documents=place[found.documents - first].astype(np.uint32),
            body=body.astype(np.uint32),
            title=title.astype(np.uint16),
            multi_term=(found.occurrences & COMPOUND).astype(np.bool_),
        )

    def _section(self, name: str) -> NDArray[Any]:
        """A whole section, checked."""
        index, items = self._index, self._index.size(name)
        start = index.place(name)
        index.file.check(start, index.place(name, items))
        return np.frombuffer(index.file.bytes, f"<u{index.widths[name]}", items, start)

    def _sparse(self, first: int, end: int) -> _Postings:
        """The postings in lists of the documents from `first` to `end`."""
        places = np.flatnonzero((self._documents >= first) & (self._documents < end))
        return _Postings(
            np.searchsorted(self._starts, places, side="right") - 1,
            self._documents[places].astype(np.int64),
            self._occurrences[places],
            places,
        )

    def _of_dense(self, first: int, end: int) -> _Postings:
        """The postings in columns of the documents from `first` to `end`."""
        rows, within = np.nonzero(self._dense_impacts[:, first:end])
        documents = within + first
        return _Postings(
            self._dense[rows].astype(np.int64),
            documents,
            self._dense_occurrences[rows, documents],
            len(self._documents) + rows * self._index.documents + documents,
        )

    def _counts(self, postings: _Postings) -> tuple[Array, Array]:
        """How often body and title hold each term."""
        packed = postings.occurrences
        body, title = (packed & 0x1F).astype(np.int64), (packed >> 5 & 0x3).astype(np.int64)
        over = packed & 0x7F == OVERFLOW
        rows = np.searchsorted(self._keys, postings.keys[over])
        body[over], title[over] = self._bodies[rows], self._titles[rows]
        return body, title
