"""A project, its contexts as they are read, and the directories in it that are scopes."""

from __future__ import annotations

import codecs
import errno
import math
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from ..builder.sources.gitignore import UnreadableRules
from ..safeio import NEVER_FOLLOWING, is_unreadable, why_unreadable
from ..yamlio import YamlError, load
from .fingerprint import Memo, state_at
from .listing import (
    CONTEXT_NAME,
    EMPTY,
    Listing,
    entries_of,
    list_directory,
    list_entries,
    project_rules,
    read_settings,
)
from .model import (
    SCHEMA_VERSION,
    ContextCorrupt,
    ContextFile,
    ContextMissing,
    ScopeOutside,
    UnsupportedVersion,
)

if TYPE_CHECKING:
    from collections.abc import Container

    from ..builder.sources.gitignore import IgnoreRules

MAX_BYTES = 1 << 19
"""Largest `.context.yaml` that is read; one that describes two thousand files is half of it."""

_NOT_THERE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP))
_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is no field of the schema",
    "string_type": "should be a string (quote it)",
    "tuple_type": "should be a list",
    "model_type": "should be a mapping",
}


def read_context(directory: str, scope: str, root: str) -> ContextFile:
    """The context of a directory; `root` is the real path of the project, which no link may leave.

    Raises as `read_bytes` does.
    """
    return parse_context(read_bytes(directory, scope, root), scope)


def read_bytes(directory: str, scope: str, root: str) -> bytes:
    """The bytes of a directory's `.context.yaml`; a pipe in its place is refused, not waited for.

    Raises `ScopeError`; `OSError`, with the path, where the system refuses to read it.
    """
    path = f"{directory}/{CONTEXT_NAME}"
    try:
        descriptor = _open(path, scope, root)
        try:
            return _read_regular(descriptor, scope)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in _NOT_THERE:
            raise ContextMissing(scope) from None
        raise OSError(error.errno, error.strerror, path) from None


def _open(path: str, scope: str, root: str) -> int:
    """Open a file; a link in its place is followed only if it stays inside the root."""
    try:
        return os.open(path, NEVER_FOLLOWING)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    real = os.path.realpath(path)
    if not is_inside(real, root):
        raise ScopeOutside(scope)
    return os.open(real, NEVER_FOLLOWING)


def _read_regular(descriptor: int, scope: str) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise ContextCorrupt(scope, ("is not a regular file",))
    if status.st_size > MAX_BYTES:
        raise ContextCorrupt(scope, (f"is larger than {MAX_BYTES} bytes",))
    return os.read(descriptor, max(status.st_size, 1))


def parse_context(data: bytes, scope: str) -> ContextFile:
    """The model of a file's bytes. The version is judged first: a later one may have other fields."""
    value = _load(data, scope)
    if not isinstance(value, dict):
        raise ContextCorrupt(scope, ("is not a mapping of fields",))
    later = _later_version(value.get("version"))
    if later is not None:
        raise UnsupportedVersion(later)
    try:
        return ContextFile.model_validate(value)
    except ValidationError as error:
        raise ContextCorrupt(scope, _faults(error)) from None


def is_inside(path: str, root: str) -> bool:
    """Whether a real path is the root or lies below it, by components."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _load(data: bytes, scope: str) -> object:
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise ContextCorrupt(scope, (f"is not UTF-8 at byte {error.start}",)) from None
    try:
        return load(text)
    except YamlError as error:
        raise ContextCorrupt(scope, (str(error),)) from None


def _later_version(version: object) -> str | None:
    """A version above the supported one as it is written, None for any other value."""
    if isinstance(version, bool) or not isinstance(version, int | float):
        return None
    if not math.isfinite(version) or version <= SCHEMA_VERSION:
        return None
    return str(int(version)) if version == int(version) else repr(version)


def _faults(error: ValidationError) -> tuple[str, ...]:
    """Every fault of a document in one line each: where, and what."""
    lines = []
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"])
        message = _WORDS.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
        lines.append(f"{where.removeprefix('.')}: {message}" if where else message)
    return tuple(lines)


_DRIVE = re.compile(r"[A-Za-z]:(?:/|\Z)")
_UNNAMEABLE = re.compile("[\0\ud800-\udfff]")


class Project:
    """Resolved once; safe to use from several threads. The root need not exist: then every answer says so."""

    def __init__(self, root: Path | str, *, min_tokens: int | None = None) -> None:
        """`min_tokens` overrides what the project sets."""
        self.root = os.path.abspath(root)  # noqa: PTH100 - links in the root are kept as given
        self.real_root = os.path.realpath(root)
        self._min_tokens = min_tokens
        self.hashes: Memo[str] = Memo()
        self.contexts: Memo[ContextFile] = Memo()

    @property
    def min_tokens(self) -> int:
        """Tokens of its own below which a directory is no scope. `UsageError` if the settings are wrong."""
        if self._min_tokens is not None:
            return self._min_tokens
        return read_settings(Path(self.real_root)).min_tokens

    def at(self, path: str) -> Project:
        """The project at another path, relative to this one's root; this one if it is the same."""
        other = os.path.abspath(os.path.join(self.root, path))  # noqa: PTH100, PTH118 - as above
        return self if other == self.root else Project(other, min_tokens=self._min_tokens)

    def locate(self, scope: str) -> str:
        """The real path of a scope's directory, which need not exist. `ScopeOutside` if it leads out.

        Backslashes are slashes; `..` may not pass above the root, not even to come back (rule C16).
        """
        slashed = scope.replace("\\", "/")
        if _UNNAMEABLE.search(slashed):
            raise ContextMissing(scope)
        if _DRIVE.match(slashed) or (not slashed.startswith("/") and _climbs_out(slashed)):
            raise ScopeOutside(scope)
        real = os.path.realpath(os.path.join(self.real_root, slashed))  # noqa: PTH118 - the last root wins
        if not is_inside(real, self.real_root):
            raise ScopeOutside(scope)
        return real

    def context(self, directory: str, scope: str) -> ContextFile:
        """The context of a directory inside the project; `ScopeError` says why there is none."""
        try:
            return self.read(directory, scope)
        except OSError as error:
            raise ContextCorrupt(scope, (f"cannot be read ({error.strerror})",)) from None

    def read(self, directory: str, scope: str) -> ContextFile:
        """The same, but `OSError` where the system refuses to read it."""
        path = f"{directory}/{CONTEXT_NAME}"
        state = state_at(path)
        known = self.contexts.get(path, state) if state else None
        if known is not None:
            return known
        context = read_context(directory, scope, self.real_root)
        if state:
            self.contexts.keep(path, state, context)
        return context

    def scope_of(self, directory: str) -> str:
        """The name of a directory inside the project: its path with slashes, `.` for the root."""
        return os.path.relpath(directory, self.real_root).replace(os.sep, "/")

    def rules_at(self, directory: str) -> IgnoreRules:
        """The ignore rules in force in a directory inside the project."""
        rules = project_rules(self.real_root)
        if directory != self.real_root:
            for name in self.scope_of(directory).split("/"):
                rules = rules.enter(os.fsencode(name))
        return rules

    def listing(self, directory: str) -> Listing:
        """What lies directly in a directory inside the project. `OSError` if it cannot be listed."""
        return list_directory(directory, self.rules_at(directory))


