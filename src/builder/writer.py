"""Writing a format 2 cache: documents as they come, the index and the manifest at the end.

Postings come by document and are written by term, in bounded memory. Batches are spooled to a file as
they come. Once all document frequencies are known, so is the position of every posting: a second pass
puts each where it belongs, in arrays on disk that the system keeps in memory as far as there is room.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections import defaultdict
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import Document
from ..cache.index_writer import IndexWriter
from ..cache.manifest import cache_version
from ..cache.postings import SLICE, DocumentColumns, Inversion
from ..cache.publish import ATTRIBUTES, ATTRIBUTES_CONTENT
from ..errors import UsageError
from ..jsonio import pretty
from ..scoring import SCORERS
from .duplicates import duplicates, fingerprint
from .report import DUPLICATE, LARGE, LARGE_TOKENS, BuildReport, Finding, Notice, Skipped, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .compile import Batch
    from .counting import Postings
    from .reuse import Reuse

Array = NDArray[np.int64]
CHUNK = 1 << 20  # bytes
MAX_POSTINGS = (1 << 32) - 1  # of what an index addresses; some fifty million documents


DATA_FILES = {"documents": "documents-{}.jsonl", "index": "index-{}.bin"}
"""The names of the data files, around the first 12 hex digits of their SHA-256."""


class CacheWriter:
    """Takes batches in the order of their sources and leaves a cache in place."""

    def __init__(self, staging: Staging, identity: dict[str, Any], *, description: str = "") -> None:
        """Files are made in the scratch of `staging`; `identity` is the manifest's `build_config`."""
        self._staging = staging
        self._identity = identity
        self._description = description
        self._inverter = Inverter(staging)
        self._lines = staging.open("lines")
        self._ids: list[bytes] = []
        self._versions: list[str] = []
        self._names: list[bytes] = []
        self._keys: list[bytes] = []
        self._sources: list[bytes] = []
        self._unique = identity.get("unique", False)
        self._columns: dict[str, list[Array]] = {
            "tokens": [], "words": [], "title_words": [], "line_checksums": [], "lengths": [],
        }  # fmt: skip
        self.aliases: dict[str, list[str]] = {}
        """Once finished: the ids of documents that stand for identical ones, with the ids of those."""
        self.sources = 0
        """Of how many sources documents were taken."""

    def add(self, batch: Batch) -> None:
        """Take one batch."""
        self._inverter.add(batch.postings, first_document=len(self._ids))
        self._add_documents(batch)

    def reuse(self, reuse: Reuse) -> None:
        """Take documents of the cache that is replaced."""
        first = len(self._ids)
        for batch in reuse.documents():
            self._add_documents(batch)
        for postings in reuse.postings():
            self._inverter.add(postings, first_document=first)

    def _add_documents(self, batch: Batch) -> None:
        self._lines.writelines(batch.lines)
        for source, key in map(fingerprint, batch.lines):
            self._keys.append(key)
            self._sources.append(source)
        self._ids.extend(id_.encode("utf-8") for id_ in batch.ids)
        self._versions.extend(batch.versions)
        self._names.extend(batch.names)
        self.sources += batch.sources
        for name, column in (
            ("tokens", batch.tokens),
            ("words", batch.words),
            ("title_words", batch.title_words),
            ("line_checksums", batch.checksums),
            ("lengths", [len(line) for line in batch.lines]),
        ):
            self._columns[name].append(np.asarray(column, np.int64))

    def finish(
        self,
        skipped: tuple[Skipped, ...],
        warnings: tuple[Notice, ...],
        findings: Iterable[Finding] = (),
    ) -> BuildReport:
        """Write index and manifest and publish all. Raises `SourceError` when two ids are equal."""
        columns = {
            name: np.concatenate([np.zeros(0, np.int64), *parts]) for name, parts in self._columns.items()
        }
        columns["starts"] = np.cumsum(columns["lengths"]) - columns["lengths"]
        order = self._without_duplicates(self._order(), columns)
        lines = self._sorted_lines(columns.pop("starts"), columns["lengths"], order)
        ranks = None
        if order is not None:
            ranks = np.full(len(self._ids), -1)
            ranks[order] = np.arange(len(order))
            columns = {name: column[order] for name, column in columns.items()}
            self._ids = [self._ids[number] for number in order]
            self._versions = [self._versions[number] for number in order]
            self._names = [self._names[number] for number in order]
            self._sources = [self._sources[number] for number in order]
        documents_sha256, version = _sha256(lines), self._version()
        index = self._staging.scratch / "index"
        with self._staging.open("index") as file:
            ends = np.cumsum(columns.pop("lengths"))
            IndexWriter(
                file,
                self._inverter.finish(ranks),
                DocumentColumns(line_ends=ends, file_starts=_file_starts(self._sources), **columns),
                SCORERS[self._identity["scorer"]],
                identity=(bytes.fromhex(documents_sha256), bytes.fromhex(version.removeprefix("sha256:"))),
            ).write()
        report = BuildReport(
            documents=len(self._ids),
            sources=len(set(self._sources)),
            tokens=int(columns["tokens"].sum()),
            words=int(columns["words"].sum()),
            cache_version=version,
            skipped=skipped,
            warnings=warnings,
            findings=tuple(sorted([*findings, *self._large(columns["tokens"]), *self._duplicates()])),
        )
        self._publish({"documents": (lines, documents_sha256), "index": (index, _sha256(index))}, report)
        return report

    def _large(self, tokens: Array) -> Iterator[Finding]:
        """The documents that are too large for most answers."""
        for number in np.flatnonzero(tokens > LARGE_TOKENS).tolist():
            yield Finding(LARGE, self._ids[number].decode("utf-8"), f"{tokens[number]:,} tokens")

    def _duplicates(self) -> Iterator[Finding]:
        """The documents whose content is that of one before."""
        for original, aliases in self.aliases.items():
            yield from (Finding(DUPLICATE, alias, original) for alias in aliases)
        first: dict[str, bytes] = {}
        for id_, version in zip(self._ids, self._versions, strict=True):
            other = first.setdefault(version, id_)
            if other is not id_:
                yield Finding(DUPLICATE, id_.decode("utf-8"), other.decode("utf-8"))

    def _order(self) -> Array | None:
        """The documents by id; None when they came so, which only odd file names prevent."""
        if all(low < high for low, high in pairwise(self._ids)):
            return None
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        for one, other in pairwise(order):
            if self._ids[one] == self._ids[other]:
                raise SourceError(f"two documents have the id {self._ids[one].decode()!a}: rename a source")
        return np.array(order, np.int64)

    def _without_duplicates(self, order: Array | None, columns: dict[str, Array]) -> Array | None:
        """The documents by id, of identical ones only the first, with the ids of the others as aliases."""
        numbers = range(len(self._ids)) if order is None else order.tolist()
        groups = duplicates(self._keys, numbers) if self._unique else {}
        if not groups:
            return order
        dropped = np.zeros(len(self._ids), np.bool_)
        for first, others in groups.items():
            dropped[others] = True
            self.aliases[self._ids[first].decode("utf-8")] = [
                self._ids[one].decode("utf-8") for one in others
            ]
            self._rewrite_line(first, columns)
        self._inverter.drop(dropped)
        ordered = np.array(numbers, np.int64)
        return ordered[~dropped[ordered]]

    def _rewrite_line(self, number: int, columns: dict[str, Array]) -> None:
        """Put the line of a document with its aliases behind all lines."""
        self._lines.seek(int(columns["starts"][number]))
        document = Document.parse(self._lines.read(int(columns["lengths"][number])))
        document.aliases = tuple(self.aliases[document.id])
        line = document.line()
        columns["starts"][number] = self._lines.seek(0, os.SEEK_END)
        self._lines.write(line)
        columns["lengths"][number] = len(line)
        columns["line_checksums"][number] = crc32(line)
        self._names[number] = document.names

    def _sorted_lines(self, starts: Array, lengths: Array, order: Array | None) -> Path:
        """The documents file in id order."""
        path = self._staging.scratch / "lines"
        if order is None:
            self._lines.close()
            return path
        sorted_path = self._staging.scratch / "sorted-lines"
        with sorted_path.open("wb") as file:
            for start, end in _runs(starts[order], starts[order] + lengths[order]):
                self._lines.seek(start)
                for at in range(start, end, CHUNK):
                    file.write(self._lines.read(min(CHUNK, end - at)))
        self._lines.close()
        return sorted_path

    def _version(self) -> str:
        ids = (id_.decode("utf-8") for id_ in self._ids)
        return cache_version(self._identity, zip(ids, self._versions, self._names, strict=True))

    def _publish(self, data: dict[str, tuple[Path, str]], report: BuildReport) -> None:
        """Describe the data files, each with its SHA-256, in a manifest, and put all in place."""
        files = {ATTRIBUTES: self._staging.scratch / "attributes"}
        files[ATTRIBUTES].write_bytes(ATTRIBUTES_CONTENT)
        described = {}
        for name, (path, sha256) in data.items():
            final = DATA_FILES[name].format(sha256[:12])
            files[final] = path
            described[name] = {"path": final, "bytes": path.stat().st_size, "sha256": sha256}
        manifest = {
            "cache_version": report.cache_version,
            "build_config": self._identity,
            **({"description": self._description} if self._description else {}),
            "document_count": report.documents,
            "source_count": report.sources,
            "total_tokens": report.tokens,
            "total_words": report.words,
            "files": described,
        }
        self._staging.publish(files, pretty(manifest).encode("utf-8"))


