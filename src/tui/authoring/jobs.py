"""What workers do for an author: call the library in a thread and post what came of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...errors import CtxError
from ...resolver.cache import open_cache
from ..shelf import stamp_of
from .messages import BuildAdvanced, Judged, Rebuilt, Tested, TestSaved

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...builder.build import Progress
    from ...resolver.cache import Cache
    from ...resolver.changes import Changes
    from ...resolver.query_tests import QueryTest
    from ..jobs import Post
    from .workshop import Workshop

STEPS = 200  # times at most that a build tells how far it is


class Stopped(Exception):
    """Somebody asked a build to stop."""


def judge(post: Post, workshop: Workshop, paths: list[str]) -> None:
    """Hold caches against their sources, one after another."""
    from ...builder.freshness import INVALID, Freshness  # the whole builder, which costs as much as Textual
    from ...project.config import ConfigurationError

    for path in paths:
        before, stamp = time.monotonic(), stamp_of(path)
        freshness, problem = None, ""
        try:
            freshness = workshop.cache_at(path).freshness()
        except ConfigurationError as error:  # it says nothing of this cache, nor of any other
            freshness = Freshness(state=INVALID, problem=str(error))
        except CtxError as error:
            problem = str(error)
        seconds = time.monotonic() - before
        post(Judged(path=path, stamp=stamp, freshness=freshness, seconds=seconds, problem=problem))


def rebuild(post: Post, workshop: Workshop, path: str, force: bool, stopped: Callable[[], bool]) -> None:
    """Bring a cache up to date; `stopped` is asked now and then, and leaves it as it was."""
    from ...builder.freshness import FRESH, Freshness  # as above

    try:
        previous = _opened(path)
        cache, progress = workshop.cache_at(path), _reporter(post, stopped)
        built = cache.update(force=force, allow_empty=False, jobs=None, progress=progress)
        changes = _changes(previous, path) if built.report is not None else None
    except Stopped:
        post(Rebuilt(path=path, built=None, problem="stopped; the cache is as it was"))
    except CtxError as error:
        post(Rebuilt(path=path, built=None, problem=str(error)))
    else:
        now = Freshness(state=FRESH) if built.report is not None else built.before
        post(Rebuilt(path=path, built=built, freshness=now, previous=previous, changes=changes))


def _reporter(post: Post, stopped: Callable[[], bool]) -> Callable[[Progress], None]:
    """Posts each step of a build that can be seen."""
    told = -1

    def report(progress: Progress) -> None:
        nonlocal told
        if stopped():
            raise Stopped
        step = progress.done * STEPS // max(1, progress.total)
        if step != told:
            told = step
            post(BuildAdvanced(done=progress.done, total=progress.total))

    return report


def _changes(previous: Cache | None, path: str) -> Changes | None:
    """The documents of the new build against the one before; None where that cannot be read."""
    from ...resolver.changes import Changes  # what only an author needs

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


def run_tests(post: Post, workshop: Workshop) -> None:
    """Run the query tests of the project."""
    from ...resolver.query_tests import run_tests  # as above

    try:
        project = workshop.project()
        outcomes = run_tests(project.tests, project.open)
    except CtxError as error:
        post(Tested(outcomes=None, problem=str(error)))
    else:
        post(Tested(outcomes=outcomes))


def save_test(post: Post, workshop: Workshop, path: str, test: Callable[[str], QueryTest]) -> None:
    """Append a test to the configuration; `test` makes it for the name that the cache has there."""
    from ...project.query_test_files import add_test  # as above

    file = workshop.file.name if workshop.file is not None else ""
    try:
        add_test(workshop.project(), test(workshop.cache_at(path).name))
    except CtxError as error:
        post(TestSaved(file=file, problem=str(error)))
    else:
        post(TestSaved(file=file))
