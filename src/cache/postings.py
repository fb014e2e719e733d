"""What an index is written from: postings by term, columns of documents, and what follows from them.

From the postings of documents follow those of files, which exact terms share the postings of another
term, and the order of the terms by their ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .format import document_width, is_dense

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ..scoring import Scorer

SLICE = 1 << 21  # postings handled at once

Array = NDArray[np.int64]


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Inversion:
    """All postings, by term and then by document."""

    terms: list[bytes]
    """The vocabulary, sorted."""
    starts: Array
    """Where each term's postings start, and one more for the end."""
    documents: NDArray[np.uint32]
    body: NDArray[np.uint32]
    title: NDArray[np.uint16]
    multi_term: NDArray[np.bool_]


def idfs(doc_freqs: Array, doc_count: int, scorer: Scorer) -> Array:
    """What each term is worth, computed once for each document frequency."""
    distinct, inverse = np.unique(doc_freqs, return_inverse=True)
    values = [scorer.idf(int(n), doc_count) for n in distinct]
    return np.array(values, dtype=np.int64)[inverse] if values else np.zeros(0, np.int64)


def by_value(words: Array, relative: Callable[[int, int, int], int], documents: int) -> Array:
    """`relative` length of each document, computed once for each different length."""
    lengths, inverse = np.unique(words, return_inverse=True)
    total = int(words.sum())
    values = [relative(int(length), total, documents) for length in lengths]
    return np.array(values, dtype=np.int64)[inverse] if values else np.zeros(0, np.int64)


_LETTERS = re.compile("[a-z\x80-\U0010ffff]{4,}|[\u0e00-\U0010ffff]{2}")
"""Terms that are found by their ends: words of letters, and pairs of characters."""
_MIX = np.uint64(0x9E3779B97F4A7C15)


class FilePostings:
    """The postings of whole files: for each term the files that hold it, with impacts.

    A file is a run of documents with one source. It holds a term as often as its documents do; its
    title are the words that stand in the titles of all its documents.
    """

    def __init__(
        self, inversion: Inversion, columns: DocumentColumns, scorer: Scorer, excluded: Sequence[slice]
    ) -> None:
        """The terms in `excluded`, which are ranges in order, have no postings of files."""
        self._scorer = scorer
        self._inversion = inversion
        self._excluded = excluded
        starts = columns.file_starts
        self._starts = starts
        self._count = len(starts)
        documents = len(columns.tokens)
        self._sizes = np.diff(starts, append=documents)
        self._file_of = np.repeat(np.arange(self._count), self._sizes)
        terms = len(inversion.terms)
        self._doc_freqs = np.zeros(terms, np.int64)
        title_words = np.zeros(0, np.int64)
        if self._count:
            words = np.add.reduceat(columns.words, starts)
            title_words = np.minimum.reduceat(columns.title_words, starts)
            self._body_length = by_value(words, scorer.body_length, self._count)
            self._title_length = by_value(title_words, scorer.title_length, self._count)
            for first, last in self._term_slices():
                term_of, *_ = self._grouped(first, last)
                self._doc_freqs[first:last] = np.bincount(term_of - first, minlength=last - first)
        dense = [bool(n) and is_dense(n, self._count, 2) for n in self._doc_freqs.tolist()]
        self._dense = np.flatnonzero(np.array(dense, np.bool_))
        self._idfs = idfs(self._doc_freqs, self._count, scorer)
        self._is_dense = np.zeros(terms, np.bool_)
        self._is_dense[self._dense] = True
        sparse = np.where(self._is_dense, 0, self._doc_freqs)
        self._posting_starts = np.concatenate([[0], np.cumsum(sparse)])
        self.counts = {
            "files": self._count,
            "file_postings": int(self._posting_starts[-1]),
            "file_dense_terms": len(self._dense),
            "file_title_words": int(title_words.sum()),
        }

    def sections(self) -> Iterator[tuple[str, Iterator[NDArray[Any]]]]:
        """The sections of an index, in order, each as arrays that follow one another."""
        width = f"<u{document_width(self._count)}"
        yield "file_starts", iter([self._starts.astype("<u4")])
        yield "file_posting_starts", iter([self._posting_starts.astype("<u4")])
        yield "file_posting_files", (files.astype(width) for files, _ in self._lists())
        yield "file_posting_impacts", (impacts.astype("<u2") for _, impacts in self._lists())
        yield "file_dense_terms", iter([self._dense.astype("<u4")])
        yield "file_dense_frequencies", iter([self._doc_freqs[self._dense].astype("<u4")])
        yield "file_dense_impacts", map(self._column, self._dense.tolist())

    def _lists(self) -> Iterator[tuple[Array, Array]]:
        for first, last in self._term_slices():
            term_of, files, body, title = self._grouped(first, last)
            sparse = ~self._is_dense[term_of]
            impacts = self._impacts(term_of, files, body, title)
            yield files[sparse], impacts[sparse]

    def _column(self, term: int) -> NDArray[np.uint16]:
        term_of, files, body, title = self._grouped(term, term + 1)
        column = np.zeros(self._count, "<u2")
        column[files] = self._impacts(term_of, files, body, title)
        return column

    def _impacts(self, terms: Array, files: Array, body: Array, title: Array) -> Array:
        scorer = self._scorer
        weighted_tf = scorer.weighted_tf(body, title, self._body_length[files], self._title_length[files])
        return scorer.impact(self._idfs[terms], weighted_tf)

    def _term_slices(self) -> Iterator[tuple[int, int]]:
        """The terms that have such postings, as ranges of some two million postings of documents."""
        if self._count:
            starts = self._inversion.starts
            lows = (0, *(terms.stop for terms in self._excluded))
            highs = (*(terms.start for terms in self._excluded), len(self._inversion.terms))
            for low, high in zip(lows, highs, strict=True):
                while low < high:
                    end = int(np.searchsorted(starts, starts[low] + SLICE, side="right")) - 1
                    last = min(high, max(low + 1, end))
                    yield low, last
                    low = last

    def _grouped(self, first: int, last: int) -> tuple[Array, Array, Array, Array]:
        """For each posting of these terms in a file: term, file, occurrences in body and title."""
        inversion = self._inversion
        part = slice(int(inversion.starts[first]), int(inversion.starts[last]))
        term_of = np.repeat(np.arange(first, last), np.diff(inversion.starts[first : last + 1]))
        files = self._file_of[inversion.documents[part]]
        body = inversion.body[part].astype(np.int64)
        title = inversion.title[part].astype(np.int64)
        if not len(term_of):
            return term_of, files, body, title
        keys = term_of * self._count + files
        groups = np.flatnonzero(np.diff(keys, prepend=-1))
        sizes = np.diff(groups, append=len(keys))
        files = files[groups]
        everywhere = sizes == self._sizes[files]
        common = np.where(everywhere, np.minimum.reduceat(title, groups), 0)
        return term_of[groups], files, np.add.reduceat(body, groups), common


