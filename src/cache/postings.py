"""What an index is written from: postings by term, columns of documents, and what follows from them.

From the postings of documents follow those of files, which exact terms share the postings of another
term, and the order of the terms by their ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .format import BODY, MOST_BODY, MOST_TITLE, MULTI_TERM, OVERFLOW, TITLE_SHIFT, is_dense

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..scoring import Scorer
    from .texts import Texts

SLICE = 1 << 17  # postings handled at once: their columns fit the cache of a core

Array = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentColumns:
    """One number for each document, in id order."""

    tokens: Array
    words: Array
    title_words: Array
    line_ends: Array
    line_checksums: Array
    file_starts: Array
    """The first document of each file; empty where no file was split."""


@dataclass(frozen=True, kw_only=True)
class Inversion:
    """All postings, by term and then by document."""

    terms: Texts
    """The vocabulary, sorted."""
    starts: Array
    """Where each term's postings start, and one more for the end; each term has some."""
    documents: NDArray[np.uint32]
    occurrences: Bytes
    """As an index has them."""
    overflows: Array
    """The counts in body and title of each posting that do not fit there, a row each, in order."""
    suffix_order: Array
    """The terms that are found by their ends, in that order."""

    @cached_property
    def overflow_offsets(self) -> Array:
        """Where the postings of the rows of `overflows` are."""
        return overflowing(self.occurrences)

    def slices(self, terms: slice) -> Iterator[PostingSlice]:
        """The postings of a range of terms, some at a time."""
        for first, last in term_ranges(self.starts, terms.start, terms.stop):
            yield PostingSlice(self, first, last)

    def overflow_rows(self, offsets: Array) -> Array:
        """The counts of postings that do not fit."""
        return self.overflows[np.searchsorted(self.overflow_offsets, offsets)]


class PostingSlice:
    """The postings of some terms that follow each other."""

    def __init__(self, inversion: Inversion, first: int, last: int) -> None:
        """Those of the terms from `first` up to `last`."""
        start, end = int(inversion.starts[first]), int(inversion.starts[last])
        self._inversion = inversion
        self._start = start
        self.terms = slice(first, last)
        self.starts = inversion.starts[first:last] - start
        """Where each term begins."""
        self.doc_freqs = np.diff(inversion.starts[first : last + 1])
        self.documents = inversion.documents[start:end]
        self.occurrences = inversion.occurrences[start:end]

    def counts(self) -> tuple[Array, Array]:
        """How often body and title hold each term."""
        rows = self._inversion.overflow_rows(self._start + overflowing(self.occurrences))
        return unpacked(self.occurrences, rows)


def packed(body: Array, title: Array, multi_term: NDArray[np.bool_]) -> tuple[Bytes, Array]:
    """The occurrences of some postings as an index has them, and the counts of those that do not fit."""
    over = (body > MOST_BODY) | (title > MOST_TITLE)
    occurrences = np.where(over, OVERFLOW, body | title << TITLE_SHIFT) | multi_term * MULTI_TERM
    return occurrences.astype(np.uint8), np.stack([body[over], title[over]], axis=1)


def unpacked(occurrences: Bytes, overflows: Array) -> tuple[Array, Array]:
    """How often body and title hold each term, given the counts of those that do not fit."""
    body = (occurrences & BODY).astype(np.int64)
    title = ((occurrences & OVERFLOW) >> TITLE_SHIFT).astype(np.int64)
    over = overflowing(occurrences)
    body[over], title[over] = overflows.T
    return body, title


def overflowing(occurrences: Bytes) -> Array:
    """Which occurrences do not fit in their byte."""
    offsets = [np.zeros(0, np.int64)]
    for at in range(0, len(occurrences), SLICE):
        offsets.append(at + np.flatnonzero((occurrences[at : at + SLICE] & OVERFLOW) == OVERFLOW))
    return np.concatenate(offsets)


