"""The bytes of an index file: header, sections, occurrences, checksum pages.

    block 0          header: magic, format, identity, counts, section table
    sections         little-endian arrays and blobs, each starting on a 64-byte boundary
    (zeros up to a whole block)
    checksum pages   one CRC-32 for each block before them

A block is 4,096 bytes. A checksum page holds the CRC-32 of 1,023 blocks and, last, of its own
first 4,092 bytes, so any block can be checked with one other block and nothing else.

An occurrence says in one byte how often a document's body and title hold a term:

    bits 0-4   occurrences in the body, up to 30
    bits 5-6   occurrences in the title, up to 2
    bit 7      set when a word that holds the term in the body yields other terms too

Larger numbers are written as `OVERFLOW` and stand in a table beside the postings.
`docs/cache-format.md` describes the sections.
"""

from __future__ import annotations

import struct
from math import prod
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAGIC = b"CTXINDEX"
FORMAT = 6
"""Of the index; a cache of format 2 with another one was built by an older version."""
BLOCK = 4096
ALIGNMENT = 64
CHECKSUMS_PER_PAGE = BLOCK // 4 - 1

COUNTS = (
    "documents",
    "terms",
    "postings",  # in the sparse lists
    "dense_terms",
    "overflows",
    "words",  # of all bodies
    "title_words",  # of all titles
    "least_tokens",  # of any document
    "shared",  # exact terms that have the postings of another term
    "suffixes",  # terms of letters
    "files",  # 0 where no file was split
    "file_postings",  # in the sparse lists of files
    "file_dense_terms",
    "file_title_words",  # of all titles of files
)

_FORMS: dict[str, tuple[int | str, str]] = {
    "term_ends": (4, "terms"),  # where each term ends in `term_bytes`
    "term_bytes": (1, ""),  # the terms, UTF-8, sorted, run together
    "posting_starts": (4, "term_bounds"),  # where each term's postings start; dense terms have none
    "posting_documents": ("documents", "postings"),  # document numbers, ascending for a term
    "posting_impacts": (2, "postings"),
    "posting_occurrences": (1, "postings"),  # see `Occurrences`
    "dense_terms": (4, "dense_terms"),  # term numbers, ascending
    "dense_frequencies": (4, "dense_terms"),  # how many documents hold each
    "dense_impacts": (2, "dense_terms documents"),  # 0 where a document lacks the term
    "dense_occurrences": (1, "dense_terms documents"),
    "overflow_keys": (8, "overflows"),  # which occurrences did not fit in a byte, ascending
    "overflow_bodies": (4, "overflows"),
    "overflow_titles": (4, "overflows"),
    "tokens": (4, "documents"),
    "words": (4, "documents"),
    "title_words": (4, "documents"),
    "line_ends": (8, "documents"),  # where each line ends in the documents file
    "line_checksums": (4, "documents"),  # CRC-32 of each line, its newline included
    "shared_terms": (4, "shared"),  # term numbers, ascending
    "shared_with": (4, "shared"),  # the term that has the same postings
    "suffix_order": (
        4,
        "suffixes",
    ),  # terms of four letters and more and pairs, sorted by their reversed characters
    "file_starts": (4, "files"),  # the first document of each file
    "file_posting_starts": (4, "term_bounds"),  # as for documents
    "file_posting_files": ("files", "file_postings"),  # file numbers, ascending for a term
    "file_posting_impacts": (2, "file_postings"),
    "file_dense_terms": (4, "file_dense_terms"),
    "file_dense_frequencies": (4, "file_dense_terms"),
    "file_dense_impacts": (2, "file_dense_terms files"),
}
"""The sections in their order: the bytes of an item, or of what it is a number; and the counts whose product
is the number of items, which `term_bytes` has no count for. There is one more of the bounds of terms."""

SECTIONS = tuple(_FORMS)


def shapes(counts: dict[str, int]) -> dict[str, tuple[int, int]]:
    """For each section but `term_bytes` the bytes of an item and the number of items."""
    counts = counts | {"term_bounds": counts["terms"] + 1}
    return {
        name: (
            width if isinstance(width, int) else document_width(counts[width]),
            prod(counts[count] for count in items.split()),
        )
        for name, (width, items) in _FORMS.items()
        if items
    }


_HEADER = struct.Struct(f"<8sII32s32s{len(COUNTS)}QQ{2 * len(SECTIONS)}Q")