def _climbs_out(path: str) -> bool:
    """Whether a relative path is above its start at any point."""
    depth = 0
    for part in path.split("/"):
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False


class Directory(NamedTuple):
    """A directory that no rule skips."""

    scope: str
    path: str
    """Its real path."""
    listing: Listing
    holds: bool
    """Whether it has sources or leads to some."""
    eligible: bool
    """Whether it is a scope: the root, large enough, or leading to one that is."""


class Scan(NamedTuple):
    """All directories of a project that no rule skips, sorted by scope."""

    all: tuple[Directory, ...]
    unlisted: dict[str, OSError]
    """Of the scopes that the system does not let us list, why; they stand as empty above."""

    @property
    def eligible(self) -> tuple[Directory, ...]:
        """The scopes."""
        return tuple(directory for directory in self.all if directory.eligible)

    @property
    def skipped(self) -> int:
        """How many directories with sources the threshold leaves out."""
        return sum(directory.holds and not directory.eligible for directory in self.all)

    def problems(self) -> dict[str, str]:
        """Of each directory that could not be listed, what to say of it."""
        return {scope: _problem(error) for scope, error in self.unlisted.items()}

    def require_whole(self) -> None:
        """Raise the `OSError` of the first directory that could not be listed, if there is one."""
        for error in self.unlisted.values():
            raise error

    @property
    def kept(self) -> tuple[Directory, ...]:
        """The scopes, and below the threshold what has a context all the same."""
        return tuple(item for item in self.all if item.eligible or item.listing.has_context)


def _problem(error: OSError) -> str:
    if isinstance(error, UnreadableRules):
        return f"{error.file}: {error.why}"
    return f"cannot be listed: {why_unreadable(error)}"


@dataclass(slots=True)
class _Visited:
    """A directory on the walk; its parent stands before it in the list of all."""

    scope: str
    path: str
    listing: Listing
    parent: int
    holds: bool
    eligible: bool


def scan(project: Project) -> Scan:
    """Walk a project. `OSError` if its root cannot be listed, `UsageError` if its settings are wrong."""
    visited, unlisted = _walk(project, project.min_tokens)
    for item in reversed(visited[1:]):
        parent = visited[item.parent]
        parent.holds |= item.holds
        parent.eligible |= item.eligible
    found = [Directory(item.scope, item.path, item.listing, item.holds, item.eligible) for item in visited]
    return Scan(tuple(sorted(found)), dict(sorted(unlisted.items())))


def _walk(project: Project, min_tokens: int) -> tuple[list[_Visited], dict[str, OSError]]:
    """Every directory that no rule skips, parents first, and why some, told as empty, could not be listed."""
    waiting: list[tuple[str, str, IgnoreRules | None, int]] = [(".", project.real_root, None, -1)]
    visited: list[_Visited] = []
    unlisted: dict[str, OSError] = {}
    while waiting:
        scope, path, above, parent = waiting.pop()
        try:
            entries = entries_of(path)
            rules = _rules(path, above, {entry.name.lower() for entry in entries})
            listing = list_entries(entries, rules)
        except OSError as error:
            if parent < 0:
                raise
            if is_unreadable(error):
                unlisted[scope] = error
            listing = EMPTY
        holds = bool(listing.sources)
        eligible = parent < 0 or (holds and listing.tokens >= min_tokens)
        here = len(visited)
        visited.append(_Visited(scope, path, listing, parent, holds, eligible))
        for name in listing.folders:
            below = name if scope == "." else f"{scope}/{name}"
            waiting.append((below, f"{path.rstrip('/')}/{name}", rules, here))
    return visited, unlisted


def _rules(path: str, above: IgnoreRules | None, holds: Container[str]) -> IgnoreRules:
    """The ignore rules in force in a directory, by those of its parent and the names of what it holds."""
    if above is None:
        return project_rules(path)
    return above.enter(os.fsencode(os.path.basename(path)), holds)  # noqa: PTH119 - a Path costs more
