"""Writing an index file: the sections of runs of terms behind each other, and the columns of documents.

The bytes are a function of the postings and the document columns alone. They are written in their order and
hashed as they come, some at a time.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, BinaryIO, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from .format import BLOCK, SECTIONS, Layout, aligned, checksum_pages, shapes
from .term_runs import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .postings import DocumentColumns
    from .texts import Texts

Array = NDArray[np.int64]
CHUNK = 1 << 20  # bytes, of whole blocks


class Runs(Protocol):
    """All terms, in runs that follow each other, each with the columns that `term_runs` names."""

    def sizes(self, column: str) -> Array:
        """The bytes of a column of each run."""

    def read(self, column: str) -> Iterable[bytes]:
        """That column of each run."""


class IndexWriter:
    """Writes one index file."""

    def __init__(
        self,
        terms: Texts,
        runs: Runs,
        columns: DocumentColumns,
        *,
        shared: tuple[Array, Array],
        suffix_order: Array,
    ) -> None:
        """`shared` are terms that have the postings of another one, and which that is.

        Raises `UsageError` when the format cannot hold so much.
        """
        self._terms = terms
        self._runs = runs
        self._columns = columns
        self._shared, self._shared_with = shared
        self._suffix_order = suffix_order
        self._first_terms = self._firsts(self._runs.sizes("listed") // 4)
        self._listed, self._file_listed = self._items("listed"), self._items("file_listed")
        self._counts = self._counted()
        if max(self._counts["postings"], self._counts["documents"]) >= 1 << 32:
            raise UsageError(
                "a cache holds at most 4,294,967,295 postings: split the sources into several caches"
            )
        if len(terms.data) >= 1 << 32:
            raise UsageError("the vocabulary exceeds 4 GiB: split the sources into several caches")

    def write(self, file: BinaryIO, documents: bytes, version: bytes) -> str:
        """Write all into `file`, which is empty; return its SHA-256.

        `documents` and `version` are the digests of the documents file and of the cache's version.
        """
        sections, pages = self._layout()
        layout = Layout(self._counts, sections, pages, documents=documents, version=version)
        blocks = _Blocks(file)
        blocks.add(layout.pack())
        for name in SECTIONS:
            blocks.fill(sections[name][0])
            for data in self._section(name):
                blocks.add(data)
        blocks.fill(pages)
        return blocks.finish()

    def _counted(self) -> dict[str, int]:
        columns = self._columns
        return {
            "documents": len(columns.tokens),
            "terms": len(self._terms),
            "postings": int(self._listed.sum()),
            "dense_terms": self._count("dense_terms"),
            "overflows": self._count("overflow_keys") + self._count("dense_overflow_keys"),
            "words": int(columns.words.sum()),
            "title_words": int(columns.title_words.sum()),
            "least_tokens": int(columns.tokens.min()) if len(columns.tokens) else 0,
            "shared": len(self._shared),
            "suffixes": len(self._suffix_order),
            "files": len(columns.file_starts),
            "file_postings": int(self._file_listed.sum()),
            "file_dense_terms": self._count("file_dense_terms"),
            "file_title_words": int(columns.file_title_words.sum()),
        }

    def _count(self, column: str) -> int:
        width = COLUMNS[column]
        assert isinstance(width, int)
        return int(self._runs.sizes(column).sum()) // width

    def _layout(self) -> tuple[dict[str, tuple[int, int]], int]:
        """Offset and size of each section, and the offset of the checksum pages."""
        sizes = {name: width * items for name, (width, items) in shapes(self._counts).items()}
        sizes["term_bytes"] = len(self._terms.data)
        sections, end = {}, BLOCK
        for name in SECTIONS:
            sections[name] = aligned(end), sizes[name]
            end = sum(sections[name])
        return sections, aligned(end, BLOCK)

    def _section(self, name: str) -> Iterable[bytes | memoryview]:
        """The bytes of a section, some at a time."""
        if name == "term_bytes":
            return [self._terms.data]
        items = self._made(name)
        if items is None:
            return self._runs.read(name)
        width, _ = shapes(self._counts)[name]
        return [np.ascontiguousarray(part, f"<u{width}").data.cast("B") for part in items]

    def _made(self, name: str) -> list[Array] | None:
        """The items of a section that is not put together from the columns of runs as they are."""
        columns = self._columns
        made: dict[str, Callable[[], list[Array]]] = {
            "term_ends": lambda: [self._terms.ends],
            "posting_starts": lambda: [_bounds(self._listed)],
            "dense_terms": lambda: [self._behind("dense_terms", self._first_terms)],
            "overflow_keys": self._overflow_keys,
            "overflow_bodies": lambda: self._overflows("overflow_bodies"),
            "overflow_titles": lambda: self._overflows("overflow_titles"),
            "shared_terms": lambda: [self._shared],
            "shared_with": lambda: [self._shared_with],
            "suffix_order": lambda: [self._suffix_order],
            "file_posting_starts": lambda: [_bounds(self._file_listed)],
            "file_dense_terms": lambda: [self._behind("file_dense_terms", self._first_terms)],
        }
        if name in made:
            return made[name]()
        return [getattr(columns, name)] if hasattr(columns, name) else None

    def _items(self, column: str) -> Array:
        """A column of all runs."""
        return np.frombuffer(b"".join(self._runs.read(column)), f"<u{COLUMNS[column]}").astype(np.int64)

    def _behind(self, column: str, firsts: Array) -> Array:
        """A column of all runs whose items count from the first of each run."""
        width = COLUMNS[column]
        assert isinstance(width, int)
        return self._items(column) + np.repeat(firsts, self._runs.sizes(column) // width)

    def _overflow_keys(self) -> list[Array]:
        """Of lists and, behind these, of columns."""
        in_lists = self._behind("overflow_keys", _bounds(self._listed)[self._first_terms])
        rows = self._firsts(self._runs.sizes("dense_terms") // 4)
        first_keys = self._counts["postings"] + rows * self._counts["documents"]
        return [in_lists, self._behind("dense_overflow_keys", first_keys)]

    def _overflows(self, column: str) -> list[Array]:
        return [self._items(column), self._items(f"dense_{column}")]

    @staticmethod
    def _firsts(sizes: Array) -> Array:
        """How many come before each run, given how many it has."""
        return np.cumsum(sizes) - sizes


def _bounds(sizes: Array) -> Array:
    """Where each of some ranges begins that follow each other, and the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes)])