def term_ranges(starts: Array, first: int, stop: int) -> Iterator[tuple[int, int]]:
    """Ranges of the terms from `first` up to `stop` whose postings are handled at once.

    `starts` has where those of each term start, and one more for the end.
    """
    while first < stop:
        limit = int(np.searchsorted(starts, starts[first] + SLICE, side="right")) - 1
        last = min(stop, max(first + 1, limit))
        yield first, last
        first = last


def ranges(starts: Array, sizes: Array) -> Array:
    """The numbers of ranges, one after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Array = np.arange(total) + np.repeat(starts - (ends - sizes), sizes)
    return numbers


def idfs(doc_freqs: Array, doc_count: int, scorer: Scorer) -> Callable[[Array], Array]:
    """What terms of some of these document frequencies are worth, computed once for each frequency."""
    return _by_value(doc_freqs, lambda doc_freq: scorer.idf(doc_freq, doc_count))


def relative_lengths(words: Array, relative: Callable[[int, int, int], int]) -> Array:
    """The `relative` length of each document or file, in exact integers of any size."""
    total = int(words.sum())
    return _by_value(words, lambda length: relative(length, total, len(words)))(words)


def _by_value(numbers: Array, value: Callable[[int], int]) -> Callable[[Array], Array]:
    """The values of some of these numbers, computed once for each different one."""
    ordered = np.sort(numbers)
    distinct = ordered[np.flatnonzero(np.diff(ordered, prepend=-1))]
    values: Array = np.array([value(number) for number in distinct.tolist()], np.int64)
    return lambda some: values[np.searchsorted(distinct, some)]


class _FileOccurrences(NamedTuple):
    """For each posting of some terms in a file."""

    files: NDArray[np.uint32]
    body: Array
    title: Array


class FilePostings:
    """The postings of whole files: for each term the files that hold it, with impacts.

    A file is a run of documents with one source. It holds a term as often as its documents do; its
    title are the words that stand in the titles of all its documents.
    """

    def __init__(
        self, inversion: Inversion, columns: DocumentColumns, scorer: Scorer, terms: Sequence[slice]
    ) -> None:
        """The terms in the ranges `terms`, which are in order, have such postings."""
        self._scorer = scorer
        self._inversion = inversion
        self._terms = terms
        starts = columns.file_starts
        self.starts = starts
        count = len(starts)
        self._count = count
        self._sizes = np.diff(starts, append=len(columns.tokens))
        self._file_of = np.repeat(np.arange(count, dtype=np.uint32), self._sizes)
        words = np.add.reduceat(columns.words, starts) if count else starts
        title_words = np.minimum.reduceat(columns.title_words, starts) if count else starts
        self._body_length = relative_lengths(words, scorer.body_length)
        self._title_length = relative_lengths(title_words, scorer.title_length)
        self._doc_freqs = np.zeros(len(inversion.terms), np.int64)
        for part in self._slices():
            _, is_first = self._files(part)
            self._doc_freqs[part.terms] = np.add.reduceat(is_first, part.starts, dtype=np.int64)
        self._idf = idfs(self._doc_freqs, count, scorer)
        self._is_dense = is_dense(self._doc_freqs, count, 2) & (self._doc_freqs > 0)
        self.dense = np.flatnonzero(self._is_dense)
        self.dense_frequencies = self._doc_freqs[self.dense]
        self.posting_starts = np.concatenate([[0], np.cumsum(np.where(self._is_dense, 0, self._doc_freqs))])
        self.counts = {
            "files": count,
            "file_postings": int(self.posting_starts[-1]),
            "file_dense_terms": len(self.dense),
            "file_title_words": int(title_words.sum()),
        }

    def lists(self) -> Iterator[tuple[NDArray[np.uint32], Array]]:
        """The postings of terms that are not dense: files and impacts, some at a time."""
        for part in self._slices():
            in_files = self._in_files(part)
            impacts = self._impacts(part, in_files)
            listed = np.repeat(~self._is_dense[part.terms], self._doc_freqs[part.terms])
            yield in_files.files[listed], impacts[listed]

    def dense_impacts(self, term: int) -> NDArray[np.uint16]:
        """The impacts of a dense term in all files."""
        column = np.zeros(self._count, "<u2")
        part = PostingSlice(self._inversion, term, term + 1)
        in_files = self._in_files(part)
        column[in_files.files] = self._impacts(part, in_files)
        return column

    def _slices(self) -> Iterator[PostingSlice]:
        for terms in self._terms if self._count else ():
            yield from self._inversion.slices(terms)

    def _files(self, part: PostingSlice) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """The file of each posting, and whether it is the first of its term in that file."""
        files = self._file_of.take(part.documents)
        is_first = np.ones(len(files), np.bool_)
        np.not_equal(files[1:], files[:-1], out=is_first[1:])
        is_first[part.starts] = True
        return files, is_first

    def _in_files(self, part: PostingSlice) -> _FileOccurrences:
        files, is_first = self._files(part)
        firsts = np.flatnonzero(is_first)
        files = files[firsts]
        body, title = part.counts()
        sizes = np.diff(firsts, append=len(is_first))
        bodies = np.diff(np.cumsum(body)[firsts + sizes - 1], prepend=0)  # `reduceat` takes twice as long
        titles = np.zeros(len(firsts), np.int64)
        titled = np.flatnonzero((title[firsts] > 0) & (sizes == self._sizes.take(files)))  # few are
        rows, starts = ranges(firsts[titled], sizes[titled]), np.cumsum(sizes[titled]) - sizes[titled]
        titles[titled] = np.minimum.reduceat(title[rows], starts)
        return _FileOccurrences(files, bodies, titles)

    def _impacts(self, part: PostingSlice, in_files: _FileOccurrences) -> Array:
        doc_freqs = self._doc_freqs[part.terms]
        idf = np.repeat(self._idf(doc_freqs), doc_freqs)
        lengths = self._body_length, self._title_length
        return impacts_of(
            self._scorer, idf, in_files.body, in_files.title, lengths=lengths, owners=in_files.files
        )


def impacts_of(
    scorer: Scorer,
    idf: Array,
    body: Array,
    title: Array,
    *,
    lengths: tuple[Array, Array],
    owners: NDArray[np.uint32],
) -> Array:
    """The impacts of some postings, given the occurrences and the document or file, the owner, of each.

    `lengths` are those of the body and of the title of each owner.
    """
    body_lengths, title_lengths = lengths
    weighted_tf = scorer.body_tf(body, body_lengths.take(owners))
    titled = np.flatnonzero(title)  # few are
    weighted_tf[titled] += scorer.title_tf(title[titled], title_lengths.take(owners[titled]))
    return scorer.impact(idf, weighted_tf)


_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIX_AGAIN = np.uint64(0xBF58476D1CE4E5B9)


def shared_terms(inversion: Inversion, names: slice, headings: slice, exact: slice) -> tuple[Array, Array]:
    """The exact terms whose postings are those of another term, and which that is.

    Impacts of `names` and `headings` are others, even of equal occurrences.
    """
    doc_freqs = np.diff(inversion.starts)
    numbers = np.arange(exact.start, exact.stop)
    others = np.delete(np.arange(len(doc_freqs)), np.r_[names, headings, exact])
    # Only what begins, ends and is as frequent alike is looked at: a tenth of the postings.
    ends = _hash_pairs(
        inversion.documents[inversion.starts[:-1]].astype(np.uint64), doc_freqs.astype(np.uint64)
    )
    ends = _hash_pairs(ends, inversion.documents[inversion.starts[1:] - 1].astype(np.uint64))
    has_other = np.isin(ends[numbers], ends[others])
    others = others[np.isin(ends[others], ends[numbers])]
    numbers = numbers[has_other]
    if not len(numbers):
        return numbers, numbers
    signatures = np.zeros(len(doc_freqs), np.uint64)
    for terms in (numbers, others):
        signatures[terms] = _signatures(inversion, terms)
    order = np.argsort(signatures[others], kind="stable")
    rows = np.searchsorted(signatures[others][order], signatures[numbers])
    partners = others[order[np.minimum(rows, len(order) - 1)]]
    same = (signatures[partners] == signatures[numbers]) & (doc_freqs[partners] == doc_freqs[numbers])
    numbers, partners = numbers[same], partners[same]
    equal = _equal(inversion, numbers, partners)
    return numbers[equal], partners[equal]


def _hash_pairs(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of each pair of numbers."""
    mixed = (first ^ (second * _MIX_AGAIN)) * _MIX
    return mixed ^ (mixed >> np.uint64(29))


