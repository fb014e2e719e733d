"""Writing an index file: impacts from occurrences, lists and columns, checksums.

The bytes are a function of the postings and the document columns alone. Postings are taken
in slices of whole terms, so that memory does not grow with the index.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import SCRATCH_CHANGED, IoError, UsageError
from .format import BLOCK, SECTIONS, Layout, aligned, checksum_pages, is_dense, shapes
from .postings import FilePostings, Inversion, PostingSlice, idfs, impacts_of, relative_lengths, shared_terms

if TYPE_CHECKING:
    from ..scoring import Scorer
    from .postings import DocumentColumns

Array = NDArray[np.int64]
CHUNK = 1 << 22  # bytes, of whole blocks


class IndexWriter:
    """Writes one index file, all that it holds and then its header and checksums."""

    def __init__(
        self, file: BinaryIO, inversion: Inversion, columns: DocumentColumns, scorer: Scorer
    ) -> None:
        """`file` is open for reading and writing, and empty.

        Raises `UsageError` when the format cannot hold so much.
        """
        self._scorer = scorer
        self._file = file
        self._inversion = inversion
        self._columns = columns
        self._documents = len(columns.tokens)
        terms = inversion.terms
        self._require_room()
        self._exact = slice(bisect_left(terms, b"="), bisect_left(terms, b">"))
        self._names = slice(bisect_left(terms, b"/"), bisect_left(terms, b"0"))
        self._headings = slice(bisect_left(terms, b"<"), self._exact.start)
        self._shared, self._shared_with = shared_terms(inversion, self._names, self._headings, self._exact)
        self._idf = idfs(np.diff(inversion.starts), self._documents, scorer)
        self._dense, self._is_listed, self._posting_starts = self._forms()
        self._body_length = relative_lengths(columns.words, scorer.body_length)
        self._title_length = relative_lengths(columns.title_words, scorer.title_length)
        plain = slice(0, self._names.start), slice(self._names.stop, self._headings.start)
        self._other = *plain, slice(self._exact.stop, len(terms))
        self._files = FilePostings(inversion, columns, scorer, self._other)
        self._overflow_keys, overflows = self._overflows()
        self._counts = self._counted()
        self._sections, self._pages = self._layout()
        self._written = dict.fromkeys(SECTIONS, 0)  # the CRC-32 of each section, as far as it is written
        self._write(overflows)

    def _forms(self) -> tuple[Array, NDArray[np.bool_], Array]:
        """The dense terms, whether each term is listed, and where its list starts."""
        listed = np.diff(self._inversion.starts)
        listed[self._shared] = 0
        dense = np.flatnonzero(is_dense(listed, self._documents) & (listed > 0))
        listed[dense] = 0
        return dense, listed > 0, np.concatenate([[0], np.cumsum(listed)])

    def _require_room(self) -> None:
        if len(self._inversion.documents) >= 1 << 32 or self._documents >= 1 << 32:
            raise UsageError(
                "a cache holds at most 4,294,967,295 postings: split the sources into several caches"
            )
        if len(self._inversion.terms.data) >= 1 << 32:
            raise UsageError("the vocabulary exceeds 4 GiB: split the sources into several caches")

    def _overflows(self) -> tuple[Array, Array]:
        """The occurrences that do not fit in a byte: by which key they are found, and their counts."""
        inversion = self._inversion
        offsets = inversion.overflow_offsets
        terms = np.searchsorted(inversion.starts, offsets, side="right") - 1
        in_list = self._posting_starts[terms] + offsets - inversion.starts[terms]
        rows = np.searchsorted(self._dense, terms)
        is_dense_term = np.isin(terms, self._dense)
        in_column = self._posting_starts[-1] + rows * self._documents + inversion.documents[offsets]
        keys = np.where(is_dense_term, in_column, in_list)
        stored = self._is_listed[terms] | is_dense_term
        order = np.argsort(keys[stored])
        return keys[stored][order], inversion.overflows[stored][order]

    def _counted(self) -> dict[str, int]:
        columns = self._columns
        return {
            "documents": self._documents,
            "terms": len(self._inversion.terms),
            "postings": int(self._posting_starts[-1]),
            "dense_terms": len(self._dense),
            "overflows": len(self._overflow_keys),
            "words": int(columns.words.sum()),
            "title_words": int(columns.title_words.sum()),
            "least_tokens": int(columns.tokens.min()) if self._documents else 0,
            "shared": len(self._shared),
            "suffixes": len(self._inversion.suffix_order),
            **self._files.counts,
        }

    def _layout(self) -> tuple[dict[str, tuple[int, int]], int]:
        """Offset and size of each section, and the offset of the checksum pages."""
        sizes = {name: width * items for name, (width, items) in shapes(self._counts).items()}
        sizes["term_bytes"] = len(self._inversion.terms.data)
        sections, end = {}, BLOCK
        for name in SECTIONS:
            sections[name] = aligned(end), sizes[name]
            end = sum(sections[name])
        return sections, aligned(end, BLOCK)

    def _write(self, overflows: Array) -> None:
        """Write all sections."""
        columns, files, terms = self._columns, self._files, self._inversion.terms
        self._section("term_ends", terms.ends)
        self._file.seek(self._sections["term_bytes"][0])
        self._append("term_bytes", terms.data)
        self._section("posting_starts", self._posting_starts)
        self._write_lists()
        self._write_dense()
        self._section("overflow_keys", self._overflow_keys)
        self._section("overflow_bodies", overflows[:, 0])
        self._section("overflow_titles", overflows[:, 1])
        for name in ("tokens", "words", "title_words", "line_ends", "line_checksums"):
            self._section(name, getattr(columns, name))
        self._section("shared_terms", self._shared)
        self._section("shared_with", self._shared_with)
        self._section("suffix_order", self._inversion.suffix_order)
        self._section("file_starts", files.starts)
        self._section("file_posting_starts", files.posting_starts)
        written = 0
        for numbers, impacts in files.lists():
            self._section("file_posting_files", numbers, written)
            self._section("file_posting_impacts", impacts, written)
            written += len(numbers)
        self._section("file_dense_terms", files.dense)
        self._section("file_dense_frequencies", files.dense_frequencies)
        for row, term in enumerate(files.dense.tolist()):
            self._section("file_dense_impacts", files.dense_impacts(term), row * len(files.starts))

    def _write_lists(self) -> None:
        """The postings of every term that is neither dense nor shared."""
        written = 0
        for terms in (
            self._other[0],
            self._names,
            self._other[1],
            self._headings,
            self._exact,
            self._other[2],
        ):
            for part in self._inversion.slices(terms):
                documents, occurrences, impacts = part.documents, part.occurrences, self._impacts(part)
                listed = self._is_listed[part.terms]
                if not listed.all():
                    stored = np.repeat(listed, part.doc_freqs)
                    documents, occurrences, impacts = documents[stored], occurrences[stored], impacts[stored]
                self._section("posting_documents", documents, written)
                self._section("posting_impacts", impacts, written)
                self._section("posting_occurrences", occurrences, written)
                written += len(documents)

    def _write_dense(self) -> None:
        """The postings of dense terms, as columns over all documents."""
        self._section("dense_terms", self._dense)
        starts = self._inversion.starts
        self._section("dense_frequencies", starts[self._dense + 1] - starts[self._dense])
        for row, term in enumerate(self._dense.tolist()):
            part = PostingSlice(self._inversion, term, term + 1)
            for name, values in (("impacts", self._impacts(part)), ("occurrences", part.occurrences)):
                column = np.zeros(self._documents, np.int64)
                column[part.documents] = values
                self._section(f"dense_{name}", column, row * self._documents)

    def _impacts(self, part: PostingSlice) -> Array:
        """The impacts of some postings, whose terms are all of one kind."""
        scorer = self._scorer
        idf = np.repeat(self._idf(part.doc_freqs), part.doc_freqs)
        kinds = self._names, self._headings
        if any(kind.start <= part.terms.start < kind.stop for kind in kinds):
            return scorer.name_impact(idf)
        lengths = self._body_length, self._title_length
        return impacts_of(scorer, idf, *part.counts(), lengths=lengths, owners=part.documents)

    def _section(self, name: str, values: NDArray[Any], start: int = 0) -> None:
        """Write a section, or its items from number `start` on, which follow those that are written."""
        width, _ = shapes(self._counts)[name]
        self._file.seek(self._sections[name][0] + width * start)
        self._append(name, np.ascontiguousarray(values, f"<u{width}").data)

    def _append(self, name: str, data: bytes | memoryview) -> None:
        """Write the next bytes of a section where the file stands."""
        self._file.write(data)
        self._written[name] = crc32(data, self._written[name])

    def finish(self, documents: bytes, version: bytes) -> str:
        """Write the header and the checksums; return the SHA-256 of the file.

        `documents` and `version` are the digests of the documents file and of the cache's version. Raises
        `IoError` when the file was changed by others: the checksums would fit what they wrote.
        """
        layout = Layout(self._counts, self._sections, self._pages, documents=documents, version=version)
        self._file.seek(0)
        self._file.write(layout.pack())
        self._file.truncate(self._pages)
        self._file.seek(0)
        digest, checksums = hashlib.sha256(), []
        offset, stored = 0, dict.fromkeys(SECTIONS, 0)
        while data := self._file.read(CHUNK):
            digest.update(data)
            checksums += [crc32(data[at : at + BLOCK]) for at in range(0, len(data), BLOCK)]
            for name, (start, size) in self._sections.items():
                part = memoryview(data)[max(start - offset, 0) : max(start + size - offset, 0)]
                stored[name] = crc32(part, stored[name])
            offset += len(data)
        if stored != self._written:
            raise IoError(f"{self._file.name} {SCRATCH_CHANGED}")
        pages = checksum_pages(checksums)
        digest.update(pages)
        self._file.write(pages)
        return digest.hexdigest()
