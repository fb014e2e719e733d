"""Documents of a cache for a new build, without reading or analysing their sources again.

Lines are taken as they are. The index is merged with the postings of new documents in one pass, term after
term, and the postings of documents that are gone are left out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import replace
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import file_of, file_of_alias
from ..cache.format import OVERFLOW
from ..cache.postings import Inversion, overflowing, ranges, reversed_text, suffix_order, term_ranges
from ..cache.texts import Texts
from ..errors import CacheInvalid
from .document_list import COLUMNS
from .heads import GrowingHeads, Heads, read_heads

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ..cache.index import Index
    from ..cache.store import Store

BYTES_AT_ONCE = 1 << 20
_GONE = np.uint32(0xFFFFFFFF)

Array = NDArray[np.int64]


class Reuse:
    """The documents of a cache that come from some of its files."""

    def __init__(self, store: Store, files: Collection[str] | None = None) -> None:
        """`files` are those whose documents are reused; without them, all are, to be compared.

        Raises `CacheInvalid` when the cache is damaged.
        """
        self._store = store
        self._is_believed = files is not None
        self.size = store.manifest.files["documents"].bytes
        """Of the documents file."""
        self.read = store.read
        ends = _line_ends(store)
        all_heads = all_heads_of(store)
        all_aliases = {number: all_heads.aliases(number) for number in all_heads.with_aliases()}
        file_of_run = [file_of(source.decode()) for source in all_heads.sources]
        self.files = set(file_of_run if files is None else files)
        """Those whose documents are reused: of a document that is shared, the first of its files is one."""
        if files is not None:
            sharing = all_heads.runs(np.array([*all_aliases], np.int64)).tolist()
            _remove_shared([file_of_run[run] for run in sharing], all_aliases.values(), self.files)
        is_reused = np.array([file in self.files for file in file_of_run], np.bool_)
        sizes = np.diff(all_heads.source_starts, append=len(all_heads))
        self._numbers = np.flatnonzero(np.repeat(is_reused, sizes))
        self.heads = all_heads.chosen(self._numbers)
        self.aliases: dict[int, list[str]] = {}
        """By number, of the documents that have some, the aliases that come from these files."""
        self.changed_aliases: set[int] = set()
        """The documents whose lines have other aliases."""
        for number in np.flatnonzero(np.isin(self._numbers, [*all_aliases])).tolist():
            aliases = all_aliases[int(self._numbers[number])]
            remaining = [one for one in aliases if files is None or file_of_alias(one) in self.files]
            self.aliases[number] = sorted(remaining, key=str.encode)
            if self.aliases[number] != aliases:
                self.changed_aliases.add(number)
        starts = np.concatenate([[0], ends])[:-1]
        columns = {name: np.array(store.index.numbers(name, 0, len(ends)), np.int64) for name in COLUMNS}
        columns |= {"starts": starts, "lengths": ends - starts}
        self.columns = {name: column[self._numbers] for name, column in columns.items()}

    def merged(
        self, new: Inversion, numbers: Array, output: Callable[[str, int, type], NDArray[Any]]
    ) -> Inversion:
        """The postings of these documents, which get `numbers` or -1, and of `new` ones.

        `output` makes an array with a name, a length and a type.
        """
        taken = np.full(self._store.index.documents, _GONE)
        taken[self._numbers] = np.where(numbers < 0, _GONE, numbers)
        old = _StoredIndex(self._store.index, is_believed=self._is_believed)
        inversion = _IndexMerge(old, taken, new).run(output)
        return (
            inversion if self._is_believed else replace(inversion, suffix_order=suffix_order(inversion.terms))
        )


def all_heads_of(store: Store) -> Heads:
    """How all lines of a cache begin. Raises `CacheInvalid`."""
    heads, ends = GrowingHeads(), _line_ends(store)
    first = begin = 0
    try:
        while first < len(ends):
            stop = max(first + 1, int(np.searchsorted(ends, begin + BYTES_AT_ONCE, side="right")))
            end = int(ends[stop - 1])
            starts = np.concatenate([[begin], ends[first : stop - 1]]) - begin
            heads.add(read_heads(store.read(begin, end - begin), starts.tolist()))
            first, begin = stop, end
    except ValueError as error:
        raise CacheInvalid(f"{store.directory}: documents {first + 1} to {stop}: {error}") from None
    return heads.heads()


def _line_ends(store: Store) -> Array:
    return np.array(store.index.numbers("line_ends", 0, store.index.documents), np.int64)


def _remove_shared(firsts: Iterable[str], aliases: Iterable[list[str]], files: set[str]) -> None:
    """Remove from `files` those that share a document of a file that is not among them, or is removed.

    `firsts` are the files that shared documents come from, `aliases` their other ids.
    """
    sharing: defaultdict[str, set[str]] = defaultdict(set)
    for first, ids in zip(firsts, aliases, strict=True):
        sharing[first].update(map(file_of_alias, ids))
    pending = [file for file in sharing if file not in files]
    while pending:
        others = sharing.get(pending.pop(), set()) & files
        files -= others
        pending += others


class _Part(NamedTuple):
    """The postings of some terms: a column each."""

    doc_freqs: Array
    documents: NDArray[np.uint32]
    occurrences: NDArray[np.uint8]
    overflows: Array
    """The counts of those that do not fit, a row each."""


class _StoredIndex:
    """An index as arrays in place."""

    def __init__(self, index: Index, *, is_believed: bool) -> None:
        """Every byte is checked, unless it `is_believed` that the file has its SHA-256."""
        self._index = index
        self._is_believed = is_believed
        self._starts = self._section("posting_starts").astype(np.int64)
        self._documents = self._section("posting_documents")
        self._occurrences = self._section("posting_occurrences")
        self._dense = self._section("dense_terms").astype(np.int64)
        shape = (len(self._dense), index.documents)
        self._dense_impacts = self._section("dense_impacts").reshape(shape)
        self._dense_occurrences = self._section("dense_occurrences").reshape(shape)
        self._keys = self._section("overflow_keys")
        self._counts = np.stack([self._section(f"overflow_{name}") for name in ("bodies", "titles")], axis=1)
        ends = [0, *self._section("term_ends").tolist()]
        start = index.offset("term_bytes")
        blob = bytes(self._read(start, start + ends[-1]))
        self.terms = [blob[start:end] for start, end in pairwise(ends)]
        self.suffix_order = self._section("suffix_order").astype(np.int64)
        self._partner = np.arange(len(self.terms))
        self._partner[self._section("shared_terms")] = self._section("shared_with")
        self._listed = np.diff(self._starts)
        own = self._listed.copy()
        own[self._dense] = self._section("dense_frequencies")
        self.doc_freqs = own[self._partner]

    def part(self, first: int, last: int) -> _Part:
        """The postings of the terms from `first` up to `last`."""
        sizes, listed = self.doc_freqs[first:last], self._listed[first:last]
        part = slice(self._starts[first], self._starts[last])
        documents, occurrences = self._documents[part], self._occurrences[part]
        if (sizes != listed).any():
            documents, occurrences = self._completed(first, last, documents, occurrences)
        over = overflowing(occurrences)
        starts = np.cumsum(sizes) - sizes
        terms = np.searchsorted(starts, over, side="right") - 1
        keys = self._keys_of(self._partner[first + terms], over - starts[terms], documents[over])
        rows = self._counts[np.searchsorted(self._keys, keys)]
        return _Part(sizes, documents, occurrences, rows.astype(np.int64))

    def _completed(
        self, first: int, last: int, listed: NDArray[np.uint32], occurrences_listed: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """The columns of some terms, given those of their lists, where some are dense or stored as others."""
        sizes, partners = self.doc_freqs[first:last], self._partner[first:last]
        starts = np.cumsum(sizes) - sizes
        documents, occurrences = np.empty(sizes.sum(), np.uint32), np.empty(sizes.sum(), np.uint8)
        is_listed = np.repeat(sizes == self._listed[first:last], sizes)
        documents[is_listed], occurrences[is_listed] = listed, occurrences_listed
        shared = np.flatnonzero((partners != np.arange(first, last)) & (self._listed[partners] > 0))
        there, stored = (ranges(at[shared], sizes[shared]) for at in (starts, self._starts[partners]))
        documents[there], occurrences[there] = self._documents[stored], self._occurrences[stored] & OVERFLOW
        for number in np.flatnonzero(self._listed[partners] == 0).tolist():
            row = int(np.searchsorted(self._dense, partners[number]))
            column = slice(starts[number], starts[number] + sizes[number])
            documents[column] = holders = np.flatnonzero(self._dense_impacts[row])
            is_own = partners[number] == first + number
            occurrences[column] = self._dense_occurrences[row][holders] & (0xFF if is_own else OVERFLOW)
        return documents, occurrences

    def _keys_of(self, terms: Array, ranks: Array, documents: NDArray[np.uint32]) -> Array:
        """The keys in the overflow table of postings of terms: the rank of each in its list, its document."""
        rows = np.searchsorted(self._dense, terms)
        in_columns = len(self._documents) + rows * self._index.documents + documents
        return np.where(self._listed[terms] > 0, self._starts[terms] + ranks, in_columns)

    def _section(self, name: str) -> NDArray[Any]:
        """A whole section."""
        items = self._index.size(name)
        data = self._read(self._index.offset(name), self._index.offset(name, items))
        return np.frombuffer(data, f"<u{self._index.widths[name]}", items)

    def _read(self, start: int, end: int) -> memoryview:
        file = self._index.file
        if self._is_believed:
            return file.read_unchecked(start, end)
        file.check(start, end)
        return file.bytes[start:end]


class _IndexMerge:
    """The postings of an index and of new documents, put together."""

    def __init__(self, old: _StoredIndex, taken: NDArray[np.uint32], new: Inversion) -> None:
        """`taken` has the number that each document of the index gets, `_GONE` for one that is left out."""
        self._old = old
        self._taken = taken
        self._new = new
        at = np.array([bisect_left(old.terms, term) for term in new.terms], np.int64)
        pairs = zip(at.tolist(), new.terms, strict=True)
        is_added = np.array([old.terms[n : n + 1] != [term] for n, term in pairs], np.bool_)
        before = at[is_added]
        self._added = list(compress(new.terms, is_added.tolist()))
        self._terms = sorted(old.terms + self._added)
        numbers = np.arange(len(old.terms))
        self._of_old = numbers + np.searchsorted(before, numbers, side="right")
        """The number in all of each term of the index."""
        ranks = np.where(is_added, np.cumsum(is_added) - 1, np.searchsorted(before, at, side="right"))
        self._of_new = at + ranks
        self._numbers_of_added = self._of_new[is_added]

    def run(self, output: Callable[[str, int, type], NDArray[Any]]) -> Inversion:
        """Merge, some postings at a time."""
        sizes = np.zeros(len(self._terms), np.int64)
        sizes[self._of_old] = self._old.doc_freqs
        sizes[self._of_new] += np.diff(self._new.starts)
        total = int(sizes.sum())
        documents = output("merged-documents", total, np.uint32)
        occurrences = output("merged-occurrences", total, np.uint8)
        doc_freqs, overflows, done = np.zeros(len(sizes), np.int64), [np.zeros((0, 2), np.int64)], 0
        for first, last in term_ranges(np.concatenate([[0], np.cumsum(sizes)]), 0, len(sizes)):
            part = self._part(first, last)
            end = done + len(part.documents)
            documents[done:end], occurrences[done:end] = part.documents, part.occurrences
            doc_freqs[first:last] = part.doc_freqs
            overflows.append(part.overflows)
            done = end
        occurs = doc_freqs > 0
        return Inversion(
            terms=Texts.of([*compress(self._terms, occurs.tolist())]),
            starts=np.concatenate([[0], np.cumsum(doc_freqs[occurs])]),
            documents=documents[:done],
            occurrences=occurrences[:done],
            overflows=np.concatenate(overflows),
            suffix_order=(np.cumsum(occurs) - 1)[self._suffix_order(occurs)],
        )

    def _part(self, first: int, last: int) -> _Part:
        """The postings of some terms of all."""
        old_terms = slice(*np.searchsorted(self._of_old, (first, last)).tolist())
        old = self._stored(old_terms.start, old_terms.stop)
        low, high = np.searchsorted(self._of_new, (first, last)).tolist()
        new, starts = self._new, self._new.starts
        part = slice(int(starts[low]), int(starts[high]))
        doc_freqs = np.zeros((2, last - first), np.int64)
        doc_freqs[0, self._of_old[slice(*np.searchsorted(self._of_old, (first, last)))] - first] = (
            old.doc_freqs
        )
        doc_freqs[1, self._of_new[low:high] - first] = np.diff(starts[low : high + 1])
        ends = np.repeat(np.cumsum(doc_freqs[0]), doc_freqs[1])
        begins = ends - np.repeat(doc_freqs[0], doc_freqs[1])
        at = _lower_bounds(old.documents, begins, ends, new.documents[part])
        is_new = np.zeros(len(old.documents) + len(at), np.bool_)
        is_new[at + np.arange(len(at))] = True
        occurrences = _interleaved(is_new, old.occurrences, new.occurrences[part])
        is_new_row = is_new[overflowing(occurrences)]
        rows = new.overflows[slice(*np.searchsorted(new.overflow_offsets, (part.start, part.stop)))]
        overflows = np.empty((len(is_new_row), 2), np.int64)
        overflows[is_new_row], overflows[~is_new_row] = rows, old.overflows
        documents = _interleaved(is_new, old.documents, new.documents[part])
        return _Part(doc_freqs.sum(axis=0), documents, occurrences, overflows)

    def _stored(self, first: int, last: int) -> _Part:
        """The postings of some terms of the index, of the documents that are taken."""
        part = self._old.part(first, last)
        documents = self._taken.take(part.documents)
        stays = documents != _GONE
        if stays.all():
            return part._replace(documents=documents)
        is_kept = stays[overflowing(part.occurrences)]
        starts = np.cumsum(part.doc_freqs) - part.doc_freqs
        return _Part(
            np.add.reduceat(stays, starts, dtype=np.int64),
            documents[stays],
            part.occurrences[stays],
            part.overflows[is_kept],
        )

    def _suffix_order(self, occurs: NDArray[np.bool_]) -> Array:
        """The terms of all that are found by their ends, in that order."""
        order = self._of_old[self._old.suffix_order]
        order = order[occurs[order]]
        texts = zip(map(reversed_text, self._added), self._numbers_of_added.tolist(), strict=True)
        added = sorted((text, number) for text, number in texts if text is not None)

        def text_at(position: int) -> str:
            text: str = self._terms[order[position]].decode()
            return text[::-1]

        at = [bisect_left(range(len(order)), text, key=text_at) for text, _ in added]
        return np.insert(order, at, [number for _, number in added])


def _lower_bounds(values: NDArray[np.uint32], low: Array, high: Array, wanted: NDArray[np.uint32]) -> Array:
    """Where in `values`, which ascend between `low` and `high`, each of the wanted belongs."""
    while (is_open := low < high).any():
        middle = (low + high) // 2
        is_below = is_open & (values[np.minimum(middle, len(values) - 1)] < wanted)
        low, high = np.where(is_below, middle + 1, low), np.where(is_open & ~is_below, middle, high)
    return low


def _interleaved(is_new: NDArray[np.bool_], old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    if not len(new):
        return old
    merged = np.empty(len(is_new), old.dtype)
    merged[is_new], merged[~is_new] = new, old
    return merged