def _signatures(inversion: Inversion, terms: Array) -> NDArray[np.uint64]:
    """A hash of the postings of each term."""
    signatures = [np.zeros(0, np.uint64)]
    for part, firsts in _parts(inversion, terms):
        offsets = ranges(inversion.starts[part], np.diff(firsts))
        occurrences = inversion.occurrences[offsets]
        counts = (occurrences & OVERFLOW).astype(np.uint64)
        over = overflowing(occurrences)
        counts[over] = _hash_pairs(*inversion.overflow_rows(offsets[over]).astype(np.uint64).T)
        mixed = _hash_pairs(inversion.documents[offsets].astype(np.uint64), counts) * _MIX_AGAIN
        signatures.append(np.add.reduceat(mixed ^ (mixed >> np.uint64(32)), firsts[:-1]))
    return np.concatenate(signatures)


def _equal(inversion: Inversion, some: Array, partners: Array) -> NDArray[np.bool_]:
    """Which of some terms have the same postings as their partners, which have as many."""
    equal = [np.zeros(0, np.bool_)]
    done = 0
    for part, firsts in _parts(inversion, some):
        sizes = np.diff(firsts)
        one = ranges(inversion.starts[part], sizes)
        other = ranges(inversion.starts[partners[done : done + len(part)]], sizes)
        same = inversion.documents[one] == inversion.documents[other]
        occurrences = inversion.occurrences[one]
        same &= ((occurrences ^ inversion.occurrences[other]) & OVERFLOW) == 0
        over = np.flatnonzero(same & ((occurrences & OVERFLOW) == OVERFLOW))
        rows = inversion.overflow_rows(one[over]) == inversion.overflow_rows(other[over])
        same[over] = rows.all(axis=1)
        equal.append(np.logical_and.reduceat(same, firsts[:-1]))
        done += len(part)
    return np.concatenate(equal)


def _parts(inversion: Inversion, terms: Array) -> Iterator[tuple[Array, Array]]:
    """Some terms at a time, and where the postings of each begin when all are put together, and their end."""
    starts = np.concatenate([[0], np.cumsum(inversion.starts[terms + 1] - inversion.starts[terms])])
    for first, last in term_ranges(starts, 0, len(terms)):
        yield terms[first:last], starts[first : last + 1] - starts[first]


_LETTERS = re.compile("[^\0-`{-\x7f]{4,}|[^\0-\u0dff]{2}")  # ranges up to U+10FFFF take 4 ms to compile
"""Terms that are found by their ends: words of letters, and pairs of characters."""


def reversed_text(term: bytes) -> str | None:
    """The characters of a term from its end, if it is found by that; else None."""
    text = term.decode()
    return text[::-1] if _LETTERS.fullmatch(text) else None


def suffix_order(terms: Sequence[bytes]) -> Array:
    """The numbers of the terms that are found by their ends, sorted by their reversed characters."""
    texts = [(text, number) for number, text in enumerate(map(reversed_text, terms)) if text is not None]
    return np.array([number for _, number in sorted(texts)], np.int64)
