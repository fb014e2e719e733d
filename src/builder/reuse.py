"""Documents of a cache for a new build, without reading or analysing their sources again.

Lines are taken as they are. Postings are read term after term, in one pass over the index, and those of
documents that are gone are left out. Every byte is checked on the way.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import file_of, summary_of
from ..cache.format import BODY, MULTI_TERM, OVERFLOW, TITLE_SHIFT
from ..errors import CacheInvalid
from .compile import Batch
from .counting import Postings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..cache.index import Index
    from ..cache.store import Store

BYTES_AT_ONCE = 1 << 24
POSTINGS_AT_ONCE = 1 << 21

_STRING = rb'"([^"\\]*+)"'
_PAIRS = rb"\[(?:\[\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\",\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"\],?)*+\]"
_BEGINNING = re.compile(
    rb'\{"id":%s,"version":%s,"source":%s,"title":"[^"\\]*+(?:\\.[^"\\]*+)*+",'
    rb'"headings":(%s),"aliases":(\[\]),"content":"' % (_STRING, _STRING, _STRING, _PAIRS)
)
"""How nearly every line begins; others, such as those with escapes in the id, are parsed as JSON."""

Array = NDArray[np.int64]


class Reuse:
    """The documents of a cache that come from some of its files."""

    def __init__(self, store: Store, files: Collection[str]) -> None:
        """`files` are those whose documents are reused."""
        self._store = store
        self._files = files
        self._numbers: list[int] = []

    def documents(self) -> Iterator[Batch]:
        """The documents in id order, without postings. Raises `CacheInvalid` when the cache is damaged."""
        ends = np.array(self._store.index.numbers("line_ends", 0, self._store.index.documents), np.int64)
        seen: set[str] = set()
        first = begin = 0
        while first < len(ends):
            stop = max(first + 1, int(np.searchsorted(ends, begin + BYTES_AT_ONCE, side="right")))
            yield self._batch(range(first, stop), seen)
            first, begin = stop, int(ends[stop - 1])

    def postings(self) -> Iterator[Postings]:
        """The postings of the documents that were given out, numbered from 0; each term comes once."""
        new_numbers = np.full(self._store.index.documents, -1)
        new_numbers[self._numbers] = np.arange(len(self._numbers))
        return _Index(self._store.index, new_numbers).postings()

    def _batch(self, numbers: range, seen: set[str]) -> Batch:
        """The reused documents of a range; `seen` are the files of those before."""
        batch = Batch()
        taken = []
        for number, line in zip(numbers, self._store.lines(numbers.start, numbers.stop), strict=True):
            try:
                id_, version, source, names = _beginning(line)
            except ValueError as error:
                problem = f"{self._store.directory}: document {number + 1}: {error}"
                raise CacheInvalid(problem) from None
            file = file_of(source)
            if file in self._files:
                taken.append(number)
                batch.sources += file not in seen
                seen.add(file)
                batch.ids.append(id_)
                batch.versions.append(version)
                batch.names.append(names)
                batch.lines.append(line)
        for column, section in (
            (batch.tokens, "tokens"),
            (batch.words, "words"),
            (batch.title_words, "title_words"),
            (batch.checksums, "line_checksums"),
        ):
            values = self._store.index.numbers(section, numbers.start, numbers.stop)
            column.extend(values[number - numbers.start] for number in taken)
        self._numbers += taken
        return batch


def _beginning(line: bytes) -> tuple[str, str, str, bytes]:
    """Id, version, source and names of the document of a line. Raises `ValueError`."""
    if match := _BEGINNING.match(line):
        id_, version, source, headings, aliases = match.groups()
        return id_.decode(), version.decode(), source.decode(), b"[%s,%s]" % (headings, aliases)
    summary = summary_of(line, 0, 0)
    return summary.id, summary.version, summary.source, summary.names


class _Index:
    """An index as arrays in place, and the number that each of its documents gets."""

    def __init__(self, index: Index, new_numbers: Array) -> None:
        """`new_numbers` has -1 for a document that is left out."""
        self._index = index
        self._new_numbers = new_numbers
        self._starts = self._section("posting_starts").astype(np.int64)
        self._documents = self._section("posting_documents")
        self._occurrences = self._section("posting_occurrences")
        self._dense = self._section("dense_terms").astype(np.int64)
        shape = (len(self._dense), index.documents)
        self._dense_impacts = self._section("dense_impacts").reshape(shape)
        self._dense_occurrences = self._section("dense_occurrences").reshape(shape)
        self._keys = self._section("overflow_keys")
        self._bodies = self._section("overflow_bodies")
        self._titles = self._section("overflow_titles")
        ends = [0, *self._section("term_ends").tolist()]
        start = index.offset("term_bytes")
        blob = index.file.read(start, start + ends[-1])
        self._terms = [blob[start:end] for start, end in pairwise(ends)]
        self._shared = self._section("shared_terms").astype(np.int64)
        self._shared_with = self._section("shared_with").astype(np.int64)
        self._exact = np.array([term[:1] == b"=" for term in self._terms], np.bool_)

    def postings(self) -> Iterator[Postings]:
        """All postings, some millions at a time."""
        first, terms = 0, len(self._terms)
        while first < terms:
            limit = self._starts[first] + POSTINGS_AT_ONCE
            end = min(max(first + 1, int(np.searchsorted(self._starts, limit, side="right")) - 1), terms)
            yield self._of_lists(first, end)
            first = end
        rows = max(1, POSTINGS_AT_ONCE // max(1, self._index.documents))
        for first in range(0, len(self._dense), rows):
            yield self._of_columns(first, min(first + rows, len(self._dense)))
        yield from self._of_shared()

    def _of_lists(self, first: int, end: int) -> Postings:
        """The postings in lists of some terms."""
        offsets = np.arange(self._starts[first], self._starts[end])
        terms = np.repeat(np.arange(first, end), np.diff(self._starts[first : end + 1]))
        part = slice(self._starts[first], self._starts[end])
        return self._renumbered(terms, self._documents[part], self._occurrences[part], offsets)

    def _of_shared(self) -> Iterator[Postings]:
        """The postings of exact terms that are stored as those of another term."""
        ends = np.cumsum(np.diff(self._starts)[self._shared_with])
        in_lists = np.flatnonzero(np.diff(ends, prepend=0))
        done = 0
        while done < len(in_lists):
            before = ends[in_lists[done] - 1] if in_lists[done] else 0
            limit = int(np.searchsorted(ends[in_lists], before + POSTINGS_AT_ONCE, side="right"))
            chosen = in_lists[done : max(done + 1, limit)]
            others = self._shared_with[chosen]
            sizes = np.diff(self._starts)[others]
            firsts = self._starts[others] - (np.cumsum(sizes) - sizes)
            offsets = np.arange(sizes.sum()) + np.repeat(firsts, sizes)
            terms = np.repeat(self._shared[chosen], sizes)
            yield self._renumbered(terms, self._documents[offsets], self._occurrences[offsets], offsets)
            done += len(chosen)
        for number in np.setdiff1d(np.arange(len(self._shared)), in_lists):
            row = int(np.searchsorted(self._dense, self._shared_with[number]))
            documents = np.flatnonzero(self._dense_impacts[row])
            keys = len(self._documents) + row * self._index.documents + documents
            terms = np.full(len(documents), self._shared[number])
            yield self._renumbered(terms, documents, self._dense_occurrences[row][documents], keys)

    def _of_columns(self, first: int, end: int) -> Postings:
        """The postings in columns of some dense terms."""
        rows, documents = np.nonzero(self._dense_impacts[first:end])
        rows += first
        keys = len(self._documents) + rows * self._index.documents + documents
        return self._renumbered(self._dense[rows], documents, self._dense_occurrences[rows, documents], keys)

    def _renumbered(
        self, terms: Array, documents: NDArray[Any], packed: NDArray[np.uint8], keys: Array
    ) -> Postings:
        """Postings by term, of the documents that are reused; `keys` tell those in the overflow table."""
        numbers = self._new_numbers[documents]
        reused = numbers >= 0
        if not reused.all():
            terms, numbers, packed, keys = terms[reused], numbers[reused], packed[reused], keys[reused]
        body, title = self._counts(packed, keys)
        firsts = np.flatnonzero(np.diff(terms, prepend=-1))
        return Postings(
            vocabulary=[self._terms[term].decode("utf-8") for term in terms[firsts].tolist()],
            doc_freqs=np.diff(firsts, append=len(terms)).astype(np.uint32),
            documents=numbers.astype(np.uint32),
            body=body,
            title=title,
            multi_term=(packed & MULTI_TERM).astype(np.bool_) & ~self._exact[terms],
        )

    def _counts(
        self, packed: NDArray[np.uint8], keys: Array
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        """How often body and title hold each term."""
        body = (packed & BODY).astype(np.uint32)
        title = ((packed & OVERFLOW) >> TITLE_SHIFT).astype(np.uint16)
        over = packed & OVERFLOW == OVERFLOW
        rows = np.searchsorted(self._keys, keys[over])
        body[over], title[over] = self._bodies[rows], self._titles[rows]
        return body, title

    def _section(self, name: str) -> NDArray[Any]:
        """A whole section, checked."""
        index, items = self._index, self._index.size(name)
        start = index.offset(name)
        index.file.check(start, index.offset(name, items))
        return np.frombuffer(index.file.bytes, f"<u{index.widths[name]}", items, start)