def shared_terms(inversion: Inversion, names: slice, exact: slice) -> tuple[Array, Array]:
    """The exact terms whose postings are those of another term, and which that is.

    Impacts of `names` are others, even of equal occurrences.
    """
    doc_freqs = np.diff(inversion.starts)
    signatures = _signatures(inversion)
    others = np.delete(np.arange(len(doc_freqs)), np.r_[names, exact])
    if not len(others) or exact.start == exact.stop:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.argsort(signatures[others], kind="stable")
    ranked = signatures[others][order]
    numbers = np.arange(exact.start, exact.stop)
    found = np.searchsorted(ranked, signatures[numbers])
    partner = others[order[np.minimum(found, len(order) - 1)]]
    same = (signatures[partner] == signatures[numbers]) & (doc_freqs[partner] == doc_freqs[numbers])
    numbers, partner = numbers[same], partner[same]
    equal = _equal(inversion, numbers, partner)
    return numbers[equal], partner[equal]


def _signatures(inversion: Inversion) -> NDArray[np.uint64]:
    """A number for each term, alike for equal postings and seldom for others."""
    starts = inversion.starts
    found = np.zeros(len(starts) - 1, np.uint64)
    low = 0
    while low < len(found):
        last = min(
            len(found),
            max(low + 1, int(np.searchsorted(starts, starts[low] + SLICE, side="right")) - 1),
        )
        part = slice(int(starts[low]), int(starts[last]))
        mixed = inversion.documents[part].astype(np.uint64) * _MIX
        mixed ^= inversion.body[part].astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= inversion.title[part].astype(np.uint64) * np.uint64(0x165667B19E3779F9)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
        found[low:last] = np.add.reduceat(mixed, starts[low:last] - starts[low])
        low = last
    return found


def _equal(inversion: Inversion, some: Array, others: Array) -> NDArray[np.bool_]:
    """Which of some terms have the same postings as their partners, which have as many."""
    starts = inversion.starts
    sizes = starts[some + 1] - starts[some]
    ends = np.cumsum(sizes)
    equal = np.ones(len(some), np.bool_)
    first = 0
    while first < len(some):
        done = ends[first] - sizes[first]
        last = max(first + 1, int(np.searchsorted(ends, done + SLICE, side="right")))
        part = slice(first, last)
        firsts = ends[part] - sizes[part] - done
        within = np.arange(ends[last - 1] - done) - np.repeat(firsts, sizes[part])
        one = within + np.repeat(starts[some[part]], sizes[part])
        other = within + np.repeat(starts[others[part]], sizes[part])
        same = inversion.documents[one] == inversion.documents[other]
        same &= inversion.body[one] == inversion.body[other]
        same &= inversion.title[one] == inversion.title[other]
        equal[part] = np.logical_and.reduceat(same, firsts)
        first = last
    return equal


def suffix_order(terms: list[bytes]) -> Array:
    """The numbers of the terms of four letters and more, sorted by their reversed characters."""
    texts = [(text[::-1], n) for n, text in enumerate(map(bytes.decode, terms)) if _LETTERS.fullmatch(text)]
    return np.array([number for _, number in sorted(texts)], np.int64)
