"""Watching the sources of caches, and rebuilding the caches that became stale.

The operating system watches the source folders. A few paths are polled instead, because replacing or deleting
them would end a watch silently: the configuration, the source folders themselves, and the ignore files above
them. When one of these changes, everything is read again; freshness is decided by content, so no change in
between is missed.
"""

from __future__ import annotations

import time
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING

import watchfiles

from ..builder.sources.gitignore import IGNORE_FILES
from ..errors import CtxError, IoError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import Event

    from .caches import ProjectCache

POLL = 0.25  # seconds between two polls, and without a change after which a burst is over
RETRY = 2.0  # seconds until a configuration that the system refused to read is read again
LONGEST_BURST = 30.0  # seconds after which a burst ends although changes go on
_OWN_FOLDERS = {".git", ".ctx"}

Stamps = dict[Path, tuple[int, ...] | None]
"""The state of polled paths; None for a path that does not exist."""


def follow(
    load: Callable[[], Sequence[ProjectCache]],
    update: Callable[[Sequence[ProjectCache]], None],
    tell: Callable[[CtxError], None],
    stop: Event,
    *,
    configuration: Path | None = None,
) -> None:
    """Call `update` after each change until `stop` is set. Raises `UsageError` if the system cannot watch.

    `load` reads the caches, at the start and after each change of the file `configuration`. `update` is
    called with all caches first, then with those whose sources changed; it must not raise a `CtxError`.
    `tell` is called with the error of a configuration that cannot be used.
    """
    problem = ""
    while not stop.is_set():
        polled: Stamps = {} if configuration is None else _stamps([configuration])
        try:
            caches = load()
        except CtxError as error:
            if str(error) != problem:
                tell(error)
            problem = str(error)
            _wait_for_change(polled, stop, RETRY if isinstance(error, IoError) else None)
        else:
            problem = ""
            _follow(caches, update, polled | _stamps(_polled_paths(caches)), stop)


def _follow(
    caches: Sequence[ProjectCache],
    update: Callable[[Sequence[ProjectCache]], None],
    polled: Stamps,
    stop: Event,
) -> None:
    """Update all caches, then those whose sources change, until a polled path changes."""
    folders = [folder for cache in caches for folder in cache.folders if polled[folder]]
    first = True
    for changed in _bursts(_changes(folders, stop)):
        if stop.is_set():
            return
        affected = [cache for cache in caches if first or _is_affected(cache, changed)]
        first = False
        if affected:
            update(affected)
        if _stamps(polled) != polled:
            return


def _wait_for_change(polled: Stamps, stop: Event, longest: float | None) -> None:
    """Wait until a polled path changes, at most `longest` seconds."""
    start = time.monotonic()
    while _stamps(polled) == polled and not stop.wait(POLL):
        if longest is not None and time.monotonic() - start > longest:
            return


def _bursts(
    changes: Iterator[list[Path]], clock: Callable[[], float] = time.monotonic
) -> Iterator[list[Path]]:
    """Join changes until an empty list, which means a pause, or for `LONGEST_BURST` seconds.

    So a folder that is being deleted or unpacked is handled when that is done.
    """
    burst: list[Path] = []
    began = 0.0
    for changed in changes:
        if changed:
            if not burst:
                began = clock()
            burst += changed
            if clock() - began < LONGEST_BURST:
                continue
        yield burst
        burst = []


def _changes(folders: list[Path], stop: Event) -> Iterator[list[Path]]:
    """Lists of changed paths; an empty one after each `POLL` seconds without a change.

    The first list is yielded once the watch is set up.
    """
    if not folders:
        while not stop.wait(POLL):
            yield []
        return
    try:
        for changes in watchfiles.watch(
            *folders,
            watch_filter=_is_user_change,
            stop_event=stop,
            rust_timeout=int(POLL * 1000),
            yield_on_timeout=True,
        ):
            yield [Path(path) for _, path in changes]
    except FileNotFoundError:  # a folder was deleted before its watch was set up
        stop.wait(POLL)
    except OSError as error:
        raise UsageError(
            f"the system cannot watch so many folders ({error.strerror}); "
            "set WATCHFILES_FORCE_POLLING=1 to look at them one by one instead"
        ) from None


def _is_user_change(_: watchfiles.Change, path: str) -> bool:
    """Whether a change is outside the folders of git and of this program."""
    return _OWN_FOLDERS.isdisjoint(Path(path).parts)


def _is_affected(cache: ProjectCache, changed: list[Path]) -> bool:
    return any(
        any(map(path.is_relative_to, cache.folders)) and not path.is_relative_to(cache.directory)
        for path in changed
    )


def _polled_paths(caches: Sequence[ProjectCache]) -> Iterator[Path]:
    """The source folders, and the paths of ignore files above them, which need not exist."""
    for cache in caches:
        yield from cache.folders
        parents = {parent for folder in cache.folders for parent in folder.parents}
        above = sorted(parent for parent in parents if parent.is_relative_to(cache.root))
        yield from (parent / name for parent in above for name in IGNORE_FILES)


def _stamps(paths: Sequence[Path] | Iterator[Path] | Stamps) -> Stamps:
    """The state of each path; of a folder only its identity, not its content."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    if S_ISDIR(status.st_mode):
        return status.st_dev, status.st_ino
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
