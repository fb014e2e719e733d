"""The directories of a project that are scopes."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ..builder.sources.gitignore import UnreadableRules
from ..safeio import is_unreadable, why_unreadable
from .listing import EMPTY, Listing, entries_of, list_entries, project_rules

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from ..builder.sources.gitignore import IgnoreRules
    from .project import Project

_open = 0  # calls under way
_was_on = True
_changing = Lock()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector off; also a decorator.

    Five thousand directories become eighty thousand objects that are kept and nothing in
    cycles: looking for some is a tenth of the time of the first answer. Of calls that overlap in
    several threads, the first one in switches it off and the last one out on again, if it was.
    """
    global _open, _was_on
    with _changing:
        if not _open:
            _was_on = gc.isenabled()
            gc.disable()
        _open += 1
    try:
        yield
    finally:
        with _changing:
            _open -= 1
            if not _open and _was_on:
                gc.enable()


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