class Layout:
    """Counts, sections and identity of one index file."""

    def __init__(
        self,
        counts: dict[str, int],
        sections: dict[str, tuple[int, int]],
        pages: int,
        *,
        documents: bytes,
        version: bytes,
    ) -> None:
        """`sections` maps a name to (offset, bytes); `pages` is where the checksum pages start.

        `documents` is the SHA-256 of the documents file that the index was made for, `version` the
        digest in the cache's version: together they determine every byte of the index.
        """
        self.documents = documents
        self.version = version
        self.counts = counts
        self.sections = sections
        self.pages = pages

    def pack(self) -> bytes:
        """The header block."""
        offsets = [number for name in SECTIONS for number in self.sections[name]]
        counts = [self.counts[name] for name in COUNTS]
        identity = (self.documents, self.version)
        numbers = (*identity, *counts, self.pages, *offsets)
        return _HEADER.pack(MAGIC, FORMAT, BLOCK, *numbers).ljust(BLOCK, b"\0")

    @classmethod
    def unpack(cls, header: bytes) -> Layout:
        """Read a header block; raises `ValueError` when it is none of this format, or contradicts itself."""
        if len(header) < _HEADER.size:
            raise ValueError("shorter than a header")
        magic, format_, block, documents, version, *numbers = _HEADER.unpack_from(header)
        if magic == MAGIC and format_ != FORMAT:
            raise ValueError(f"an index of layout {format_}; this version of ctxcache reads {FORMAT}")
        if (magic, block) != (MAGIC, BLOCK):
            raise ValueError("not an index")
        counts = dict(zip(COUNTS, numbers, strict=False))
        pages, *offsets = numbers[len(COUNTS) :]
        pairs = zip(offsets[::2], offsets[1::2], strict=True)
        sections = dict(zip(SECTIONS, pairs, strict=True))
        layout = cls(counts, sections, pages, documents=documents, version=version)
        layout._check()
        return layout

    def _check(self) -> None:
        """Raise `ValueError` unless every section has its size and lies before the checksum pages."""
        sizes = {name: width * items for name, (width, items) in shapes(self.counts).items()}
        for name, (offset, length) in self.sections.items():
            fits = offset >= BLOCK and offset + length <= self.pages and offset % ALIGNMENT == 0
            if not fits or length != sizes.get(name, length):
                raise ValueError(f"an index whose section {name} does not fit")


def document_width(documents: int) -> int:
    """Bytes of a document number in the postings: 2 where that is enough, else 4."""
    return 2 if documents <= 0x10000 else 4


def is_dense(doc_freq: Any, documents: int, width: int = 3) -> Any:
    """Whether a term's postings are a column over all documents instead of a list, or of many terms, which.

    They are where a column takes no more room: impact and occurrences for every document
    (a `width` of 3 bytes), against these and the number of each that holds the term. It is also ten
    times as fast to add.
    """
    return (document_width(documents) + width) * doc_freq >= width * documents


def aligned(offset: int, boundary: int = ALIGNMENT) -> int:
    """`offset` rounded up to a multiple of `boundary`."""
    return -(-offset // boundary) * boundary


def checksum_pages(checksums: list[int]) -> bytes:
    """The checksum pages for blocks with these CRC-32s."""
    pages = []
    for start in range(0, len(checksums), CHECKSUMS_PER_PAGE):
        part = checksums[start : start + CHECKSUMS_PER_PAGE]
        page = struct.pack(f"<{len(part)}I", *part).ljust(BLOCK - 4, b"\0")
        pages.append(page + crc32(page).to_bytes(4, "little"))
    return b"".join(pages)


MOST_BODY = 30
MOST_TITLE = 2
BODY = 0x1F
"""The bits of the occurrences in the body."""
TITLE = 0x60
"""Those of the occurrences in the title."""
TITLE_SHIFT = 5
OVERFLOW = 0x7F
"""All bits of occurrences."""
MULTI_TERM = 0x80


class Occurrences:
    """What one posting says: occurrences in body and title, and whether words overlap."""

    __slots__ = ("body", "multi_term", "title")

    def __init__(self, body: int, title: int, multi_term: bool) -> None:
        """`multi_term`: some word counted in `body` yields other terms too."""
        self.body = body
        self.title = title
        self.multi_term = multi_term


def _unpacked(byte: int) -> Occurrences | None:
    if byte & OVERFLOW == OVERFLOW:
        return None
    return Occurrences(byte & BODY, (byte & OVERFLOW) >> TITLE_SHIFT, bool(byte & MULTI_TERM))


UNPACKED = tuple(map(_unpacked, range(256)))
"""For each byte the occurrences in it, or None when they stand in the overflow table."""
