"""Writing a cache anew from what it holds, to compare: the work of `verify`.

The documents are checked one by one, in several processes if that is wanted. The postings come from the index
(its occurrences; everything else in it follows from them) or from an analysis of the texts.
"""

from __future__ import annotations

from array import array
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from ..cache.documents import Document, file_of, version_of
from ..cache.manifest import MANIFEST
from ..errors import CacheInvalid, IoError, OperationError
from ..parallel import Work, ordered_map, processes
from ..text import token_counter
from .compile import ALONE, Batch, index_documents
from .counting import Lexicon
from .reuse import Reuse
from .writer import CacheWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    from ..cache.index import Index
    from ..cache.manifest import Manifest
    from ..cache.publish import Staging
    from ..cache.store import Store
    from ..text import TokenCounter

BATCH_LINES = 512
BATCH_BYTES = 1 << 22
LIMIT = 1 << 32  # of what an index holds


COLUMNS = ("tokens", "words", "line_checksums", "lengths")
"""What an index holds of each document and needs no analysis; the length of its line."""


class CheckedLines(NamedTuple):
    """The documents of some lines, up to the first that is invalid."""

    ids: list[str]
    files: set[str]
    columns: dict[str, array[int]]
    """For each of `COLUMNS` the number of each document."""
    batch: Batch | None
    """The documents analysed, if that was asked for and all are valid."""
    problem: str
    """What is wrong with the line behind them; empty if there is none."""


class LineCheck(Work[list[bytes], CheckedLines]):
    """Checks lines of a documents file; given an analyzer, also what follows from their texts."""

    def __init__(self, tokenizer: str, analyzer: str | None) -> None:
        """Nothing is loaded yet. Without an `analyzer`, no text is analysed and no token counted."""
        self._tokenizer = tokenizer
        self._analyzer = analyzer
        self._lexicon: Lexicon | None = None

    def __reduce__(self) -> tuple[type[LineCheck], tuple[str, str | None]]:
        """A copy in another process has a lexicon of its own."""
        return LineCheck, (self._tokenizer, self._analyzer)

    def __call__(self, lines: list[bytes]) -> CheckedLines:
        """Check some lines that follow each other."""
        counter = token_counter(self._tokenizer) if self._analyzer else None
        documents: list[Document] = []
        problem, batch = "", None
        for line in lines:
            try:
                documents.append(_checked(line, counter, documents[-1].id if documents else ""))
            except ValueError as error:
                problem = str(error)
                break
        rows = [
            (document.tokens, document.words, crc32(line), len(line))
            for document, line in zip(documents, lines, strict=False)  # behind a problem there are more lines
        ]
        columns = {name: array("Q", [row[at] for row in rows]) for at, name in enumerate(COLUMNS)}
        if self._analyzer and not problem:
            self._lexicon = self._lexicon or Lexicon(self._analyzer)
            batch = index_documents(self._lexicon, documents)
        files = {file_of(document.source) for document in documents}
        return CheckedLines([document.id for document in documents], files, columns, batch, problem)

    def prepare(self) -> None:
        """Load what forked processes share."""
        if self._analyzer:
            token_counter(self._tokenizer)


def _checked(line: bytes, counter: TokenCounter | None, last: str) -> Document:
    """The document of a line, which must be what this package writes. Raises `ValueError`."""
    document = Document.parse(line)
    if not (0 <= document.tokens < LIMIT and 0 <= document.words < LIMIT):
        raise ValueError(f"{document.id!a}: says a size that no document has")
    if not _follows(document.id, last):
        raise ValueError(f"{document.id!a}: not sorted by id, or an id stands twice")
    if document.line() != line:
        raise ValueError(f"{document.id!a}: not in the compact form of a documents file")
    if document.version != version_of(document.content):
        raise ValueError(f"{document.id!a}: the content does not match its version")
    tokens = counter(document.content) if counter else document.tokens
    if document.tokens != tokens:
        raise ValueError(f"{document.id!a}: says {document.tokens} tokens, its content has {tokens}")
    return document


