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
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAGIC = b"CTXINDEX"
FORMAT = 5
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

SECTIONS = (
    "term_ends",  # u32[terms]: where each term ends in `term_bytes`
    "term_bytes",  # the terms, UTF-8, sorted, run together
    "posting_starts",  # u32[terms + 1]: where each term's postings start; dense terms have none
    "posting_documents",  # u16 or u32[postings]: document numbers, ascending for a term
    "posting_impacts",  # u16[postings]
    "posting_occurrences",  # u8[postings], see `Occurrences`
    "dense_terms",  # u32[dense_terms]: term numbers, ascending
    "dense_frequencies",  # u32[dense_terms]: how many documents hold each
    "dense_impacts",  # u16[dense_terms][documents], 0 where a document lacks the term
    "dense_occurrences",  # u8[dense_terms][documents]
    "overflow_keys",  # u64[overflows]: which occurrences did not fit in a byte, ascending
    "overflow_bodies",  # u32[overflows]
    "overflow_titles",  # u32[overflows]
    "tokens",  # u32[documents]
    "words",  # u32[documents]
    "title_words",  # u32[documents]
    "line_ends",  # u64[documents]: where each line ends in the documents file
    "line_checksums",  # u32[documents]: CRC-32 of each line, its newline included
    "shared_terms",  # u32[shared]: term numbers, ascending
    "shared_with",  # u32[shared]: the term that has the same postings
    "suffix_order",  # u32[suffixes]: terms of four letters and more, sorted by their reversed characters
    "file_starts",  # u32[files]: the first document of each file
    "file_posting_starts",  # u32[terms + 1]: as for documents
    "file_posting_files",  # u16 or u32[file_postings]: file numbers, ascending for a term
    "file_posting_impacts",  # u16[file_postings]
    "file_dense_terms",  # u32[file_dense_terms]
    "file_dense_frequencies",  # u32[file_dense_terms]
    "file_dense_impacts",  # u16[file_dense_terms][files]
)


def shapes(counts: dict[str, int]) -> dict[str, tuple[int, int]]:
    """For each section but `term_bytes` the bytes of an item and the number of items."""
    documents, terms, postings = counts["documents"], counts["terms"], counts["postings"]
    dense, overflows = counts["dense_terms"], counts["overflows"]
    files, file_dense = counts["files"], counts["file_dense_terms"]
    return {
        "term_ends": (4, terms),
        "posting_starts": (4, terms + 1),
        "posting_documents": (document_width(documents), postings),
        "posting_impacts": (2, postings),
        "posting_occurrences": (1, postings),
        "dense_terms": (4, dense),
        "dense_frequencies": (4, dense),
        "dense_impacts": (2, dense * documents),
        "dense_occurrences": (1, dense * documents),
        "overflow_keys": (8, overflows),
        "overflow_bodies": (4, overflows),
        "overflow_titles": (4, overflows),
        "tokens": (4, documents),
        "words": (4, documents),
        "title_words": (4, documents),
        "line_ends": (8, documents),
        "line_checksums": (4, documents),
        "shared_terms": (4, counts["shared"]),
        "shared_with": (4, counts["shared"]),
        "suffix_order": (4, counts["suffixes"]),
        "file_starts": (4, files),
        "file_posting_starts": (4, terms + 1),
        "file_posting_files": (document_width(files), counts["file_postings"]),
        "file_posting_impacts": (2, counts["file_postings"]),
        "file_dense_terms": (4, file_dense),
        "file_dense_frequencies": (4, file_dense),
        "file_dense_impacts": (2, file_dense * files),
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
