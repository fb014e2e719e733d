"""What is remembered of a build beside its cache: which bytes each source had.

It makes the next build quick and decides nothing alone: it speaks only for the very cache
and the very program that it was written for, and a source is taken for unchanged only when
its bytes have the digest that is remembered. Whatever is wrong with it, it is as if it were
not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..cache.manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGE = Path(__file__).parents[1]
_DECISIVE = ("builder", "cache", "text", "scoring.py")


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """The sources of a build; ids → hex SHA-256 of the bytes."""

    documents: Mapping[str, str] = field(default_factory=dict)
    """Sources that became documents."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Sources that were read and did not become documents."""
    told: frozenset[str] = frozenset()
    """Those of `documents` of which there was something to tell; a build tells it again."""


def read_record(file: Path, place: Path) -> Record | None:
    """The record of the cache at `place`; None unless it is of this cache and this program."""
    try:
        checksum, _, data = file.read_bytes().partition(b"\n")
        if checksum.decode() != hashlib.sha256(data).hexdigest():
            return None
        fields = json.loads(data)
        if fields["of"] != _stamp(place):
            return None
        return Record(
            documents=_digests(fields["documents"]),
            skipped=_digests(fields["skipped"]),
            told=frozenset(fields["told"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _digests(value: object) -> dict[str, str]:
    """Ids and digests. Raises `TypeError` for anything else."""
    if not isinstance(value, dict) or not all(isinstance(digest, str) for digest in value.values()):
        raise TypeError
    return value


def write_record(file: Path, place: Path, record: Record) -> None:
    """Remember what the cache at `place` was built from; not being able to is no failure."""
    waiting = file.with_name(f"{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        fields = {
            "of": _stamp(place),
            "documents": dict(record.documents),
            "skipped": dict(record.skipped),
            "told": sorted(record.told),
        }
        data = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        file.parent.mkdir(parents=True, exist_ok=True)
        waiting.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
        waiting.replace(file)


def _stamp(place: Path) -> list[str]:
    """The identity of this program and of the cache at `place`."""
    return [_program(), hashlib.sha256((place / MANIFEST).read_bytes()).hexdigest()]


@cache
def _program() -> str:
    """The identity of the code that decides what a source becomes."""
    digest = hashlib.sha256()
    for name in _DECISIVE:
        path = _PACKAGE / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
