"""Writing an index file: impacts from occurrences, lists and columns, checksums.

The bytes are a function of the postings and the document columns alone. Postings are taken
in slices of whole terms, so that memory does not grow with the index.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..scoring import ONE
from .format import (
    ALIGNMENT,
    BLOCK,
    MOST_BODY,
    MOST_TITLE,
    MULTI_TERM,
    OVERFLOW,
    SECTIONS,
    TITLE_SHIFT,
    Layout,
    aligned,
    checksum_pages,
    document_width,
    is_dense,
)
from .postings import (
    SLICE,
    DocumentColumns,
    FilePostings,
    Inversion,
    by_value,
    idfs,
    shared_terms,
    suffix_order,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..scoring import Scorer

Array = NDArray[np.int64]


class IndexWriter:
    """Writes the sections of one index file in order."""

    def __init__(
        self,
        file: BinaryIO,
        inversion: Inversion,
        columns: DocumentColumns,
        scorer: Scorer,
        *,
        identity: tuple[bytes, bytes],
    ) -> None:
        """`file` is open for reading and writing, and empty.

        `identity` are the digests of the documents file and of the cache's version.
        """
        self._scorer = scorer
        self._identity = identity
        self._file = file
        self._inversion = inversion
        self._columns = columns
        self._documents = len(columns.tokens)
        self._sections: dict[str, tuple[int, int]] = {}
        self._doc_freqs = np.diff(inversion.starts)
        self._exact = slice(bisect_left(inversion.terms, b"="), bisect_left(inversion.terms, b">"))
        self._names = slice(bisect_left(inversion.terms, b"/"), bisect_left(inversion.terms, b"0"))
        self._shared, self._shared_with = shared_terms(inversion, self._names, self._exact)
        own = self._doc_freqs.copy()
        own[self._shared] = 0
        self._dense = np.flatnonzero([n > 0 and is_dense(int(n), self._documents) for n in own])
        self._idfs = idfs(self._doc_freqs, self._documents, scorer)
        self._body_length, self._title_length = self._lengths()
        self._overflows: list[tuple[int, int, int]] = []

    def write(self) -> None:
        """Write the whole file. Raises `UsageError` when the format cannot hold so much."""
        if len(self._inversion.documents) >= 1 << 32 or self._documents >= 1 << 32:
            raise UsageError(
                "a cache holds at most 4,294,967,295 postings: split the sources into several caches"
            )
        self._file.write(bytes(BLOCK))
        self._write_vocabulary()
        self._write_lists()
        self._write_columns()
        self._write_documents()
        self._write_exact()
        excluded = self._names, self._exact
        self._files = FilePostings(self._inversion, self._columns, self._scorer, excluded)
        for name, parts in self._files.sections():
            self._section(name, parts)
        self._finish()

    def _lengths(self) -> tuple[Array, Array]:
        """The relative lengths of bodies and titles, in exact integers of any size."""
        columns = self._columns
        return (
            by_value(columns.words, self._scorer.body_length, self._documents),
            by_value(columns.title_words, self._scorer.title_length, self._documents),
        )

    def _write_vocabulary(self) -> None:
        terms = self._inversion.terms
        ends = np.cumsum(np.fromiter(map(len, terms), np.int64, len(terms)))
        if len(ends) and ends[-1] >= 1 << 32:
            raise UsageError("the vocabulary exceeds 4 GiB: split the sources into several caches")
        self._section("term_ends", [ends.astype("<u4")])
        self._section("term_bytes", (b"".join(terms[at : at + 65536]) for at in range(0, len(terms), 65536)))

    def _write_lists(self) -> None:
        """The postings of every term that is not dense, section after section."""
        sparse = self._doc_freqs.copy()
        sparse[self._dense] = sparse[self._shared] = 0
        self._sparse_starts = np.concatenate([[0], np.cumsum(sparse)])
        self._section("posting_starts", [self._sparse_starts.astype("<u4")])
        width = f"<u{document_width(self._documents)}"
        documents = self._inversion.documents
        self._section("posting_documents", (documents[p].astype(width) for p, _ in self._slices()))
        self._section("posting_impacts", (self._impacts(p, t).astype("<u2") for p, t in self._slices()))
        self._section("posting_occurrences", self._list_occurrences())

    def _list_occurrences(self) -> Iterator[NDArray[np.uint8]]:
        written = 0
        for positions, _ in self._slices():
            yield self._occurrences(positions, written + np.arange(len(positions)))
            written += len(positions)

    def _slices(self) -> Iterator[tuple[Array, Array]]:
        """The positions of the sparse postings and their terms, some two million at a time."""
        starts = self._inversion.starts
        terms = np.setdiff1d(np.arange(len(self._doc_freqs)), np.concatenate([self._dense, self._shared]))
        ends = np.cumsum(self._doc_freqs[terms])
        first = 0
        while first < len(terms):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + SLICE, side="right")))
            part = terms[first:last]
            term_of = np.repeat(part, self._doc_freqs[part])
            within = np.arange(len(term_of)) - np.repeat(
                ends[first:last] - self._doc_freqs[part] - done, self._doc_freqs[part]
            )
            yield starts[term_of] + within, term_of
            first = last

    def _write_columns(self) -> None:
        """The postings of dense terms, as columns over all documents."""
        self._section("dense_terms", [self._dense.astype("<u4")])
        self._section("dense_frequencies", [self._doc_freqs[self._dense].astype("<u4")])
        self._section("dense_impacts", map(self._dense_impacts, self._dense))
        self._section("dense_occurrences", (self._dense_occurrences(*row) for row in enumerate(self._dense)))

    def _dense_impacts(self, term: np.int64) -> NDArray[np.uint16]:
        positions = np.arange(self._inversion.starts[term], self._inversion.starts[term + 1])
        column = np.zeros(self._documents, "<u2")
        column[self._inversion.documents[positions]] = self._impacts(positions, np.full(len(positions), term))
        return column

    def _dense_occurrences(self, row: int, term: np.int64) -> NDArray[np.uint8]:
        positions = np.arange(self._inversion.starts[term], self._inversion.starts[term + 1])
        documents = self._inversion.documents[positions].astype(np.int64)
        column = np.zeros(self._documents, np.uint8)
        keys = int(self._sparse_starts[-1]) + row * self._documents + documents
        column[documents] = self._occurrences(positions, keys)
        return column

    def _impacts(self, positions: Array, terms: Array) -> Array:
        """The impacts of the postings at `positions`, of the terms with these numbers."""
        documents = self._inversion.documents[positions]
        weighted_tf = self._scorer.weighted_tf(
            self._inversion.body[positions].astype(np.int64),
            self._inversion.title[positions].astype(np.int64),
            self._body_length[documents],
            self._title_length[documents],
        )
        weighted_tf[(terms >= self._names.start) & (terms < self._names.stop)] = ONE
        return self._scorer.impact(self._idfs[terms], weighted_tf)

    def _occurrences(self, positions: Array, keys: Array) -> NDArray[np.uint8]:
        """One byte a posting; what does not fit goes to the overflow table under its key."""
        body, title = self._inversion.body[positions], self._inversion.title[positions]
        over = (body > MOST_BODY) | (title > MOST_TITLE)
        packed = np.where(over, OVERFLOW, body | title.astype(np.uint32) << TITLE_SHIFT)
        rows = zip(keys[over].tolist(), body[over].tolist(), title[over].tolist(), strict=True)
        self._overflows.extend(rows)
        return (packed | np.where(self._inversion.multi_term[positions], MULTI_TERM, 0)).astype(np.uint8)

    def _write_documents(self) -> None:
        """The overflow table and the document columns."""
        table = np.array(self._overflows, dtype=np.int64).reshape(-1, 3)
        self._section("overflow_keys", [table[:, 0].astype("<u8")])
        self._section("overflow_bodies", [table[:, 1].astype("<u4")])
        self._section("overflow_titles", [table[:, 2].astype("<u4")])
        columns = self._columns
        self._section("tokens", [columns.tokens.astype("<u4")])
        self._section("words", [columns.words.astype("<u4")])
        self._section("title_words", [columns.title_words.astype("<u4")])
        self._section("line_ends", [columns.line_ends.astype("<u8")])
        self._section("line_checksums", [columns.line_checksums.astype("<u4")])

    def _write_exact(self) -> None:
        """Which exact terms have the postings of another, and the terms by their ends."""
        self._section("shared_terms", [self._shared.astype("<u4")])
        self._section("shared_with", [self._shared_with.astype("<u4")])
        order = suffix_order(self._inversion.terms)
        self._suffixes = len(order)
        self._section("suffix_order", [order.astype("<u4")])

    def _section(
        self, name: str, parts: Iterator[NDArray[np.generic] | bytes] | list[NDArray[np.generic]]
    ) -> None:
        offset = self._pad(ALIGNMENT)
        length = 0
        for part in parts:
            length += self._file.write(part if isinstance(part, bytes) else part.tobytes())
        self._sections[name] = (offset, length)

    def _pad(self, boundary: int) -> int:
        """Fill with zeros up to a multiple of `boundary`, which is returned."""
        offset = aligned(self._file.tell(), boundary)
        self._file.write(bytes(offset - self._file.tell()))
        return offset

    def _finish(self) -> None:
        """The header, then the checksums of everything."""
        pages = self._pad(BLOCK)
        columns = self._columns
        counts = {
            "documents": self._documents,
            "terms": len(self._inversion.terms),
            "postings": int(self._sparse_starts[-1]),
            "dense_terms": len(self._dense),
            "overflows": len(self._overflows),
            "words": int(columns.words.sum()),
            "title_words": int(columns.title_words.sum()),
            "least_tokens": int(columns.tokens.min()) if self._documents else 0,
            "shared": len(self._shared),
            "suffixes": self._suffixes,
            **self._files.counts,
        }
        assert set(self._sections) == set(SECTIONS)
        self._file.seek(0)
        documents, version = self._identity
        layout = Layout(counts, self._sections, pages, documents=documents, version=version)
        self._file.write(layout.pack())
        self._file.seek(0)
        checksums = [crc32(self._file.read(BLOCK)) for _ in range(pages // BLOCK)]
        self._file.write(checksum_pages(checksums))
