"""The project that the caches belong to: freshness, rebuilds, query tests, and contexts of directories.

The functions take long and touch no widget: the screens run them in threads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CtxError, UsageError
from ..resolver.cache import Cache, open_cache
from .catalog import Stamp, stamp_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..builder.build import Reporter
    from ..builder.freshness import Freshness
    from ..project.caches import Built, ProjectCache
    from ..project.project import Project
    from ..resolver.compare import Changes
    from ..resolver.query_tests import Outcomes, QueryTest


@dataclass(frozen=True, kw_only=True, slots=True)
class FreshnessCheck:
    """The outcome of comparing a cache with its sources."""

    path: str
    stamp: Stamp | None
    """The build that was compared."""
    freshness: Freshness | None
    """None if the comparison failed."""
    problem: str = ""
    """Why the comparison failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RebuildResult:
    """The outcome of a rebuild."""

    built: Built
    freshness: Freshness
    """The freshness after the rebuild."""
    previous: Cache | None = None
    """The replaced cache, still open."""
    changes: Changes | None = None
    """The differences between the documents of both caches."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeInfo:
    """A directory and the state of its context."""

    name: str
    state: str
    """`fresh`, `stale` or `missing`."""


class ProjectSession:
    """A project's configuration, which is read again after each edit."""

    def __init__(self, file: Path | None) -> None:
        """`file` is the configuration file; None if there is none."""
        self.file = file
        self._stamp: Stamp | None = None
        self._project: Project | None = None

    def project(self) -> Project:
        """The project as configured. Raises `UsageError` without a configuration, `ConfigurationError`."""
        from ..project.project import load_project  # pydantic, which takes long to load

        if self.file is None:
            raise UsageError("there is no ctx.toml for these caches: leave, and `ctx init` writes one")
        stamp = _stamp(self.file)
        if self._project is None or stamp is None or stamp != self._stamp:
            self._project, self._stamp = load_project(self.file), stamp
        return self._project

    def cache_at(self, path: str) -> ProjectCache:
        """The configured cache whose directory is `path`. Raises `UsageError`, `ConfigurationError`."""
        directory = Path(path).resolve()
        for cache in self.project().caches.values():
            if cache.directory == directory:
                return cache
        raise UsageError(
            f"no ctx.toml says what {directory.name} is built from; describe it in [caches.NAME]"
        )

    @property
    def described(self) -> Mapping[str, ProjectCache]:
        """The configured caches by name, in the order of the configuration; none if it cannot be read.

        The error is not shown here but when the user rebuilds.
        """
        try:
            return self.project().caches
        except CtxError:
            return {}

    def paths(self, root: str) -> dict[str, str]:
        """Name → path of the configured caches; none if `root` is not the project's directory of caches."""
        described = self.described
        if not described or Path(root).resolve() != self.project().root / ".ctx" / "caches":
            return {}
        return {name: _below(root, cache.directory) for name, cache in described.items()}


def _below(root: str, directory: Path) -> str:
    """The path of a cache as `read_catalog` names it: below the root, else absolute."""
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
    """Compare a cache with its sources. An error becomes the `problem` of the result."""
    from ..builder.freshness import INVALID, Freshness  # the whole builder, which costs as much as Textual
    from ..project.toml_file import ConfigurationError

    stamp = stamp_of(path)
    freshness, problem = None, ""
    try:
        freshness = project.cache_at(path).freshness()
    except ConfigurationError as error:  # then the configuration describes no cache at all
        freshness = Freshness(state=INVALID, problem=str(error))
    except CtxError as error:
        problem = str(error)
    return FreshnessCheck(path=path, stamp=stamp, freshness=freshness, problem=problem)


def rebuild(project: ProjectSession, path: str, *, force: bool, progress: Reporter) -> RebuildResult:
    """Rebuild a cache unless it is fresh. Raises `CtxError`, and what `progress` raises to stop the build."""
    from ..builder.freshness import FRESH, Freshness  # as above

    previous = _opened(path)
    built = project.cache_at(path).update(force=force, allow_empty=False, jobs=None, progress=progress)
    if built.report is None:
        return RebuildResult(built=built, freshness=built.before)
    changes, now = _changes(previous, path), Freshness(state=FRESH)
    return RebuildResult(built=built, freshness=now, previous=previous, changes=changes)


def _changes(previous: Cache | None, path: str) -> Changes | None:
    """The differences between the new build and the previous one; None if one of them cannot be read."""
    from ..resolver.compare import Changes  # loaded by authors alone

    try:
        return Changes(previous, open_cache(path)) if previous is not None else None
    except CtxError:
        return None


def _opened(path: str) -> Cache | None:
    """The cache at a path; None if it does not open."""
    try:
        return open_cache(path)
    except CtxError:
        return None


def run_query_tests(project: ProjectSession) -> Outcomes:
    """Run the query tests of the project. Raises `CtxError`."""
    from ..resolver.query_tests import run_tests  # as above

    described = project.project()
    return run_tests(described.tests, described.open)


def save_query_test(project: ProjectSession, path: str, test: QueryTest) -> str:
    """Append a test to the configuration, with the configured name of the cache at `path`.

    Returns the name of the configuration file. Raises `CtxError`.
    """
    from ..project.edits import add_test  # as above

    add_test(project.project(), replace(test, cache=project.cache_at(path).name))
    return project.file.name if project.file is not None else ""


def read_scopes(root: str) -> tuple[ScopeInfo, ...]:
    """The scopes of a project, none if no directory has a context."""
    from ..scopes.queries import list_contexts  # few sessions need the scopes

    data = list_contexts(_scopes_project(root)).data
    entries = data["entries"] if data["tracked"] else ()
    return tuple(ScopeInfo(name=entry["scope"], state=entry["state"]) for entry in entries)


def read_scope(root: str, name: str) -> tuple[str, str, tuple[str, ...]]:
    """The exact answer of `query_context` for a scope, its state, and the reasons of that, a line each."""
    from ..scopes.project import scan
    from ..scopes.queries import query_context, scope_status  # as above

    project = _scopes_project(root)
    text = query_context(project, name).to_json()
    listed = next((directory for directory in scan(project).reported if directory.scope == name), None)
    if listed is None:
        return text, "missing", ()
    status = scope_status(project, listed)
    return text, status.state, (*status.changes.lines(), *status.reasons)


@lru_cache(maxsize=4)
def _scopes_project(root: str) -> Any:
    """The scopes of a project, kept because they cache the hashes of unchanged files."""
    from ..scopes.project import ScopeProject  # as above

    return ScopeProject(root)
