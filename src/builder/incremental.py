"""Building again without compiling again what has not changed, to the bytes of a build from nothing.

A record beside the cache says which bytes each source had. It makes the next build quick and decides nothing
alone: it speaks only for the very cache and the very program that it was written for, and a source is taken
for unchanged only when its bytes have the digest that is recorded. Whatever is wrong with it, it is as if it
were not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..cache.files import LARGEST_FILE
from ..cache.manifest import MANIFEST, read_manifest
from ..errors import OperationError
from ..garbage import gc_paused
from ..jsonio import canonical
from ..safeio import read_bytes, replace_bytes
from .report import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .compile import Batch, Source
    from .freshness import Freshness
    from .writer import CacheWriter

_PACKAGE = Path(__file__).parents[1]
_DECISIVE = ("builder", "cache", "text", "scoring.py")


@dataclass(kw_only=True, slots=True)
class Record:
    """The sources of a build; ids → hex SHA-256 of the bytes."""

    documents: dict[str, str] = field(default_factory=dict)
    """Sources that became documents."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Sources that were read and did not become documents."""
    warned: set[str] = field(default_factory=set)
    """Those of `documents` that are compiled again, for a warning to be repeated."""
    findings: list[Finding] = field(default_factory=list)
    """What was found in the sources."""


class Rebuild:
    """What one build reuses of a cache, and records for the next one."""

    def __init__(self, record_file: Path, before: Freshness | None = None, *, reuses: bool = True) -> None:
        """`before` is the comparison of the cache with its sources; without it, they are walked.

        What it knows of the sources is taken in any case; unless it `reuses` it, no document is.
        """
        self.walked = before.walked if before else None
        self._before = before if reuses else None
        self._file = record_file
        self.recorded = Record()
        """What is known of the sources: of those that are reused, until others are recorded."""

    @gc_paused()
    def reuse(self, sources: Sequence[Source], writer: CacheWriter) -> list[Source]:
        """Give the writer the documents of unchanged sources; return the sources that are left to compile."""
        before = self._before
        if before is None or before.store is None:
            return list(sources)
        reused = {source.id for source in sources}.intersection(before.unchanged)
        if reused:
            from .reuse import Reuse  # numpy, which a look at a record does without

            reuse = Reuse(before.store, reused)
            writer.reuse(reuse)
            reused &= reuse.files
        digests = {source.id: before.unchanged[source.id] for source in sources if source.id in reused}
        self.recorded.documents.update(digests)
        self.recorded.findings += [finding for finding in before.findings if finding.path in reused]
        return [source for source in sources if source.id not in reused]

    def record(self, batch: Batch) -> None:
        """Note what was compiled."""
        recorded, skipped = self.recorded, {item.path for item in batch.skipped}
        for id_, digest in batch.digests.items():
            (recorded.skipped if id_ in skipped else recorded.documents)[id_] = digest
        recorded.warned.update(notice.path for notice in batch.warnings)
        recorded.findings += batch.findings

    def save(self, cache_dir: Path, cache_version: str) -> None:
        """Write the record of the cache of this version at `cache_dir`."""
        write_record(self._file, cache_dir, cache_version, self.recorded)


_LARGEST_OF_SMALL = 1 << 24
"""Bytes of a record, or as many as its cache has: parsing takes up to thirty times as much memory."""


def read_record(file: Path, cache_dir: Path) -> Record | None:
    """The record of the cache at `cache_dir`; None unless it is of this cache and this program."""
    try:
        checksum, _, data = read_bytes(file, limit=_largest(cache_dir)).partition(b"\n")
        if checksum.decode() != hashlib.sha256(data).hexdigest():
            return None
        fields = json.loads(data)
        if fields["of"] != _stamp(cache_dir):
            return None
        return Record(
            documents=_digests(fields["documents"]),
            skipped=_digests(fields["skipped"]),
            warned=set(fields["warned"]),
            findings=[Finding(*map(_text, item)) for item in fields["findings"]],
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _largest(cache_dir: Path) -> int:
    """Bytes that a record of this cache may have."""
    return max(_LARGEST_OF_SMALL, sum(path.lstat().st_size for path in cache_dir.iterdir()))


def _digests(value: object) -> dict[str, str]:
    """Ids and digests. Raises `TypeError` for anything else."""
    if not isinstance(value, dict) or not all(isinstance(digest, str) for digest in value.values()):
        raise TypeError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def write_record(file: Path, cache_dir: Path, cache_version: str, record: Record) -> None:
    """Record what the cache of this version at `cache_dir` was built from.

    Not being able to is no failure, nor is it that another build has replaced the cache meanwhile.
    """
    with contextlib.suppress(OSError, OperationError):
        if read_manifest(str(cache_dir))[1].cache_version != cache_version:
            return
        fields = {
            "of": _stamp(cache_dir),
            "documents": record.documents,
            "skipped": record.skipped,
            "warned": sorted(record.warned),
            "findings": record.findings,
        }
        data = canonical(fields)
        replace_bytes(file, hashlib.sha256(data).hexdigest().encode() + b"\n" + data)


def _stamp(cache_dir: Path) -> list[str]:
    """The identity of this program and of the cache at `cache_dir`."""
    manifest = read_bytes(cache_dir / MANIFEST, limit=LARGEST_FILE)
    return [program_identity(), hashlib.sha256(manifest).hexdigest()]


def program_identity() -> str:
    """The identity of the code that decides what a source becomes."""
    digest = hashlib.sha256()
    for name in _DECISIVE:
        path = _PACKAGE / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
