"""Writing a format 2 cache: documents as they come, the index and the manifest at the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import file_of
from ..cache.index_writer import IndexWriter
from ..cache.manifest import cache_version
from ..cache.postings import DocumentColumns, shared_terms, signatures
from ..cache.publish import ATTRIBUTES, ATTRIBUTES_CONTENT
from ..cache.term_runs import Lengths
from ..garbage import gc_paused
from ..jsonio import pretty
from ..scoring import SCORERS
from .document_list import DocumentList
from .inverter import Inverter, Processes
from .report import DUPLICATE, LARGE, LARGE_TOKENS, BuildReport, Finding, Notice, Skipped
from .spool import Spool, Spooled
from .term_weights import weighed, weighed_here

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .compile import Batch
    from .document_list import Sorted
    from .heads import Heads
    from .reuse import Reuse

Array = NDArray[np.int64]

DATA_FILES = {"documents": "documents-{}.jsonl", "index": "index-{}.bin"}
"""The names of the data files, around the first 12 hex digits of their SHA-256."""


class CacheWriter:
    """Takes batches in the order of their sources and leaves a cache in place."""

    def __init__(
        self,
        staging: Staging,
        identity: dict[str, Any],
        *,
        description: str = "",
        spool: Spool | None = None,
        processes: Processes = Processes(),  # noqa: B008 - a tuple
    ) -> None:
        """Files are made in the scratch of `staging`; `identity` is the manifest's `build_config`.

        A `spool` elsewhere is one that all `processes` reach.
        """
        self._staging = staging
        self._identity = identity
        self._description = description
        self._spool = spool or Spool(str(staging.scratch))
        self._processes = processes
        self._inverter = Inverter(self._spool, staging.scratch, processes)
        self._documents = DocumentList(staging.scratch, self._spool)
        self._reuse: Reuse | None = None
        self._added = 0  # documents that are new
        self.sources = 0
        """Of how many sources documents were taken."""

    def add(self, batch: Batch) -> None:
        """Take one batch."""
        postings = batch.postings
        if not isinstance(postings, Spooled):
            postings = self._spool.put(postings, batch.lines)
        self._inverter.add(postings, first_document=self._added)
        self._added += len(batch.heads)
        self._documents.add(postings.attachment, batch.heads, batch.columns)
        self.sources += batch.sources

    def reuse(self, reuse: Reuse) -> None:
        """Take documents of the cache that is replaced, before any batch."""
        self._reuse = reuse
        self._documents.reuse(reuse)
        self.sources += len(reuse.files)

    @gc_paused()
    def finish(
        self,
        skipped: tuple[Skipped, ...],
        warnings: tuple[Notice, ...],
        findings: Iterable[Finding] = (),
    ) -> BuildReport:
        """Write index and manifest and publish all. Raises `SourceError` when two ids are equal."""
        numbers, columns, report = self._sort(skipped, warnings, findings)
        version = bytes.fromhex(report.cache_version.removeprefix("sha256:"))
        with ThreadPoolExecutor(1) as beside:  # copying and hashing leave this thread alone
            if self._processes.are_forked:
                index, lines = self._index(numbers, columns, version), beside.submit(self._documents.write)
            else:
                lines, index = beside.submit(self._documents.write), self._index(numbers, columns, version)
        path = self._staging.scratch / "index"
        with path.open("wb") as file:
            sha256 = index.write(file, bytes.fromhex(lines.result()[1]), version)
        self._publish({"documents": lines.result(), "index": (path, sha256)}, report)
        return report

    def _sort(
        self, skipped: tuple[Skipped, ...], warnings: tuple[Notice, ...], findings: Iterable[Finding]
    ) -> tuple[Array, DocumentColumns, BuildReport]:
        """Sort the documents: the number of each, what the index holds of them, and the report.

        All that is told of documents is told here, so that postings have the memory of their heads.
        """
        documents = self._documents
        ordered = documents.sort(unique=self._identity.get("unique", False))
        heads, columns = ordered.heads, documents.columns
        found = *findings, *_large(heads, columns["tokens"]), *_duplicates(ordered)
        report = BuildReport(
            documents=len(heads),
            sources=len({file_of(source.decode()) for source in heads.sources}),
            tokens=int(columns["tokens"].sum()),
            words=int(columns["words"].sum()),
            cache_version=cache_version(self._identity, heads.identities.data),
            skipped=skipped,
            warnings=warnings,
            findings=tuple(sorted(found)),
        )
        numbers = dict(columns)
        ends = np.cumsum(numbers.pop("lengths"))
        of_index = DocumentColumns(line_ends=ends, file_starts=_file_starts(heads), **numbers)
        return ordered.numbers, of_index, report

    def _index(self, numbers: Array, columns: DocumentColumns, key: bytes) -> IndexWriter:
        """What writes the index of all documents, which get these numbers; `key` is that of signatures."""
        scorer = self._identity["scorer"]
        lengths = Lengths.of(columns, SCORERS[scorer])
        reuse = self._reuse
        merged = self._inverter.merge(numbers[len(reuse.heads) if reuse else 0 :], key)
        if reuse is None:
            shared = shared_terms(merged.terms, merged.signatures)
            is_shared = _marked(shared[0], len(merged.terms))
            processes = self._processes.for_postings(sum(one.size for one in merged.ranges))
            runs, suffix_order = weighed(self._spool, merged, is_shared, lengths, scorer, processes)
            return IndexWriter(merged.terms, runs, columns, shared=shared, suffix_order=suffix_order)
        new = self._inverter.joined(merged)
        every = reuse.merged(new, numbers[: len(reuse.heads)], self._inverter.output)
        shared = shared_terms(every.terms, signatures(every, key))
        runs = weighed_here(self._spool, every, _marked(shared[0], len(every.terms)), lengths, scorer)
        return IndexWriter(every.terms, runs, columns, shared=shared, suffix_order=every.suffix_order)

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


def _marked(numbers: Array, count: int) -> NDArray[np.bool_]:
    """Which of so many are among `numbers`."""
    marks = np.zeros(count, np.bool_)
    marks[numbers] = True
    return marks


def _large(heads: Heads, tokens: Array) -> Iterator[Finding]:
    """The documents that are too large for most answers."""
    for number in np.flatnonzero(tokens > LARGE_TOKENS).tolist():
        yield Finding(LARGE, heads.id(number).decode(), f"{tokens[number]:,} tokens")


def _duplicates(ordered: Sorted) -> Iterator[Finding]:
    """The documents whose content is that of one before."""
    heads = ordered.heads
    for number, aliases in ordered.aliases.items():
        first_id = heads.id(number).decode()
        yield from (Finding(DUPLICATE, alias, first_id) for alias in aliases)
    for number, first in ordered.same_content:
        yield Finding(DUPLICATE, heads.id(number).decode(), heads.id(first).decode())


def _file_starts(heads: Heads) -> Array:
    """The first document of each file; none where none was split."""
    sources = list(heads.sources)
    is_first = [True, *(one != other for one, other in pairwise(sources))][: len(sources)]
    starts = heads.source_starts[is_first]
    return starts if len(starts) < len(heads) else starts[:0]
