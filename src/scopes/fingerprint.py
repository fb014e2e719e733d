"""Fingerprints of directories, by time and by content, which decide whether a context is fresh."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from ..errors import UsageError
from ..safeio import NOFOLLOW_FLAGS, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .listing import FileInfo, Listing

T = TypeVar("T")

_SETTLED_NS = 2 * 10**9
"""The least age of a cached file: a younger one may change again without a change of its times."""


State: TypeAlias = tuple[int, int, int, int]
"""The state of a file without its content: inode, size, time of modification and of change in ns."""


def state_of(status: os.stat_result) -> State:
    """The state in a result of `stat`; the whole result would take another 0.5 KB a file."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def state_at(path: str) -> State | None:
    """The state of a regular file; None for anything else, including links."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return state_of(status) if stat.S_ISREG(status.st_mode) else None


class Memo(Generic[T]):
    """One value for each path, valid for one state of the file. Safe to use from several threads."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[State, T]] = {}

    def get(self, path: str, state: State) -> T | None:
        """The value for this state of the file; None if there is none."""
        entry = self._entries.get(path)
        return entry[1] if entry is not None and entry[0] == state else None

    def keep(self, path: str, state: State, value: T) -> None:
        """Store a value, unless the file is younger than two seconds."""
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
    """The time of a `last_updated`, UTC if it names no zone; None if it is no time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


LENGTH = 8
"""Hex digits of a fingerprint."""


def stat_fingerprint(files: Iterable[FileInfo]) -> str:
    """The fingerprint by `name:mtime_ms:size` of every file, which the original tool writes."""
    return _digest(f"{file.name}:{file.mtime_ns // 1_000_000}:{file.size}" for file in files)


def content_fingerprint(directory: str, files: Iterable[FileInfo], memo: Memo[str]) -> str:
    """The fingerprint by `name:sha256` of every file that no ignore rule excludes, as a clone has them.

    Raises `OSError` for a file that cannot be read.
    """
    counted = (file for file in files if not file.ignored)
    return hashes_fingerprint({file.name: _require_hash(directory, file, memo) for file in counted})


def hashes_fingerprint(hashes: Mapping[str, str]) -> str:
    """The fingerprint by content, given the SHA-256 of each file by name."""
    return _digest(f"{name}:{hash_}" for name, hash_ in hashes.items())


def _digest(lines: Iterable[str]) -> str:
    """The fingerprint of some lines; a name that is no UTF-8 keeps its bytes."""
    text = "\n".join(sorted(lines)).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()[:LENGTH]


def content_hash(directory: str, file: FileInfo, memo: Memo[str]) -> str:
    """The SHA-256 of a file; empty if it cannot be read, which equals no hash."""
    try:
        return _require_hash(directory, file, memo)
    except OSError:
        return ""


def _require_hash(directory: str, file: FileInfo, memo: Memo[str]) -> str:
    """The SHA-256 of a file. Raises `OSError`, with the path, if it cannot be read."""
    path = f"{directory}/{file.name}"
    cached = memo.get(path, file.state)
    if cached is not None:
        return cached
    with named(path):
        digest = _hash_file(path, file.size)
    memo.keep(path, file.state, digest)
    return digest


_CHUNK = 1 << 20


def _hash_file(path: str, size: int) -> str:
    """The SHA-256 of a file of about this size, read in chunks; a link is not followed.

    Most files are small and many, so the buffer has the size of the file, and no read is made past its end.
    """
    sha = hashlib.sha256()
    wanted = min(size + 1, _CHUNK)
    descriptor = os.open(path, NOFOLLOW_FLAGS)
    try:
        while chunk := os.read(descriptor, wanted):
            sha.update(chunk)
            if len(chunk) < wanted:
                break
    finally:
        os.close(descriptor)
    return sha.hexdigest()


class ContextFreshness(NamedTuple):
    """Whether a context is fresh, and the present fingerprint of its directory."""

    fresh: bool
    computed: str
    """The matching fingerprint, else the one by content."""
    unreadable: tuple[str, ...] = ()
    """The names of files that cannot be read, and so may have changed."""

    @property
    def state(self) -> str:
        """`fresh` or `stale`."""
        return "fresh" if self.fresh else "stale"


def freshness(stored: str, directory: str, listing: Listing, hashes: Memo[str]) -> ContextFreshness:
    """Compare a stored fingerprint with both fingerprints of a directory, first with that by time."""
    by_times = stat_fingerprint(listing.files)
    if stored == by_times:
        return ContextFreshness(True, by_times)
    counted = (file for file in listing.files if not file.ignored)
    contents = {file.name: content_hash(directory, file, hashes) for file in counted}
    by_content = hashes_fingerprint(contents)
    unreadable = sorted(name for name, content in contents.items() if not content)
    return ContextFreshness(stored == by_content, by_content, tuple(unreadable))
