"""Runs of terms as an index holds them: computed from their postings alone, wherever those are.

A run is some terms that follow each other. What an index says of them, in lists, in columns over all
documents or files, and in impacts, follows from their postings and the `Lengths` of all documents and files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .format import document_width, is_dense
from .postings import idfs, impacts_of, kinds_of, ranges, relative_lengths

if TYPE_CHECKING:
    from ..scoring import Scorer
    from .postings import DocumentColumns, Inversion, PostingSlice

Array = NDArray[np.int64]
Columns = dict[str, list[NDArray[Any]]]
"""Items by the name of their column, some at a time."""

COLUMNS: dict[str, int | str] = {
    "listed": 4,
    "posting_documents": "documents",
    "posting_impacts": 2,
    "posting_occurrences": 1,
    "overflow_keys": 8,
    "overflow_bodies": 4,
    "overflow_titles": 4,
    "dense_terms": 4,
    "dense_frequencies": 4,
    "dense_impacts": 2,
    "dense_occurrences": 1,
    "dense_overflow_keys": 8,
    "dense_overflow_bodies": 4,
    "dense_overflow_titles": 4,
    "file_listed": 4,
    "file_posting_files": "files",
    "file_posting_impacts": 2,
    "file_dense_terms": 4,
    "file_dense_frequencies": 4,
    "file_dense_impacts": 2,
}
"""The columns of a run: the bytes of an item, or of what it is a number.

Most are parts of the sections of an index (`format`). `listed` has how many postings the list of each term
has; `overflow_keys` are of lists and the `dense_overflow_keys` of columns. Numbers of terms and such keys
are counted from the beginning of the run.
"""


class Lengths(NamedTuple):
    """What impacts need to know of all documents and files: how long each is against the average."""

    body: Array
    title: Array
    file_of: Array
    """The number of each document's file; empty where no file was split."""
    file_body: Array
    file_title: Array

    @classmethod
    def of(cls, columns: DocumentColumns, scorer: Scorer) -> Lengths:
        """Those that follow from the columns of an index."""
        words, titles, starts = columns.words, columns.title_words, columns.file_starts
        documents = relative_lengths(words, scorer.body_length), relative_lengths(titles, scorer.title_length)
        if not len(starts):
            return cls(*documents, starts, starts, starts)
        file_of = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(words)))
        file_body = relative_lengths(np.add.reduceat(words, starts), scorer.body_length)
        return cls(
            *documents, file_of, file_body, relative_lengths(columns.file_title_words, scorer.title_length)
        )


def columns_of(
    inversion: Inversion, is_shared: NDArray[np.bool_], lengths: Lengths, scorer: Scorer
) -> Columns:
    """The columns of a run; of its terms, those that share the postings of another one have none."""
    return _Run(inversion, is_shared, lengths, scorer).columns


