"""Writing a format 2 cache: documents as they come, the index and the manifest at the end.

Identical documents are one: the first id by order; the ids of the others are its aliases. Documents are
identical when content and title are. A copy of a folder for another version of a program brings many of
them, and an answer would say the same again and again.
"""

from __future__ import annotations

import hashlib
import os
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import Document, file_of
from ..cache.index_writer import IndexWriter
from ..cache.manifest import cache_version
from ..cache.postings import DocumentColumns
from ..cache.publish import ATTRIBUTES, ATTRIBUTES_CONTENT
from ..garbage import gc_paused
from ..jsonio import pretty
from ..scoring import SCORERS
from .inverter import Inverter
from .report import DUPLICATE, LARGE, LARGE_TOKENS, BuildReport, Finding, Notice, Skipped, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .compile import Batch
    from .reuse import Reuse

Array = NDArray[np.int64]
CHUNK = 1 << 20  # bytes


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

    @gc_paused()
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
            sources=len({file_of(source.decode()) for source in set(self._sources)}),
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


_STRING = rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
_BEGINNING = re.compile(
    rb'\{"id":%s,"version":%s,"source":%s,"title":%s,' % (_STRING, _STRING, _STRING, _STRING)
)
"""How every line of a documents file begins."""


class Fingerprint(NamedTuple):
    """What tells whether documents are identical, and where they come from."""

    source: bytes
    """As JSON spells it."""
    key: bytes
    """Equal for identical documents only."""


def fingerprint(line: bytes) -> Fingerprint:
    """The fingerprint of the document of a line, which is in the form of a documents file."""
    match = _BEGINNING.match(line)
    assert match is not None  # `Document.line` writes nothing else
    key = hashlib.blake2b(match[2] + b"\n" + match[4], digest_size=16).digest()
    return Fingerprint(match[3], key)


def duplicates(keys: Sequence[bytes], order: Iterable[int]) -> dict[int, list[int]]:
    """The first of each set of identical documents → the others, all in the given order."""
    first: dict[bytes, int] = {}
    others: dict[int, list[int]] = {}
    for number in order:
        kept = first.setdefault(keys[number], number)
        if kept != number:
            others.setdefault(kept, []).append(number)
    return others