def _runs(starts: Array, ends: Array) -> list[tuple[int, int]]:
    """Where ranges that follow each other begin and end."""
    breaks = np.flatnonzero(starts[1:] != ends[:-1])
    firsts, lasts = starts[[0, *(breaks + 1)]], ends[[*breaks, len(ends) - 1]]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _file_starts(sources: list[bytes]) -> Array:
    """The first document of each file, given the source of each document; none where none was split."""
    starts = [n for n, source in enumerate(sources) if not n or source != sources[n - 1]]
    return np.array(starts if len(starts) < len(sources) else [], np.int64)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_COLUMNS: tuple[tuple[int, type], ...] = ((0, np.uint32), (4, np.uint32), (8, np.uint16), (10, np.bool_))
"""The columns of a spooled batch: bytes a posting before it, and its type."""
_UNKNOWN_THERE = (errno.EINVAL, errno.EOPNOTSUPP)


class _Spooled(NamedTuple):
    """Where a batch's columns lie in the spool, and what its terms are in all."""

    offset: int
    postings: int
    first_document: int
    """What is added to its document numbers."""
    terms: NDArray[np.uint32]
    """The number that each term has in all."""
    doc_freqs: NDArray[np.uint32]
    """How many of the batch's documents hold each term."""


class Inverter:
    """Takes postings of ever later documents and gives all back by term."""

    def __init__(self, staging: Staging) -> None:
        """Files are made in the scratch directory of `staging`."""
        self._scratch = staging.scratch
        self._spool = staging.open("spool")
        # A term that is looked up for the first time takes the next number.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._batches: list[_Spooled] = []
        self._postings = 0

    def add(self, postings: Postings, first_document: int) -> None:
        """Take the postings of a batch; its documents are numbered from `first_document`."""
        terms = np.array([*map(self._numbers.__getitem__, postings.vocabulary)], np.uint32)
        size = len(postings.documents)
        self._postings += size
        if self._postings > MAX_POSTINGS:
            raise UsageError(f"more than {MAX_POSTINGS:,} postings: split the sources into several caches")
        entry = _Spooled(self._spool.tell(), size, first_document, terms, postings.doc_freqs)
        for column in (postings.documents, postings.body, postings.title, postings.multi_term):
            self._spool.write(column.tobytes())
        self._batches.append(entry)

    def drop(self, dropped: NDArray[np.bool_]) -> None:
        """Leave out the postings of some documents, each of which another one has too."""
        for number, batch in enumerate(self._batches):
            documents = self._read(batch, 0, np.uint32).astype(np.int64)
            kept = ~dropped[batch.first_document + documents]
            if kept.all():
                continue
            terms = np.repeat(np.arange(len(batch.terms)), batch.doc_freqs)[kept]
            columns = [self._read(batch, skip, kind)[kept] for skip, kind in _COLUMNS]
            self._batches[number] = batch._replace(
                offset=self._spool.seek(0, os.SEEK_END),
                postings=len(terms),
                doc_freqs=np.bincount(terms, minlength=len(batch.terms)).astype(np.uint32),
            )
            for column in columns:
                self._spool.write(column.tobytes())

    def finish(self, ranks: Array | None) -> Inversion:
        """All postings, by term and then by document.

        `ranks` gives each document's number in id order, None if the documents came in it.
        """
        terms = sorted((term.encode("utf-8"), number) for term, number in self._numbers.items())
        order = np.empty(len(terms), np.int64)
        order[[number for _, number in terms]] = np.arange(len(terms))
        self._numbers.clear()
        doc_freqs = self._doc_freqs(order)
        starts = np.concatenate([[0], np.cumsum(doc_freqs)])
        inversion = Inversion(
            terms=[term for term, _ in terms],
            starts=starts,
            documents=self._output("documents", int(starts[-1]), np.uint32),
            body=self._output("body", int(starts[-1]), np.uint32),
            title=self._output("title", int(starts[-1]), np.uint16),
            compound=self._output("compound", int(starts[-1]), np.bool_),
        )
        self._distribute(inversion, order, ranks)
        if ranks is not None:
            _sort_within_terms(inversion)
        self._spool.close()
        return inversion

    def _output(self, name: str, length: int, kind: type) -> NDArray[Any]:
        if not length:
            return np.zeros(0, kind)
        path = self._scratch / name
        _reserve(path, length * np.dtype(kind).itemsize)
        return np.memmap(path, kind, "r+", shape=(length,))

    def _doc_freqs(self, order: Array) -> Array:
        """How many documents hold each term, in the order of the terms."""
        doc_freqs = np.zeros(len(order), np.int64)
        for batch in self._batches:
            doc_freqs[order[batch.terms]] += batch.doc_freqs
        return doc_freqs

    def _read(self, batch: _Spooled, skip: int, kind: type) -> NDArray[Any]:
        """One column of a spooled batch, `skip` bytes a posting behind its start."""
        self._spool.seek(batch.offset + skip * batch.postings)
        data = self._spool.read(np.dtype(kind).itemsize * batch.postings)
        return np.frombuffer(data, kind)

    def _distribute(self, inversion: Inversion, order: Array, ranks: Array | None) -> None:
        """Put each posting in its term's range, behind those of the batches before."""
        cursor = inversion.starts[:-1].copy()
        for batch in self._batches:
            terms, sizes = order[batch.terms], batch.doc_freqs.astype(np.int64)
            # Postings of one term stand together: each is as far from its offset as the first of them.
            offsets = np.arange(batch.postings) + np.repeat(cursor[terms] - (np.cumsum(sizes) - sizes), sizes)
            cursor[terms] += sizes
            documents = batch.first_document + self._read(batch, 0, np.uint32).astype(np.int64)
            inversion.documents[offsets] = documents if ranks is None else ranks[documents]
            inversion.body[offsets] = self._read(batch, *_COLUMNS[1])
            inversion.title[offsets] = self._read(batch, *_COLUMNS[2])
            inversion.compound[offsets] = self._read(batch, *_COLUMNS[3])


def _reserve(path: Path, size: int) -> None:
    """Make a file of `size` bytes that are there: writing to a map of a hole in a full disk kills."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError as error:
                if error.errno not in _UNKNOWN_THERE:
                    raise
        file.truncate(size)


def _unsorted_terms(inversion: Inversion) -> Array:
    """The terms whose documents are not in order, looked for some millions of postings at a time."""
    found = [np.zeros(0, np.int64)]
    for first in range(0, len(inversion.documents), SLICE):
        part = inversion.documents[first : first + SLICE + 1]
        falling = first + 1 + np.flatnonzero(part[1:] < part[:-1])
        terms = np.searchsorted(inversion.starts, falling, side="right") - 1
        found.append(np.unique(terms[inversion.starts[terms] != falling]))
    return np.unique(np.concatenate(found))


def _sort_within_terms(inversion: Inversion) -> None:
    """Sort the ranges that are out of order by document, when documents did not come in id order."""
    for term in _unsorted_terms(inversion):
        part = slice(inversion.starts[term], inversion.starts[term + 1])
        order = np.argsort(inversion.documents[part])
        for column in (inversion.documents, inversion.body, inversion.title, inversion.compound):
            column[part] = column[part][order]