class _Blocks:
    """A file of checksummed blocks that is written from its beginning to its end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._checksums: list[int] = []
        self._waiting = b""  # less than a block
        self._written = 0

    def add(self, data: bytes | memoryview) -> None:
        """Write bytes."""
        view = memoryview(data)
        if self._waiting:
            missing = BLOCK - len(self._waiting)
            self._waiting += view[:missing]
            view = view[missing:]
            if len(self._waiting) < BLOCK:
                return
            self._write(memoryview(self._waiting))
        whole = len(view) // BLOCK * BLOCK
        for at in range(0, whole, CHUNK):
            self._write(view[at : min(at + CHUNK, whole)])
        self._waiting = bytes(view[whole:])

    def fill(self, offset: int) -> None:
        """Write zeros up to an offset."""
        self.add(bytes(offset - self._written - len(self._waiting)))

    def _write(self, blocks: memoryview) -> None:
        self._digest.update(blocks)
        self._file.write(blocks)
        self._checksums += [crc32(blocks[at : at + BLOCK]) for at in range(0, len(blocks), BLOCK)]
        self._written += len(blocks)

    def finish(self) -> str:
        """Write the checksums behind whole blocks; the SHA-256 of all."""
        pages = checksum_pages(self._checksums)
        self._digest.update(pages)
        self._file.write(pages)
        return self._digest.hexdigest()
