"""The scopes of a project: which of its directories are worth a context of their own (rule C15)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .listing import EMPTY, Listing, list_directory, project_rules

if TYPE_CHECKING:
    from ..builder.sources.ignore import IgnoreRules
    from .project import Project


class Directory(NamedTuple):
    """An eligible directory."""

    scope: str
    path: str
    """Its real path."""
    listing: Listing


class Scan(NamedTuple):
    """The eligible directories, sorted by scope, and how many the threshold left out."""

    directories: tuple[Directory, ...]
    skipped: int

    def children(self, scope: str) -> tuple[Directory, ...]:
        """The eligible directories directly below a scope."""
        prefix = "" if scope == "." else f"{scope}/"
        return tuple(
            directory
            for directory in self.directories
            if directory.scope != "."
            and directory.scope.startswith(prefix)
            and "/" not in directory.scope[len(prefix) :]
        )


@dataclass(slots=True)
class _Visited:
    """A directory on the walk; its parent stands before it in the list of all."""

    directory: Directory
    parent: int
    holds: bool
    """Whether it has sources or leads to some."""
    eligible: bool


def scan(project: Project) -> Scan:
    """Walk a project. `OSError` if its root cannot be listed, `UsageError` if its settings are wrong."""
    visited = _walk(project, project.min_tokens)
    for item in reversed(visited[1:]):
        parent = visited[item.parent]
        parent.holds |= item.holds
        parent.eligible |= item.eligible
    eligible = [item.directory for item in visited if item.eligible]
    return Scan(tuple(sorted(eligible)), sum(item.holds and not item.eligible for item in visited))


def _walk(project: Project, min_tokens: int) -> list[_Visited]:
    """Every directory that no rule skips, parents first. One that cannot be listed is empty."""
    root = Directory(".", project.real_root, EMPTY)
    waiting: list[tuple[Directory, IgnoreRules, int]] = [(root, project_rules(project.real_root), -1)]
    visited: list[_Visited] = []
    while waiting:
        place, rules, parent = waiting.pop()
        try:
            listing = list_directory(place.path, rules)
        except OSError:
            if parent < 0:
                raise
            listing = EMPTY
        here = place._replace(listing=listing)
        holds = bool(listing.sources)
        eligible = parent < 0 or (holds and listing.tokens >= min_tokens)
        visited.append(_Visited(here, parent, holds, eligible))
        for name in listing.folders:
            scope = name if place.scope == "." else f"{place.scope}/{name}"
            child = Directory(scope, f"{place.path.rstrip('/')}/{name}", EMPTY)
            waiting.append((child, rules.enter(os.fsencode(name)), len(visited) - 1))
    return visited
