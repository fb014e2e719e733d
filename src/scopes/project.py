"""A project, its contexts as they are read, and the directories in it that are scopes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..builder.sources.gitignore import UnreadableRules
from ..safeio import is_unreadable, why_unreadable
from .fingerprint import Memo, state_at
from .listing import EMPTY, Listing, entries_of, list_entries, project_rules, read_settings
from .model import (
    CONTEXT_NAME,
    ContextCorrupt,
    ContextFile,
    ContextMissing,
    ScopeOutside,
    is_inside,
    parse_context,
    read_context,
)

if TYPE_CHECKING:
    from collections.abc import Container

    from ..builder.sources.gitignore import IgnoreRules

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
            raise ScopeOutside
        real = os.path.realpath(os.path.join(self.real_root, slashed))  # noqa: PTH118 - the last root wins
        if not is_inside(real, self.real_root):
            raise ScopeOutside
        return real

    def context(self, directory: str, scope: str) -> ContextFile:
        """The context of a directory inside the project; `ScopeError` says why there is none."""
        try:
            return self.read(directory, scope)
        except OSError as error:
            raise ContextCorrupt(scope, f"cannot be read ({error.strerror})") from None

    def read(self, directory: str, scope: str) -> ContextFile:
        """The same, but `OSError` where the system refuses to read it."""
        path = f"{directory}/{CONTEXT_NAME}"
        state = state_at(path)
        known = self.contexts.get(path, state) if state else None
        if known is not None:
            return known
        context = parse_context(read_context(directory, scope, self.real_root), scope)
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
        return list_entries(entries_of(directory), self.rules_at(directory))


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
    def described(self) -> tuple[Directory, ...]:
        """The directories that have a context, below the threshold too."""
        return tuple(directory for directory in self.all if directory.listing.has_context)

    @property
    def listed(self) -> tuple[Directory, ...]:
        """The scopes, and below the threshold what has a context all the same."""
        return tuple(item for item in self.all if item.eligible or item.listing.has_context)


def _problem(error: OSError) -> str:
    if isinstance(error, UnreadableRules):
        return f"{error.file}: {error.why}"
    return f"cannot be listed: {why_unreadable(error)}"


def scan(project: Project) -> Scan:
    """Walk a project. `OSError` if its root cannot be listed, `UsageError` if its settings are wrong."""
    directories, parents, unlisted = _walk(project, project.min_tokens)
    for number in range(len(directories) - 1, 0, -1):  # a parent stands before what is in it
        parent, below = directories[parents[number]], directories[number]
        holds, eligible = parent.holds or below.holds, parent.eligible or below.eligible
        directories[parents[number]] = parent._replace(holds=holds, eligible=eligible)
    return Scan(tuple(sorted(directories)), dict(sorted(unlisted.items())))


def _walk(project: Project, min_tokens: int) -> tuple[list[Directory], list[int], dict[str, OSError]]:
    """Every directory that no rule skips, as it is by itself, and the number of the parent of each.

    Parents stand first. The errors are those of directories, told as empty, that could not be listed.
    """
    waiting: list[tuple[str, str, IgnoreRules | None, int]] = [(".", project.real_root, None, -1)]
    directories: list[Directory] = []
    parents: list[int] = []
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
        for name in listing.folders:
            below = name if scope == "." else f"{scope}/{name}"
            waiting.append((below, f"{path.rstrip('/')}/{name}", rules, len(directories)))
        holds = bool(listing.sources)
        eligible = parent < 0 or (holds and listing.tokens >= min_tokens)
        directories.append(Directory(scope, path, listing, holds, eligible))
        parents.append(parent)
    return directories, parents, unlisted


def _rules(path: str, above: IgnoreRules | None, holds: Container[str]) -> IgnoreRules:
    """The ignore rules in force in a directory, by those of its parent and the names of what it holds."""
    if above is None:
        return project_rules(path)
    return above.enter(os.fsencode(os.path.basename(path)), holds)  # noqa: PTH119 - a Path costs more
