"""Writing a format 2 cache: documents as they come, the index and the manifest at the end."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cache.index_writer import DocumentColumns, IndexWriter
from ..cache.manifest import cache_version
from .inversion import Inverter
from .report import BuildReport, Notice, Skipped, SourceError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .compile import Batch

Array = NDArray[np.int64]
CHUNK = 1 << 20


class CacheWriter:
    """Takes batches in the order of their sources and leaves a cache in place."""

    def __init__(self, staging: Staging, identity: dict[str, Any]) -> None:
        """Files are made in the scratch of `staging`; `identity` is the manifest's `build_config`."""
        self._staging = staging
        self._identity = identity
        self._inverter = Inverter(staging)
        self._lines = staging.open("lines")
        self._ids: list[bytes] = []
        self._versions: list[str] = []
        self._columns: dict[str, list[Array]] = {
            "tokens": [], "words": [], "title_words": [], "line_checksums": [], "lengths": [],
        }  # fmt: skip
        self.sources = 0
        """Of how many sources documents were taken."""

    def add(self, batch: Batch) -> None:
        """Take one batch."""
        self._inverter.add(batch)
        self._lines.writelines(batch.lines)
        self._ids.extend(id_.encode("utf-8") for id_ in batch.ids)
        self._versions.extend(batch.versions)
        self.sources += batch.sources
        for name, column in (
            ("tokens", batch.tokens),
            ("words", batch.words),
            ("title_words", batch.title_words),
            ("line_checksums", batch.checksums),
            ("lengths", [len(line) for line in batch.lines]),
        ):
            self._columns[name].append(np.asarray(column, np.int64))

    def finish(self, skipped: tuple[Skipped, ...], warnings: tuple[Notice, ...]) -> BuildReport:
        """Write index and manifest and publish all. Raises `SourceError` when two ids are equal."""
        order = self._order()
        columns = {
            name: np.concatenate([np.zeros(0, np.int64), *parts]) for name, parts in self._columns.items()
        }
        lines = self._sorted_lines(columns["lengths"], order)
        ranks = None if order is None else np.argsort(order)
        if order is not None:
            columns = {name: column[order] for name, column in columns.items()}
            self._ids = [self._ids[number] for number in order]
            self._versions = [self._versions[number] for number in order]
        index = self._staging.scratch / "index"
        with self._staging.open("index") as file:
            ends = np.cumsum(columns.pop("lengths"))
            IndexWriter(
                file, self._inverter.finish(ranks), DocumentColumns(line_ends=ends, **columns)
            ).write()
        report = BuildReport(
            documents=len(self._ids),
            sources=self.sources,
            tokens=int(columns["tokens"].sum()),
            words=int(columns["words"].sum()),
            cache_version=self._version(),
            skipped=skipped,
            warnings=warnings,
        )
        self._publish(lines, index, report)
        return report

    def _order(self) -> Array | None:
        """The documents by id; None when they came so, which only odd file names prevent."""
        if all(low < high for low, high in pairwise(self._ids)):
            return None
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        for one, other in pairwise(order):
            if self._ids[one] == self._ids[other]:
                raise SourceError(f"two documents have the id {self._ids[one].decode()!a}: rename a source")
        return np.array(order, np.int64)

    def _sorted_lines(self, lengths: Array, order: Array | None) -> Path:
        """The documents file in id order."""
        path = self._staging.scratch / "lines"
        if order is None:
            self._lines.close()
            return path
        ends = np.cumsum(lengths)
        sorted_path = self._staging.scratch / "sorted-lines"
        with sorted_path.open("wb") as file:
            for number in order:
                self._lines.seek(int(ends[number] - lengths[number]))
                file.write(self._lines.read(int(lengths[number])))
        self._lines.close()
        return sorted_path

    def _version(self) -> str:
        ids = (id_.decode("utf-8") for id_ in self._ids)
        return cache_version(self._identity, zip(ids, self._versions, strict=True))

    def _publish(self, lines: Path, index: Path, report: BuildReport) -> None:
        files = {}
        described = {}
        for name, path, form in (
            ("documents", lines, "documents-{}.jsonl"),
            ("index", index, "index-{}.bin"),
        ):
            sha256 = _sha256(path)
            final = form.format(sha256[:12])
            files[final] = path
            described[name] = {"path": final, "bytes": path.stat().st_size, "sha256": sha256}
        manifest = {
            "cache_version": report.cache_version,
            "build_config": self._identity,
            "document_count": report.documents,
            "source_count": report.sources,
            "total_tokens": report.tokens,
            "total_words": report.words,
            "files": described,
        }
        self._staging.publish(
            files, json.dumps(manifest, indent=2, ensure_ascii=False).encode("utf-8") + b"\n"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
