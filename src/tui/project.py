"""The project that the caches belong to: freshness, rebuilds, tests, and contexts of directories.

What takes long is a plain function that a worker runs in a thread; it touches no widget.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CtxError, UsageError
from ..resolver.cache import open_cache
from .catalog import stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..builder.build import Reporter
    from ..builder.freshness import Freshness
    from ..project.caches import Built, ProjectCache
    from ..project.project import Project
    from ..resolver.cache import Cache
    from ..resolver.compare import Changes
    from ..resolver.query_tests import Outcomes, QueryTest
    from .catalog import Stamp


@dataclass(frozen=True, kw_only=True, slots=True)
class FreshnessCheck:
    """Whether a cache is fresh; None with a problem in words."""

    path: str
    stamp: Stamp | None
    """The build that was compared."""
    freshness: Freshness | None
    seconds: float = 0.0
    """How long it took."""
    problem: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RebuildResult:
    """What a rebuild did."""

    built: Built
    freshness: Freshness
    """Whether the cache is fresh now."""
    previous: Cache | None = None
    """The cache that was there before, still open."""
    changes: Changes | None = None
    """The documents of the new one against it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeInfo:
    """A directory and the state of its context."""

    name: str
    state: str
    """`fresh`, `stale` or `missing`."""


class ProjectSession:
    """A project's configuration, read again whenever it was edited."""

    def __init__(self, file: Path | None) -> None:
        """`file` is the configuration; None where there is none."""
        self.file = file
        self._stamp: Stamp | None = None
        self._project: Project | None = None

    def project(self) -> Project:
        """The project as it is described now. Raises `UsageError` when it is not, `ConfigurationError`."""
        from ..project.project import load_project  # pydantic, for those who author

        if self.file is None:
            raise UsageError("there is no ctx.toml for these caches: leave, and `ctx init` writes one")
        stamp = _stamp(self.file)
        if self._project is None or stamp is None or stamp != self._stamp:
            self._project, self._stamp = load_project(self.file), stamp
        return self._project

    def cache_at(self, path: str) -> ProjectCache:
        """What is described of the cache at `path`. Raises `UsageError`, `ConfigurationError`."""
        directory = Path(path).resolve()
        for cache in self.project().caches.values():
            if cache.directory == directory:
                return cache
        raise UsageError(
            f"no ctx.toml says what {directory.name} is built from; describe it in [caches.NAME]"
        )

    @property
    def described(self) -> Mapping[str, ProjectCache]:
        """The described caches by name, in the order of the configuration; none where it cannot be read.

        What is wrong with it is told where somebody rebuilds; a list of caches has no room for that.
        """
        try:
            return self.project().caches
        except CtxError:
            return {}

    def paths(self, root: str) -> dict[str, str]:
        """The described caches by name, each with its path; none when `root` is not the project's own."""
        described = self.described
        if not described or Path(root).resolve() != self.project().root / ".ctx" / "caches":
            return {}
        return {name: _below(root, cache.directory) for name, cache in described.items()}


def _below(root: str, directory: Path) -> str:
    """A directory below the root as its list names it."""
    try:
        return str(Path(root, directory.relative_to(Path(root).resolve())))
    except ValueError:
        return str(directory)


def _stamp(file: Path) -> Stamp | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def check_freshness(project: ProjectSession, path: str) -> FreshnessCheck:
    """Compare a cache with its sources."""
    from ..builder.freshness import INVALID, Freshness  # the whole builder, which costs as much as Textual
    from ..project.toml_file import ConfigurationError

    before, stamp = time.monotonic(), stamp_of(path)
    freshness, problem = None, ""
    try:
        freshness = project.cache_at(path).freshness()
    except ConfigurationError as error:  # it says nothing of this cache, nor of any other
        freshness = Freshness(state=INVALID, problem=str(error))
    except CtxError as error:
        problem = str(error)
    seconds = time.monotonic() - before
    return FreshnessCheck(path=path, stamp=stamp, freshness=freshness, seconds=seconds, problem=problem)


def rebuild(project: ProjectSession, path: str, *, force: bool, progress: Reporter) -> RebuildResult:
    """Bring a cache up to date. Raises `CtxError`, and what `progress` raises, which leaves it as it was."""
    from ..builder.freshness import FRESH, Freshness  # as above

    previous = _opened(path)
    built = project.cache_at(path).update(force=force, allow_empty=False, jobs=None, progress=progress)
    if built.report is None:
        return RebuildResult(built=built, freshness=built.before)
    changes, now = _changes(previous, path), Freshness(state=FRESH)
    return RebuildResult(built=built, freshness=now, previous=previous, changes=changes)


def _changes(previous: Cache | None, path: str) -> Changes | None:
    """The documents of the new build against the one before; None where that cannot be read."""
    from ..resolver.compare import Changes  # what only an author needs

    try:
        return Changes(previous, open_cache(path)) if previous is not None else None
    except CtxError:
        return None


def _opened(path: str) -> Cache | None:
    """The cache that is there now, if it opens."""
    try:
        return open_cache(path)
    except CtxError:
        return None


def run_query_tests(project: ProjectSession) -> Outcomes:
    """Run the query tests of the project. Raises `CtxError`."""
    from ..resolver.query_tests import run_tests  # as above

    described = project.project()
    return run_tests(described.tests, described.open)


def save_query_test(project: ProjectSession, path: str, test: Callable[[str], QueryTest]) -> str:
    """Append a test to the configuration, and return its name; `test` makes it for the cache's name there.

    Raises `CtxError`.
    """
    from ..project.edits import add_test  # as above

    add_test(project.project(), test(project.cache_at(path).name))
    return project.file.name if project.file is not None else ""


def read_scopes(root: str) -> tuple[tuple[ScopeInfo, ...], float]:
    """The scopes of a project that has at least one context, and how long the look took; else none."""
    from ..scopes.queries import list_contexts  # a part of the library that few sessions need

    before = time.monotonic()
    data = list_contexts(_scopes_project(root)).data
    entries = data["entries"] if data["tracked"] else ()
    scopes = tuple(ScopeInfo(name=entry["scope"], state=entry["state"]) for entry in entries)
    return scopes, time.monotonic() - before


def read_scope(root: str, name: str) -> tuple[str, str, tuple[str, ...]]:
    """What an agent gets for a scope, the exact text; its state, and what led to that, a line each."""
    from ..scopes.project import scan
    from ..scopes.queries import query_context, scope_status  # as above

    project = _scopes_project(root)
    text = query_context(project, name).to_json()
    listed = next((directory for directory in scan(project).listed if directory.scope == name), None)
    if listed is None:
        return text, "missing", ()
    status = scope_status(project, listed)
    return text, status.state, (*status.changes.lines(), *status.reasons)


@lru_cache(maxsize=4)
def _scopes_project(root: str) -> Any:
    """A project with what it remembers of unchanged files."""
    from ..scopes.project import Project as ScopesProject  # as above

    return ScopesProject(root)
