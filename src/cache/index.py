"""The index of an open cache: vocabulary, postings and document columns in place.

Opening reads one block. A term is found by binary search in the vocabulary; columns
are read where they are asked for, each byte checked first. Nothing is parsed. The terms that every
search meets first, the upper levels of the tree that a binary search is, are remembered.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left

from ..memo import BoundedMemo
from .format import BLOCK, MULTI_TERM, TITLE, UNPACKED, Layout, Occurrences, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ..scoring import Scorer
    from .checked_file import CheckedFile
    from .numpy_index import Arrays

LINEAR_SEARCH = 16  # terms that are read together at the end, in the time of three that are read alone
REMEMBERED_TERMS = 1 << 13  # terms of the upper levels: all that are read alone, among 130,000 terms


class Vocabulary:
    """The terms of an index by number, sorted by their UTF-8 bytes."""

    def __init__(self, index: Index) -> None:
        """Nothing is read yet."""
        self._index = index
        self._size = index.counts["terms"]
        self._base = index.offset("term_bytes")
        self._terms_read: dict[int, bytes] = {}

    def term(self, number: int) -> bytes:
        """The term with this number, UTF-8."""
        start = self._index.number("term_ends", number - 1) if number else 0
        end = self._index.number("term_ends", number)
        return self._index.file.read(self._base + start, self._base + end)

    def text(self, number: int) -> str:
        """The same as text. Raises `CacheInvalid`."""
        return self._decoded(self.term(number))

    def find(self, text: str) -> int | None:
        """The number of a term, or None when no document holds it."""
        wanted = text.encode("utf-8")
        low, high, terms = 0, self._size, self._terms_read
        while high - low > LINEAR_SEARCH:
            middle = (low + high) // 2
            term = terms.get(middle)
            if term is None:
                term = self.term(middle)
                if len(terms) < REMEMBERED_TERMS and high - low > self._size // REMEMBERED_TERMS:
                    terms[middle] = term
            if term < wanted:
                low = middle + 1
            else:
                high = middle
        return self._among(wanted, low, min(high + 1, self._size))

    def _among(self, wanted: bytes, low: int, high: int) -> int | None:
        """The number of a term if it is one of those from `low` up to `high`."""
        for number, term in enumerate(self._terms(low, high), low):
            if term == wanted:
                return number
        return None

    def _terms(self, low: int, high: int) -> Iterator[bytes]:
        """The terms from `low` up to `high`, read together."""
        index = self._index
        start = index.number("term_ends", low - 1) if low else 0
        ends = index.numbers("term_ends", low, high)
        terms = index.file.read(self._base + start, self._base + (ends[-1] if len(ends) else start))
        position = 0
        for end in ends:
            yield terms[position : end - start]
            position = end - start

    def starting(self, prefix: str) -> tuple[Sequence[int], list[str]]:
        """The numbers of the terms that begin so, and these terms in their order."""
        wanted = prefix.encode("utf-8")
        low = self._first(0, self._size, lambda number: self.term(number) >= wanted)
        high = self._first(low, self._size, lambda number: not self.term(number).startswith(wanted))
        if low == high:
            return (), []
        return range(low, high), [self._decoded(term) for term in self._terms(low, high)]

    def ending(self, suffix: str) -> tuple[Sequence[int], list[str]]:
        """The numbers of the terms that end so, and these terms read backwards, in that order.

        Only those that the index has in order of their ends.
        """
        index, wanted = self._index, suffix[::-1]

        def backwards(position: int) -> str:
            return self.text(index.number("suffix_order", position))[::-1]

        count = index.counts["suffixes"]
        low = self._first(0, count, lambda position: backwards(position) >= wanted)
        high = self._first(low, count, lambda position: not backwards(position).startswith(wanted))
        numbers = index.numbers("suffix_order", low, high)
        return numbers, [self.text(number)[::-1] for number in numbers]

    def _decoded(self, term: bytes) -> str:
        """A term as text. Raises `CacheInvalid`."""
        try:
            return term.decode("utf-8")
        except UnicodeDecodeError:
            raise self._index.file.fault("is damaged: a term is not UTF-8") from None

    @staticmethod
    def _first(low: int, high: int, reached: Callable[[int], bool]) -> int:
        """The first number between two at which something is true that stays true."""
        while low < high:
            middle = (low + high) // 2
            if reached(middle):
                high = middle
            else:
                low = middle + 1
        return low


# One call for each width: the format must be literal for its type to be known.
_CASTS: dict[int, Callable[[memoryview], Sequence[int]]] = {
    1: lambda view: view.cast("B"),
    2: lambda view: view.cast("H"),
    4: lambda view: view.cast("I"),
    8: lambda view: view.cast("Q"),
}

_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
MOST_REMEMBERED = 8 << 20  # bytes of the postings of terms, of their relatives, and of repairs
_POSTINGS_BYTES = 500  # that a term with its `Postings` takes


class Postings:
    """Where one term stands: a list of documents or files, or a column over all of them.

    `start` and `end` count items in the section of document numbers (of a list), or in the
    section of dense impacts (of a column).
    """

    __slots__ = ("arrays", "bounded", "dense", "doc_freq", "documents", "end", "number", "of_files", "start")

    def __init__(
        self, number: int, start: int, end: int, doc_freq: int, *, dense: bool, of_files: bool = False
    ) -> None:
        """`number` is that of the term; `of_files`: the postings name files instead of documents."""
        self.number = number
        self.start = start
        self.end = end
        self.doc_freq = doc_freq
        self.dense = dense
        self.of_files = of_files
        self.documents: Sequence[int] | None = None
        """The checked document numbers of a list, once they were looked through."""
        self.bounded = False
        """Whether its impacts were seen to be within bounds."""
        self.arrays: Any = None
        """The numpy arrays of its numbers and impacts, once they were looked through."""

    @property
    def list_sections(self) -> tuple[str, str]:
        """The sections of the document numbers and of the impacts of a list."""
        return _FILE_LISTS if self.of_files else _LISTS

    @property
    def column_section(self) -> str:
        """The section of the impacts of a column."""
        return "file_dense_impacts" if self.of_files else "dense_impacts"

    @property
    def occurrences_section(self) -> str:
        """The section of the occurrences, of documents alone."""
        return "dense_occurrences" if self.dense else "posting_occurrences"


_LISTS = ("posting_documents", "posting_impacts")
_FILE_LISTS = ("file_posting_files", "file_posting_impacts")


class Index:
    """The index file of one cache, read in place."""

    def __init__(self, file: CheckedFile, scorer: Scorer) -> None:
        """Read the header of `file`; raises `CacheInvalid`. `scorer` made its impacts."""
        self.file = file
        self.scorer = scorer
        try:
            layout = Layout.unpack(file.header())
        except ValueError as error:
            raise file.fault(f"is {error}") from None
        file.set_pages(layout.pages)
        file.check(0, BLOCK)
        self.identity = layout.documents, layout.version
        """The digests of the documents file and of the cache's version that it was made for."""
        self.counts = layout.counts
        self.documents = layout.counts["documents"]
        self.files = layout.counts["files"]
        self.widths = {name: width for name, (width, _) in shapes(layout.counts).items()}
        self._offsets = {name: offset for name, (offset, _) in layout.sections.items()}
        self._sections = {
            name: (self._column(*layout.sections[name], width), self._offsets[name], width)
            for name, width in self.widths.items()
        }
        self.vocabulary = Vocabulary(self)
        self._found: BoundedMemo[str, Postings | None] = BoundedMemo(MOST_REMEMBERED)
        self._arrays: Arrays | None = None
        self.nearest: BoundedMemo[str, array[int]] = BoundedMemo(MOST_REMEMBERED)
        """The numbers of the terms that resemble words of queries: to find them takes milliseconds."""
        self.relatives: BoundedMemo[str, list[Any]] = BoundedMemo(MOST_REMEMBERED)
        """The nearest of them as they count in a query, by weight and word."""
        self.repairs: BoundedMemo[str, tuple[str, str] | None] = BoundedMemo(MOST_REMEMBERED)
        """What unknown words are read as."""
        self.postings_added = 0
        """How many postings queries have added up in plain Python."""

    def _column(self, offset: int, length: int, width: int) -> Sequence[int]:
        """A section as native integers, in place; nothing is read before it is asked for."""
        view = self.file.bytes[offset : offset + length]
        if sys.byteorder == "little":
            return _CASTS[width](view)
        swapped = array(_CODES[width], view.tobytes())
        swapped.byteswap()
        return swapped

    def offset(self, section: str, item: int = 0) -> int:
        """The offset in the file of an item of a section."""
        return self._offsets[section] + item * self.widths.get(section, 1)

    def size(self, section: str) -> int:
        """How many items a section has."""
        return len(self._sections[section][0])

    @property
    def arrays(self) -> Arrays:
        """The sections as numpy arrays."""
        if self._arrays is None:
            from .numpy_index import Arrays  # numpy: only for those who rank with it

            self._arrays = Arrays(self)
        return self._arrays

    def numbers(self, section: str, start: int, end: int) -> Sequence[int]:
        """Items `start` to `end` of a section, checked. Raises `CacheInvalid` when there are not so many."""
        column, offset, width = self._sections[section]
        if not start <= end <= len(column):
            raise self.file.fault("is damaged: it points where nothing is")
        self.file.check(offset + start * width, offset + end * width)
        return column[start:end]

    def number(self, section: str, item: int) -> int:
        """One item of a section, checked. Raises `CacheInvalid` when there are not so many."""
        column, start, width = self._sections[section]
        offset = start + item * width
        try:
            # Sections are aligned, so an item never lies in two blocks.
            if not self.file.checked[offset // BLOCK]:
                self.file.check(offset, offset + 1)
            return column[item]
        except IndexError:
            raise self.file.fault("is damaged: it points where nothing is") from None

    def find(self, term: str) -> Postings | None:
        """The postings of `term`, or None when no document holds it; remembered within bounds."""
        try:
            return self._found[term]
        except KeyError:
            number = self.vocabulary.find(term)
        postings = None if number is None else self.postings_of(number)
        self._found.keep(term, postings, 4 * len(term) + _POSTINGS_BYTES)
        return postings

    def find_once(self, term: str) -> Postings | None:
        """The postings of a term that is not worth remembering."""
        try:  # another thread may forget it at any time
            return self._found[term]
        except KeyError:
            number = self.vocabulary.find(term)
        return None if number is None else self.postings_of(number)

    def postings_of(self, number: int) -> Postings:
        """The postings of the term with this number."""
        stored = self._stored(number)
        if stored is None:
            shared = self.search("shared_terms", number, 0, self.counts["shared"])
            stored = None if shared is None else self._stored(self.number("shared_with", shared))
        if stored is None:
            raise self.file.fault("is damaged: a term has no postings")
        return stored

    def file_postings(self, number: int) -> Postings | None:
        """The postings over files of the term with this number; None where no file was split."""
        if not self.files:
            return None
        stored = self._stored(number, of_files=True)
        if stored is None:
            raise self.file.fault("is damaged: a term is in no file")
        return stored

    def _stored(self, number: int, *, of_files: bool = False) -> Postings | None:
        """What is stored under a term's own number: a list, or a column over all documents or files."""
        prefix, count = ("file_", self.files) if of_files else ("", self.documents)
        start, end = self.numbers(f"{prefix}posting_starts", number, number + 2)
        if start < end:
            return Postings(number, start, end, end - start, dense=False, of_files=of_files)
        row = self.search(f"{prefix}dense_terms", number, 0, self.counts[f"{prefix}dense_terms"])
        if row is None:
            return None
        doc_freq = self.number(f"{prefix}dense_frequencies", row)
        return Postings(number, row * count, (row + 1) * count, doc_freq, dense=True, of_files=of_files)

    def file_of(self, document: int) -> int:
        """The number of the file that a document is of."""
        low, high = 0, self.files
        while high - low > 1:
            middle = (low + high) // 2
            if self.number("file_starts", middle) <= document:
                low = middle
            else:
                high = middle
        return low

    def documents_of(self, file: int) -> range:
        """The documents of a file."""
        last = self.number("file_starts", file + 1) if file + 1 < self.files else self.documents
        return range(self.number("file_starts", file), last)

    def search(self, section: str, wanted: int, low: int, high: int) -> int | None:
        """The position of `wanted` among the ascending items `low` to `high` of a section."""
        end = high
        while low < high:
            middle = (low + high) // 2
            if self.number(section, middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < end and self.number(section, low) == wanted else None

    def posting_of(self, postings: Postings, document: int) -> int | None:
        """The position of a document among a term's postings, or None when it lacks the term."""
        return next((position for _, position in self.postings_among(postings, (document,))), None)

    def postings_among(self, postings: Postings, documents: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Which of some ascending documents hold a term, each with its position among the postings."""
        start = postings.start
        if postings.dense:
            cells = ((document, start + document) for document in documents)
            yield from (pair for pair in cells if self.number(postings.column_section, pair[1]))
            return
        listed = postings.documents
        if listed is None:
            listed = postings.documents = self.numbers(postings.list_sections[0], start, postings.end)
        row, end = 0, len(listed)
        for document in documents:
            row = bisect_left(listed, document, row)
            if row == end:
                return
            if listed[row] == document:
                yield document, start + row

    def titled(self, postings: Postings) -> Iterator[int]:
        """The documents whose title holds a term."""
        start, end = postings.start, postings.end
        documents = range(self.documents)
        listed = documents if postings.dense else self.numbers(postings.list_sections[0], start, end)
        occurrences = self.numbers(postings.occurrences_section, start, end)
        for position, (document, byte) in enumerate(zip(listed, occurrences, strict=True), start):
            if byte & TITLE and self.occurrences(postings, position).title:
                yield document

    def require_bounded(self, postings: Postings, largest: int, bound: int) -> None:
        """Raise `CacheInvalid` when a term's `largest` impact is above its idf, the `bound`."""
        if largest > bound:
            raise self.file.fault("is damaged: an impact is larger than its term's idf")
        postings.bounded = True

    def impact(self, postings: Postings, position: int) -> int:
        """The impact of the posting at `position`."""
        section = postings.column_section if postings.dense else postings.list_sections[1]
        return self.number(section, position)

    def occurrences(self, postings: Postings, position: int) -> Occurrences:
        """How often body and title hold the term, at `position` among its postings."""
        byte = self.number(postings.occurrences_section, position)
        unpacked = UNPACKED[byte]
        if unpacked is not None:
            return unpacked
        key = position + (self.counts["postings"] if postings.dense else 0)
        row = self.search("overflow_keys", key, 0, self.counts["overflows"])
        if row is None:
            raise self.file.fault("is damaged: an occurrence is missing")
        body, title = self.number("overflow_bodies", row), self.number("overflow_titles", row)
        return Occurrences(body, title, bool(byte & MULTI_TERM))