class _Run:
    """Some terms, and what an index holds of them."""

    def __init__(
        self, inversion: Inversion, is_shared: NDArray[np.bool_], lengths: Lengths, scorer: Scorer
    ) -> None:
        self._lengths = lengths
        self._scorer = scorer
        self._documents = len(lengths.body)
        sizes = {"documents": self._documents, "files": len(lengths.file_body)}
        self._kinds_of_items = {
            name: f"<u{width if isinstance(width, int) else document_width(sizes[width])}"
            for name, width in COLUMNS.items()
        }
        self.columns: Columns = {name: [] for name in COLUMNS}
        doc_freqs = np.diff(inversion.starts)
        stored = np.where(is_shared, 0, doc_freqs)
        self._idf = idfs(doc_freqs, self._documents, scorer)
        self._is_dense = is_dense(stored, self._documents) & (stored > 0)
        self._listed = np.where(self._is_dense, 0, stored)
        self._file_sizes = np.bincount(lengths.file_of)
        self._file_listed = np.zeros(len(doc_freqs), np.int64)
        self._add("listed", self._listed)
        self._add("dense_terms", np.flatnonzero(self._is_dense))
        self._add("dense_frequencies", doc_freqs[self._is_dense])
        self._add_overflows(inversion)
        for kind in kinds_of(inversion.terms):
            for part in inversion.slices(kind.terms):
                self._add_documents(part, is_name=kind.is_name)
                if kind.is_plain and len(lengths.file_body):
                    self._add_files(part)
        self._add("file_listed", self._file_listed)

    def _add(self, name: str, items: NDArray[Any]) -> None:
        self.columns[name].append(np.ascontiguousarray(items, self._kinds_of_items[name]))

    def _add_overflows(self, inversion: Inversion) -> None:
        """The occurrences that do not fit in a byte: by which key they are found, and their counts."""
        offsets = inversion.overflow_offsets
        terms = np.searchsorted(inversion.starts, offsets, side="right") - 1
        list_starts = np.cumsum(self._listed) - self._listed
        rows = (np.cumsum(self._is_dense) - 1)[terms]
        for prefix, keys, is_stored in (
            ("", (list_starts - inversion.starts[:-1])[terms] + offsets, self._listed[terms] > 0),
            ("dense_", rows * self._documents + inversion.documents[offsets], self._is_dense[terms]),
        ):
            bodies, titles = inversion.overflows[is_stored].T
            self._add(f"{prefix}overflow_keys", keys[is_stored])
            self._add(f"{prefix}overflow_bodies", bodies)
            self._add(f"{prefix}overflow_titles", titles)

    def _add_documents(self, part: PostingSlice, *, is_name: bool) -> None:
        """The postings of some terms, all of one kind."""
        idf = np.repeat(self._idf(part.doc_freqs), part.doc_freqs)
        lengths = self._lengths.body, self._lengths.title
        impacts = (
            self._scorer.name_impact(idf)
            if is_name
            else impacts_of(self._scorer, idf, *part.counts(), lengths=lengths, owners=part.documents)
        )
        values: dict[str, NDArray[Any]] = {"impacts": impacts, "occurrences": part.occurrences}
        forms = self._is_dense[part.terms], self._listed[part.terms] > 0
        self._add_postings("", self._documents, "documents", part.documents, values, part.doc_freqs, *forms)

    def _add_files(self, part: PostingSlice) -> None:
        """The same in whole files, each of which holds a term as often as its documents do.

        Its title are the words that stand in the titles of all its documents.
        """
        file_of_posting = self._lengths.file_of.take(part.documents)
        is_first = np.diff(file_of_posting, prepend=-1) != 0
        is_first[part.starts] = True
        firsts = np.flatnonzero(is_first)
        files = file_of_posting[firsts]
        freqs = np.add.reduceat(is_first, part.starts, dtype=np.int64)
        body, title = part.counts()
        sizes = np.diff(firsts, append=len(is_first))
        bodies = np.diff(np.cumsum(body)[firsts + sizes - 1], prepend=0)  # `reduceat` takes twice as long
        titles = np.zeros(len(firsts), np.int64)
        titled = np.flatnonzero((title[firsts] > 0) & (sizes == self._file_sizes.take(files)))  # few are
        rows, starts = ranges(firsts[titled], sizes[titled]), np.cumsum(sizes[titled]) - sizes[titled]
        titles[titled] = np.minimum.reduceat(title[rows], starts)
        count = len(self._file_sizes)
        idf = np.repeat(idfs(freqs, count, self._scorer)(freqs), freqs)
        lengths = self._lengths.file_body, self._lengths.file_title
        impacts = impacts_of(self._scorer, idf, bodies, titles, lengths=lengths, owners=files)
        dense = is_dense(freqs, count, 2)
        self._file_listed[part.terms] = np.where(dense, 0, freqs)
        self._add("file_dense_terms", part.terms.start + np.flatnonzero(dense))
        self._add("file_dense_frequencies", freqs[dense])
        self._add_postings("file_", count, "files", files, {"impacts": impacts}, freqs, dense, ~dense)

    def _add_postings(
        self,
        prefix: str,
        count: int,
        owner: str,
        owners: NDArray[Any],
        values: dict[str, NDArray[Any]],
        freqs: Array,
        dense: NDArray[np.bool_],
        listed: NDArray[np.bool_],
    ) -> None:
        """Lists of the documents or files, the owners, with their values, and columns over all `count`."""
        starts = np.cumsum(freqs) - freqs
        for term in np.flatnonzero(dense).tolist():
            part = slice(starts[term], starts[term] + freqs[term])
            for name, items in values.items():
                column = np.zeros(count, np.int64)
                column[owners[part]] = items[part]
                self._add(f"{prefix}dense_{name}", column)
        items_listed = {owner: owners, **values}
        if not listed.all():
            is_listed = np.repeat(listed, freqs)
            items_listed = {name: items[is_listed] for name, items in items_listed.items()}
        for name, items in items_listed.items():
            self._add(f"{prefix}posting_{name}", items)