def _follows(id_: str, last: str) -> bool:
    """Whether an id may stand behind another, which is empty for the first."""
    return id_.encode("utf-8") > last.encode("utf-8")


class Rewriting:
    """A cache that is written from what another holds."""

    def __init__(self, manifest: Manifest, staging: Staging) -> None:
        """The cache of `manifest` is written again in `staging`."""
        self._manifest = manifest
        self._staging = staging
        self._writer = CacheWriter(staging, manifest.build_config, description=manifest.description)
        self._files: set[str] = set()
        self._columns = {name: array("Q") for name in COLUMNS}

    @property
    def documents(self) -> int:
        """How many documents were found to be valid."""
        return len(self._columns["tokens"])

    def check_documents(self, file: Iterable[bytes], *, analyse: bool, jobs: int | None) -> str:
        """Check the lines of a documents file; what is wrong with the first that is invalid, or nothing.

        Where they are analysed, they are also written.
        """
        work = LineCheck(self._manifest.tokenizer, self._manifest.analyzer if analyse else None)
        count = processes(jobs, pays=self._manifest.files["documents"].bytes > ALONE)
        last = ""
        with closing(ordered_map(work, _batches(file), jobs=count)) as outcomes:
            for checked in outcomes:
                if checked.ids and not _follows(checked.ids[0], last):
                    return f"line {self.documents + 1}: {checked.ids[0]!a}: not sorted by id"
                last = checked.ids[-1] if checked.ids else last
                for name, column in self._columns.items():
                    column.extend(checked.columns[name])
                if checked.problem:
                    return f"line {self.documents + 1}: {checked.problem}"
                files = checked.files - self._files
                self._files |= files
                if checked.batch is not None:
                    checked.batch.sources = len(files)
                    self._writer.add(checked.batch)
        return ""

    def take_index(self, store: Store) -> None:
        """Write the documents and the occurrences that a cache holds. Raises `CacheInvalid`."""
        index = store.index
        _require_plausible(index)
        columns: dict[str, Any] = {**self._columns}
        columns["line_ends"] = np.cumsum(columns.pop("lengths"))
        for section, said in columns.items():
            if not np.array_equal(_section(index, section), said):
                raise index.file.fault(f"has other {section} than the documents")
        try:
            self._writer.reuse(Reuse(store))
        except (ValueError, IndexError, OverflowError):
            raise index.file.fault("contradicts itself") from None

    def finish(self) -> bytes:
        """Write the index; the bytes of the manifest. Raises `CacheInvalid` if none can be, `IoError`."""
        try:
            self._writer.finish((), ())
        except (
            IoError,
            CacheInvalid,
        ):  # of the scratch directory, which says nothing of the cache; or said well
            raise
        except (OperationError, ValueError, IndexError, OverflowError):
            raise CacheInvalid("the index contradicts itself") from None
        return (self._staging.directory / MANIFEST).read_bytes()


def _batches(file: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lines that are checked at once."""
    batch: list[bytes] = []
    size = 0
    for line in file:
        batch.append(line)
        size += len(line)
        if len(batch) >= BATCH_LINES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _section(index: Index, name: str) -> NDArray[Any]:
    """A whole section, checked."""
    return np.asarray(index.numbers(name, 0, index.size(name)))


def _require_plausible(index: Index) -> None:
    """Raise `CacheInvalid` for numbers that would make a reader of all postings use any amount of memory."""
    terms, postings = index.counts["terms"], index.counts["postings"]
    starts, ends = _section(index, "posting_starts"), _section(index, "term_ends")
    if starts[0] != 0 or starts[-1] != postings or (starts[1:] < starts[:-1]).any():
        raise index.file.fault("has lists of postings that do not follow each other")
    if (ends[1:] <= ends[:-1]).any():
        raise index.file.fault("has terms that do not follow each other")
    for name in ("dense_terms", "shared_terms", "shared_with"):
        if name in index.widths and (_section(index, name) >= terms).any():
            raise index.file.fault(f"has {name} that are no terms")
    documents = _section(index, "posting_documents")
    if (documents >= index.documents).any():
        raise index.file.fault("has postings of no document")
