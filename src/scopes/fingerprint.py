"""Fingerprints of directories, by time and by content, and whether a context is still true by them."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from ..errors import UsageError
from ..safeio import NEVER_FOLLOWING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .listing import FileInfo, Listing

T = TypeVar("T")

_SETTLED_NS = 2 * 10**9
"""A file this young may change again without its times showing it, so it is not remembered."""


State: TypeAlias = tuple[int, int, int, int]
"""What tells one state of a file from another, without reading it: inode, size, and both times in ns."""


def state_of(status: os.stat_result) -> State:
    """The state that the system reports; all that it reports would take another 0.5 KB a file."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def state_at(path: str) -> State | None:
    """The state of a regular file, None for anything else, links included."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return state_of(status) if stat.S_ISREG(status.st_mode) else None


class Memo(Generic[T]):
    """One value a path, valid for one state of the file. Safe to use from several threads."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[State, T]] = {}

    def get(self, path: str, state: State) -> T | None:
        """The value that was kept for this state of the file, if any."""
        entry = self._entries.get(path)
        return entry[1] if entry is not None and entry[0] == state else None

    def keep(self, path: str, state: State, value: T) -> None:
        """Keep a value, unless the file is too young for its times to be trusted."""
        if time.time_ns() - max(state[2:]) > _SETTLED_NS:
            self._entries[path] = (state, value)


def now() -> datetime:
    """The current time, or that of `SOURCE_DATE_EPOCH` (seconds since 1970) for reproducible files."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError("SOURCE_DATE_EPOCH is not a number of seconds: correct or unset it") from None


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds: `2026-02-13T10:00:00.000Z`."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def parse_timestamp(text: str) -> datetime | None:
    """The time that a `last_updated` states, None if it states none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


LENGTH = 8
"""Hex digits of a fingerprint."""


def stat_fingerprint(files: Iterable[FileInfo]) -> str:
    """By `name:mtime_ms:size` of every file, as files of the original tool have it."""
    return _digest(f"{file.name}:{file.mtime_ns // 1_000_000}:{file.size}" for file in files)


def content_fingerprint(directory: str, files: Iterable[FileInfo], memo: Memo[str]) -> str:
    """By `name:sha256` of every file that no ignore rule excludes: a clone does not have the others.

    Raises `OSError` for a file that cannot be read.
    """
    counted = (file for file in files if not file.ignored)
    return hashes_fingerprint({file.name: _require_hash(directory, file, memo) for file in counted})


def hashes_fingerprint(hashes: Mapping[str, str]) -> str:
    """The fingerprint by content, of names and the SHA-256 of what they hold."""
    return _digest(f"{name}:{hash_}" for name, hash_ in hashes.items())


def _digest(lines: Iterable[str]) -> str:
    """Lines as UTF-8; a name that is not keeps its bytes."""
    text = "\n".join(sorted(lines)).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()[:LENGTH]


def content_hash(directory: str, file: FileInfo, memo: Memo[str]) -> str:
    """SHA-256 of a file's bytes; empty for one that cannot be read, so that it never passes for unchanged."""
    try:
        return _require_hash(directory, file, memo)
    except OSError:
        return ""


def _require_hash(directory: str, file: FileInfo, memo: Memo[str]) -> str:
    """The same; `OSError`, with the path, for a file that cannot be read."""
    path = f"{directory}/{file.name}"
    remembered = memo.get(path, file.state)
    if remembered is not None:
        return remembered
    try:
        digest = _hash_file(path, file.size)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    memo.keep(path, file.state, digest)
    return digest


_CHUNK = 1 << 20


def _hash_file(path: str, size: int) -> str:
    """SHA-256 of a file of about this size, read in pieces; a link that took its place is not followed.

    A buffer of the right size and no read past the end: most files of a project are small and many.
    """
    sha = hashlib.sha256()
    wanted = min(size + 1, _CHUNK)
    descriptor = os.open(path, NEVER_FOLLOWING)
    try:
        while chunk := os.read(descriptor, wanted):
            sha.update(chunk)
            if len(chunk) < wanted:
                break
    finally:
        os.close(descriptor)
    return sha.hexdigest()


class Freshness(NamedTuple):
    """The verdict, and the fingerprint that the directory has now."""

    fresh: bool
    computed: str
    """The fingerprint that matched, else the one by content."""
    unreadable: tuple[str, ...] = ()
    """Files that may have changed: they cannot be read."""

    @property
    def state(self) -> str:
        """`fresh` or `stale`."""
        return "fresh" if self.fresh else "stale"


def freshness(stored: str, directory: str, listing: Listing, hashes: Memo[str]) -> Freshness:
    """Compare a stored fingerprint with both of a directory, the cheap one first."""
    by_times = stat_fingerprint(listing.files)
    if stored == by_times:
        return Freshness(True, by_times)
    counted = (file for file in listing.files if not file.ignored)
    contents = {file.name: content_hash(directory, file, hashes) for file in counted}
    by_content = hashes_fingerprint(contents)
    unreadable = sorted(name for name, content in contents.items() if not content)
    return Freshness(stored == by_content, by_content, tuple(unreadable))
