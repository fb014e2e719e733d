"""The two fingerprints of a directory: by the times of its files, and by their content.

By times (rule C14) nothing is read, but a checkout or a `touch` changes it. By
content it is the same in every clone. Both are the first 8 hex digits of a
SHA-256 over one line a file, sorted by code point and joined by newlines.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .listing import FileInfo
    from .memo import Memo

LENGTH = 8
"""Hex digits of a fingerprint."""


def stat_fingerprint(files: Iterable[FileInfo]) -> str:
    """By `name:mtime_ms:size` of every file, as files of the original tool have it."""
    return digest(f"{file.name}:{file.mtime_ns // 1_000_000}:{file.size}" for file in files)


def content_fingerprint(directory: str, files: Iterable[FileInfo], memo: Memo[str]) -> str:
    """By `name:sha256` of every file that no ignore rule excludes: a clone does not have the others."""
    return digest(f"{file.name}:{_content_hash(directory, file, memo)}" for file in files if not file.ignored)


def digest(lines: Iterable[str]) -> str:
    """Lines as UTF-8; a name that is not keeps its bytes."""
    text = "\n".join(sorted(lines)).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()[:LENGTH]


def _content_hash(directory: str, file: FileInfo, memo: Memo[str]) -> str:
    """SHA-256 of a file's bytes; empty for one that cannot be read, so that it never passes for unchanged."""
    path = f"{directory}/{file.name}"
    known = memo.get(path, file.state)
    if known is not None:
        return known
    try:
        digest = _hash_file(path, file.size)
    except OSError:
        return ""
    memo.keep(path, file.state, digest)
    return digest


_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_CHUNK = 1 << 20


def _hash_file(path: str, size: int) -> str:
    """SHA-256 of a file of about this size, read in pieces; a link that took its place is not followed.

    A buffer of the right size and no read past the end: most files of a project are small and many.
    """
    sha = hashlib.sha256()
    wanted = min(size + 1, _CHUNK)
    descriptor = os.open(path, _FLAGS)
    try:
        while chunk := os.read(descriptor, wanted):
            sha.update(chunk)
            if len(chunk) < wanted:
                break
    finally:
        os.close(descriptor)
    return sha.hexdigest()
