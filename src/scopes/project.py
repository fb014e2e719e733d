"""A project: reading its contexts, and scanning it for the directories that are scopes."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..builder.sources.gitignore import UnreadableRules
from ..safeio import is_inside, is_unreadable, why_unreadable
from .fingerprint import Memo, state_at
from .listing import EMPTY, Listing, list_entries, project_rules, read_entries, read_settings
from .model import (
    CONTEXT_NAME,
    ContextCorrupt,
    ContextFile,
    ContextMissing,
    ScopeOutside,
    parse_context,
    read_context,
)

if TYPE_CHECKING:
    from collections.abc import Container

    from ..builder.sources.gitignore import IgnoreRules

_DRIVE = re.compile(r"[A-Za-z]:(?:/|\Z)")
_UNNAMEABLE = re.compile("[\0\ud800-\udfff]")


class ScopeProject:
    """The root of a project, with caches of file hashes and contexts. Safe to use from several threads.

    The root need not exist; then the functions report that.
    """

    def __init__(self, root: Path | str, *, min_tokens: int | None = None) -> None:
        """`min_tokens` overrides the setting of the project."""
        self.root = os.path.abspath(root)  # noqa: PTH100 - links in the root are kept as given
        self.real_root = os.path.realpath(root)
        self._min_tokens = min_tokens
        self.hashes: Memo[str] = Memo()
        self.contexts: Memo[ContextFile] = Memo()

    @property
    def min_tokens(self) -> int:
        """The least tokens of a scope's own sources. Raises `UsageError` if the settings are wrong."""
        if self._min_tokens is not None:
            return self._min_tokens
        return read_settings(Path(self.real_root)).min_tokens

    def at(self, path: str) -> ScopeProject:
        """The project at a path relative to this root; this project if the root is the same."""
        root = os.path.abspath(os.path.join(self.root, path))  # noqa: PTH100, PTH118 - as above
        return self if root == self.root else ScopeProject(root, min_tokens=self._min_tokens)

    def locate(self, scope: str) -> str:
        """The real path of a scope, which need not exist. Raises `ScopeOutside`, `ContextMissing`.

        Backslashes are slashes; no part of the path may be above the root, even if a later one returns (rule
        C16).
        """
        slashed = scope.replace("\\", "/")
        if _UNNAMEABLE.search(slashed):
            raise ContextMissing(scope)
        climbs_out = posixpath.normpath(slashed).split("/")[0] == ".."
        if _DRIVE.match(slashed) or climbs_out:
            raise ScopeOutside
        real = os.path.realpath(os.path.join(self.real_root, slashed))  # noqa: PTH118 - the last root wins
        if not is_inside(real, self.real_root):
            raise ScopeOutside
        return real

    def context(self, directory: str, scope: str) -> ContextFile:
        """The context of a directory inside the project. Raises `ScopeError`."""
        try:
            return self.read(directory, scope)
        except OSError as error:
            raise ContextCorrupt(scope, f"cannot be read ({error.strerror})") from None

    def read(self, directory: str, scope: str) -> ContextFile:
        """The context of a directory. Raises `ScopeError`, and `OSError` if the system refuses to read it."""
        path = f"{directory}/{CONTEXT_NAME}"
        state = state_at(path)
        cached = self.contexts.get(path, state) if state else None
        if cached is not None:
            return cached
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
        """The entries of a directory inside the project. Raises `OSError`."""
        return list_entries(read_entries(directory), self.rules_at(directory))


class ScopeDirectory(NamedTuple):
    """A directory that no ignore rule skips."""

    scope: str
    path: str
    """Its real path."""
    listing: Listing
    has_sources: bool
    """Whether it, or a directory below it, has source files."""
    eligible: bool
    """Whether it is a scope: the root, a directory with enough tokens, or one above such a directory."""


class Scan(NamedTuple):
    """The directories of a project that no ignore rule skips, sorted by scope."""

    all: tuple[ScopeDirectory, ...]
    unlisted: dict[str, OSError]
    """The errors of directories that could not be listed, by scope; `all` has these as empty directories."""

    @property
    def eligible(self) -> tuple[ScopeDirectory, ...]:
        """The scopes."""
        return tuple(directory for directory in self.all if directory.eligible)

    @property
    def skipped(self) -> int:
        """The number of directories with sources below the threshold."""
        return sum(directory.has_sources and not directory.eligible for directory in self.all)

    def problems(self) -> dict[str, str]:
        """A message for each directory that could not be listed, by scope."""
        return {scope: _problem(error) for scope, error in self.unlisted.items()}

    def require_whole(self) -> None:
        """Raise the first `OSError` of `unlisted`, if there is one."""
        for error in self.unlisted.values():
            raise error

    @property
    def with_context(self) -> tuple[ScopeDirectory, ...]:
        """The directories that have a context, scopes or not."""
        return tuple(directory for directory in self.all if directory.listing.has_context)

    @property
    def reported(self) -> tuple[ScopeDirectory, ...]:
        """The directories that are scopes or have a context."""
        return tuple(item for item in self.all if item.eligible or item.listing.has_context)


def _problem(error: OSError) -> str:
    if isinstance(error, UnreadableRules):
        return f"{error.file}: {error.why}"
    return f"cannot be listed: {why_unreadable(error)}"


def scan(project: ScopeProject) -> Scan:
    """Walk a project. Raises `OSError` if the root cannot be listed, `UsageError` for wrong settings."""
    directories, parents, unlisted = _walk(project, project.min_tokens)
    for number in range(len(directories) - 1, 0, -1):  # a parent stands before its children
        parent, below = directories[parents[number]], directories[number]
        has_sources, eligible = parent.has_sources or below.has_sources, parent.eligible or below.eligible
        directories[parents[number]] = parent._replace(has_sources=has_sources, eligible=eligible)
    return Scan(tuple(sorted(directories)), dict(sorted(unlisted.items())))


def _walk(
    project: ScopeProject, min_tokens: int
) -> tuple[list[ScopeDirectory], list[int], dict[str, OSError]]:
    """(directories, index of the parent of each, errors by scope), without regard to children.

    A parent stands before its children. A directory that cannot be listed is empty, and has an error.
    """
    waiting: list[tuple[str, str, IgnoreRules | None, int]] = [(".", project.real_root, None, -1)]
    directories: list[ScopeDirectory] = []
    parents: list[int] = []
    unlisted: dict[str, OSError] = {}
    while waiting:
        scope, path, above, parent = waiting.pop()
        try:
            entries = read_entries(path)
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
        has_sources = bool(listing.sources)
        eligible = parent < 0 or (has_sources and listing.tokens >= min_tokens)
        directories.append(ScopeDirectory(scope, path, listing, has_sources, eligible))
        parents.append(parent)
    return directories, parents, unlisted


def _rules(path: str, above: IgnoreRules | None, names: Container[str]) -> IgnoreRules:
    """The ignore rules in force in a directory, given those of its parent and the names of its entries."""
    if above is None:
        return project_rules(path)
    return above.enter(os.fsencode(os.path.basename(path)), names)  # noqa: PTH119 - a Path costs more
