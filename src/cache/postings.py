"""What an index is written from: postings by term, columns of documents, and what follows from them.

From the postings of documents follow those of files, which exact terms share the postings of another
term, and the order of the terms by their ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .format import BODY, MOST_BODY, MOST_TITLE, MULTI_TERM, OVERFLOW, TITLE_SHIFT

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

    @property
    def file_title_words(self) -> Array:
        """The words of the title of each file, which stand in the titles of all its documents."""
        return (
            np.minimum.reduceat(self.title_words, self.file_starts)
            if len(self.file_starts)
            else self.file_starts
        )


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
    suffix_order: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    """The terms that are found by their ends, in that order, where that is known."""

    @cached_property
    def overflow_offsets(self) -> Array:
        """Where the postings of the rows of `overflows` are."""
        return overflowing(self.occurrences)

    def slices(self, terms: slice) -> Iterator[PostingSlice]:
        """The postings of a range of terms, some at a time."""
        for first, last in term_ranges(self.starts, terms.start, terms.stop):
            yield PostingSlice(self, first, last)

    def runs(self, postings: int) -> Iterator[Inversion]:
        """All terms, with about so many postings at a time."""
        for first, last in term_ranges(self.starts, 0, len(self.terms), postings):
            part = slice(int(self.starts[first]), int(self.starts[last]))
            rows = np.searchsorted(self.overflow_offsets, (part.start, part.stop))
            yield Inversion(
                terms=self.terms[first:last],
                starts=self.starts[first : last + 1] - part.start,
                documents=self.documents[part],
                occurrences=self.occurrences[part],
                overflows=self.overflows[slice(*rows.tolist())],
            )

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
        return unpacked(self.occurrences, self.overflow_rows(overflowing(self.occurrences)))

    def overflow_rows(self, offsets: Array) -> Array:
        """The counts of its postings that do not fit."""
        return self._inversion.overflow_rows(self._start + offsets)


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


def term_ranges(starts: Array, first: int, stop: int, at_once: int = SLICE) -> Iterator[tuple[int, int]]:
    """Ranges of the terms from `first` up to `stop` whose postings are handled `at_once`.

    `starts` has where those of each term start, and one more for the end.
    """
    while first < stop:
        limit = int(np.searchsorted(starts, starts[first] + at_once, side="right")) - 1
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


def impacts_of(
    scorer: Scorer,
    idf: Array,
    body: Array,
    title: Array,
    *,
    lengths: tuple[Array, Array],
    owners: NDArray[Any],
) -> Array:
    """The impacts of some postings, given the occurrences and the document or file, the owner, of each.

    `lengths` are those of the body and of the title of each owner.
    """
    body_lengths, title_lengths = lengths
    weighted_tf = scorer.body_tf(body, body_lengths.take(owners))
    titled = np.flatnonzero(title)  # few are
    weighted_tf[titled] += scorer.title_tf(title[titled], title_lengths.take(owners[titled]))
    return scorer.impact(idf, weighted_tf)


class Kind(NamedTuple):
    """Terms whose impacts are computed in one way."""

    terms: slice
    is_name: bool
    """Words of names and whole headings: each counts once."""
    is_plain: bool
    """Those that have postings of files, too."""


def kinds_of(terms: Sequence[bytes]) -> Iterator[Kind]:
    """All terms by their kinds, in order."""
    names = slice(bisect_left(terms, b"/"), bisect_left(terms, b"0"))
    exact = slice(bisect_left(terms, b"="), bisect_left(terms, b">"))
    headings = slice(bisect_left(terms, b"<"), exact.start)
    yield Kind(slice(0, names.start), is_name=False, is_plain=True)
    yield Kind(names, is_name=True, is_plain=False)
    yield Kind(slice(names.stop, headings.start), is_name=False, is_plain=True)
    yield Kind(headings, is_name=True, is_plain=False)
    yield Kind(exact, is_name=False, is_plain=False)
    yield Kind(slice(exact.stop, len(terms)), is_name=False, is_plain=True)


_MIX = np.uint64(0x9E3779B97F4A7C15)


def signatures(inversion: Inversion, key: bytes) -> NDArray[np.uint64]:
    """Two numbers for the documents and counts of each term, a row, equal only where those are.

    Each is a sum over the postings: a number of the document times one of its counts. That of a document
    follows from 8 bytes of the `key`, so that nobody can write documents for which sums happen to be equal.
    """
    of_terms = np.zeros((len(inversion.terms), 2), np.uint64)
    documents = int(inversion.documents.max(initial=0)) + 1
    of_documents = [_mixed(documents, key[:8]), _mixed(documents, key[8:16])]
    for part in inversion.slices(slice(0, len(of_terms))):
        counts = (part.occurrences & OVERFLOW).astype(np.uint64)
        over = overflowing(part.occurrences)
        bodies, titles = part.overflow_rows(over).astype(np.uint64).T
        counts[over] = bodies << np.uint64(32) | titles << np.uint64(8) | np.uint64(OVERFLOW)
        odd = counts << np.uint64(1) | np.uint64(1)
        for column, mixed in enumerate(of_documents):
            of_terms[part.terms, column] = np.add.reduceat(mixed.take(part.documents) * odd, part.starts)
    return of_terms


def _mixed(count: int, key: bytes) -> NDArray[np.uint64]:
    """So many numbers that nobody knows without the key."""
    numbers = np.arange(count, dtype=np.uint64) ^ np.uint64(int.from_bytes(key, "big"))
    for _ in range(2):
        numbers *= _MIX
        numbers ^= numbers >> np.uint64(29)
    return numbers


def shared_terms(terms: Sequence[bytes], of_terms: NDArray[np.uint64]) -> tuple[Array, Array]:
    """The exact terms whose postings are those of a plain term, and which that is, given all signatures."""
    kinds = [*kinds_of(terms)]
    plain = np.concatenate([np.arange(len(terms))[kind.terms] for kind in kinds if kind.is_plain])
    (exact,) = (np.arange(len(terms))[kind.terms] for kind in kinds if not kind.is_plain and not kind.is_name)
    if not len(plain):
        return exact[:0], exact[:0]
    order = np.argsort(of_terms[plain, 0], kind="stable")
    rows = np.searchsorted(of_terms[plain[order], 0], of_terms[exact, 0])
    partners = plain[order[np.minimum(rows, len(order) - 1)]]
    same = (of_terms[partners] == of_terms[exact]).all(axis=1)
    return exact[same], partners[same]


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
