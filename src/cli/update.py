"""Rebuilding the configured caches of a project, once or after each change of their sources."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

from ..builder.freshness import INVALID, MISSING
from ..builder.report import BuildReport, SourceError
from ..errors import CtxError, UsageError
from ..project.caches import Built, MostlyGone, ProjectCache
from ..project.watch import follow
from ..safeio import is_directory, translate_oserror, write_output
from ..text.display import pluralize
from .output import narrate, write_json
from .paths import require_folder
from .terminal import Bar, left_out_words, table

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor
    from typing import Any, NoReturn

    from ..project.project import Project

_CONFIGURED = (
    "profile", "split", "max_tokens", "tokenizer", "include", "exclude", "max_file_bytes",
    "keep_duplicates", "no_convert", "strict",
)  # fmt: skip
"""The options of `ctx build` that a configuration sets instead."""


def configured_caches(options: Namespace) -> tuple[Project, list[str]] | None:
    """The project and the names of caches on the command line; None if the command line names a folder.

    Raises `UsageError` if only some of the names are those of caches.
    """
    names = list(dict.fromkeys(options.sources))
    if options.sources_option is not None or options.cache is not None or any("/" in name for name in names):
        return None
    from ..project.project import find_project  # pydantic, not needed for a folder with a path

    project = find_project()
    if project is None or not project.caches or (names and project.caches.keys().isdisjoint(names)):
        return None
    project.select(names)
    for name in _CONFIGURED:
        value = getattr(options, name)
        if not (value is None or value is False or value == []):
            option = name.replace("_", "-")
            raise UsageError(f"--{option}: this cache is described by the configuration; change it there")
    return project, names


def require_sources(folder: str) -> None:
    """Raise `UsageError` unless `folder` exists; the message differs for the name of a configured cache."""
    if is_directory(folder) or "/" in folder:
        require_folder(folder)
        return
    from ..project.project import find_project  # as above

    project = find_project()
    names = list(project.caches) if project else []
    if folder in names:
        raise UsageError(
            f"{folder}: no such folder; `ctx build {folder}` alone builds the cache of this name"
        )
    require_folder(folder, *names)


def build_configured(
    caches: Sequence[ProjectCache], options: Namespace, executor: Executor | None = None
) -> None:
    """Rebuild those of some caches that are not fresh. Raises the first failure, after all were tried."""
    if options.report is not None and len(caches) > 1:
        raise UsageError(f"--report: name one cache of {', '.join(cache.name for cache in caches)}")
    rows, outcomes, failures = [], [], []
    for cache in (with_tolerance(cache, options) for cache in caches):
        try:
            built = update_cache(
                cache,
                force=options.force,
                always=options.report is not None,
                jobs=options.jobs,
                executor=executor,
            )
        except CtxError as error:
            failures.append(error)
            rows.append((cache.name, "failed", "", "", ""))
            outcomes.append({"name": cache.name, "state": "failed", "problem": str(error)})
            continue
        if options.report is not None and built.report is not None:
            write_output(Path(options.report), built.report.to_json().encode())
        rows.append(result_row(cache, built, unchanged="forced" if options.force else "looked at again"))
        outcomes.append(cache_as_dict(cache, built.report))
    if options.format != "table":
        write_json(options.format, {"caches": outcomes})
    for line in table(rows, "<<>><").splitlines():
        narrate(line)
    for failure in failures[1:]:
        narrate(str(failure))
    if failures:
        raise failures[0]


def with_tolerance(cache: ProjectCache, options: Namespace) -> ProjectCache:
    """The cache with the options `--skip-unreadable` and `--allow-missing-converter` of the command line."""
    return replace(
        cache,
        skip_unreadable=options.skip_unreadable,
        allow_missing_converter=options.allow_missing_converter,
    )


def update_with_bar(cache: ProjectCache, label: object, **arguments: Any) -> Built:
    """Rebuild a cache unless it is fresh, with a progress bar.

    The arguments and errors are those of `ProjectCache.update`.
    """
    with Bar(f"building {label}") as bar:
        return cache.update(**arguments, allow_empty=False, progress=lambda progress: bar.show(*progress))


def update_cache(cache: ProjectCache, **arguments: Any) -> Built:
    """Rebuild a cache as `update_with_bar` does, and narrate the lines of the report under its name."""
    built = update_with_bar(cache, cache.name, **arguments)
    for line in built.report.lines() if built.report else ():
        narrate(f"{cache.name}: {line}")
    return built


def result_row(
    cache: ProjectCache, built: Built, *, unchanged: str = "forced"
) -> tuple[str, str, str, str, str]:
    """(name, state, documents, tokens, reason); the reason is `unchanged` for a build without changes."""
    manifest = cache.manifest
    documents, tokens = (
        pluralize(manifest.document_count, "document"),
        pluralize(manifest.total_tokens, "token"),
    )
    if built.report is None:
        return cache.name, "fresh", documents, tokens, left_out_words(built.before.left_out)
    why = "new" if built.before.state == MISSING else build_reason(built) or unchanged
    return cache.name, "built", documents, tokens, why


def build_reason(built: Built) -> str:
    """The changes that caused a build: `2 added, 1 removed`, or `repaired`; empty without changes."""
    return "repaired" if built.before.state == INVALID else built.before.summary


def cache_as_dict(cache: ProjectCache, report: BuildReport | None) -> dict[str, Any]:
    """The outcome of a build as JSON values; `report` is None for a cache that was fresh."""
    manifest = cache.manifest
    return {
        "name": cache.name,
        "path": Path(os.path.relpath(cache.directory)).as_posix(),
        "state": "fresh" if report is None else "built",
        "cache_version": manifest.cache_version,
        "document_count": manifest.document_count,
        "total_tokens": manifest.total_tokens,
        "report": None if report is None else report.to_dict(),
    }


def watch(
    load: Callable[[], Sequence[ProjectCache]],
    *,
    jobs: int | None,
    force: bool = False,
    configuration: Path | None = None,
) -> NoReturn:
    """Rebuild caches after each change (see `follow`) until Ctrl-C, which raises `KeyboardInterrupt`.

    Raises `UsageError` instead if a cache was not rebuilt in the end because most of its sources are gone.
    With `force` each cache is built from nothing once, and is also rebuilt when most sources are gone.
    """
    narrator = _Narrator(jobs, force=force)
    narrate("watching; Ctrl-C ends it")
    with _interruption() as stop:
        follow(load, narrator.update, narrator.tell, stop, configuration=configuration)
    if narrator.left_behind:
        raise UsageError(next(iter(narrator.left_behind.values())))
    raise KeyboardInterrupt


def watch_beside(file: str) -> None:
    """Rebuild the caches of a configuration after each change, until the server closes standard input."""
    from ..project.project import load_project  # as above

    configuration, stop = Path(file), Event()
    Thread(target=_set_at_end, args=(stop,), daemon=True).start()
    narrator = _Narrator(None, force=False)
    try:
        follow(
            lambda: load_project(configuration).select([]),
            narrator.update,
            narrator.tell,
            stop,
            configuration=configuration,
        )
    except CtxError as error:
        narrator.tell(error)


def _set_at_end(stop: Event) -> None:
    """Set an event at the end of standard input."""
    sys.stdin.buffer.read()
    stop.set()


@contextmanager
def _interruption() -> Iterator[Event]:
    """An event that the first Ctrl-C sets; the second one stops the program immediately.

    An exception instead of the event could be raised in a finalizer, where Python ignores it.
    """
    stop = Event()
    before = signal.getsignal(signal.SIGINT)

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        stop.set()

    if before is not signal.SIG_IGN:  # a shell makes background processes ignore Ctrl-C
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class _Narrator:
    """Updates caches and narrates the outcome, unless it is the last one again."""

    def __init__(self, jobs: int | None, *, force: bool) -> None:
        self._jobs = jobs
        self._force = force
        self._built: set[str] = set()
        self._last: dict[str, str] = {}
        self.left_behind: dict[str, str] = {}
        """Name → message of the caches that were not rebuilt because most of their sources are gone."""

    def update(self, caches: Sequence[ProjectCache]) -> None:
        """Rebuild caches unless they are fresh; errors are narrated."""
        for cache in caches:
            try:
                force = self._force and cache.name not in self._built
                with translate_oserror(cache.directory):  # whatever the system refuses, the watch goes on
                    built = update_cache(cache, force=force, allow_mostly_gone=self._force, jobs=self._jobs)
            except CtxError as error:
                if isinstance(error, (MostlyGone, SourceError)):
                    self.left_behind[cache.name] = f"{cache.name}: {error}"
                state = "kept" if isinstance(error, MostlyGone) else "failed"
                self._say(cache, f"{cache.name}  {state}  {error}")
            else:
                self._built.add(cache.name)
                self.left_behind.pop(cache.name, None)
                line = "  ".join(filter(None, result_row(cache, built)))
                self._say(cache, line, again=built.report is not None)

    def tell(self, error: CtxError) -> None:
        """Narrate an error that concerns all caches."""
        narrate(f"error: {error}")

    def _say(self, cache: ProjectCache, line: str, *, again: bool = False) -> None:
        """Narrate a line about a cache, unless it is the same as the last one."""
        if again or self._last.get(cache.name) != line:
            narrate(line)
        self._last[cache.name] = line
