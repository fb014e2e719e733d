"""Following changes on disk: what became stale is rebuilt, until somebody says stop.

The sources are watched by the system. A handful of paths, the configuration, the ignore files
above the sources and the source folders themselves, are looked at several times a second
instead: they may be replaced, deleted or made again, which ends a watch silently. Whenever one
of them changed, everything starts over, and since freshness is judged by content, nothing that
happened in between is missed.
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

POLL = 0.25  # seconds between two looks at the few paths, and of quiet after which a burst is over
RETRY = 2.0  # seconds until a configuration that the system refused to read is read again
LONGEST_BURST = 30.0  # seconds after which a folder that is never quiet is looked at all the same
_OURS = {".git", ".ctx"}

Stamps = dict[Path, tuple[int, ...] | None]


def follow(
    load: Callable[[], Sequence[ProjectCache]],
    update: Callable[[Sequence[ProjectCache]], None],
    tell: Callable[[CtxError], None],
    stop: Event,
    *,
    configuration: Path | None = None,
) -> None:
    """Follow changes until `stop` is set. Raises `UsageError` when the system cannot watch.

    `load` reads the caches, again whenever the file `configuration` changes. `update` is called with all
    caches at first, then with those whose sources changed; it must not raise a `CtxError`. `tell` is called
    when the configuration cannot be used.
    """
    problem = ""
    while not stop.is_set():
        looked_at: Stamps = {} if configuration is None else _stamps([configuration])
        try:
            caches = load()
        except CtxError as error:
            if str(error) != problem:
                tell(error)
            problem = str(error)
            _wait_for_change(looked_at, stop, RETRY if isinstance(error, IoError) else None)
        else:
            problem = ""
            _follow(caches, update, looked_at | _stamps(_decisive(caches)), stop)


def _follow(
    caches: Sequence[ProjectCache],
    update: Callable[[Sequence[ProjectCache]], None],
    looked_at: Stamps,
    stop: Event,
) -> None:
    """Update all caches, then those that changes concern, until one of the few paths changes."""
    folders = [folder for cache in caches for folder in cache.folders if looked_at[folder]]
    first = True
    for changed in _bursts(_changes(folders, stop)):
        if stop.is_set():
            return
        concerned = [cache for cache in caches if first or _concerns(cache, changed)]
        first = False
        if concerned:
            update(concerned)
        if _stamps(looked_at) != looked_at:
            return


def _wait_for_change(looked_at: Stamps, stop: Event, longest: float | None) -> None:
    """Wait until one of some paths changes, or so many seconds: what the system refused may be had again."""
    start = time.monotonic()
    while _stamps(looked_at) == looked_at and not stop.wait(POLL):
        if longest is not None and time.monotonic() - start > longest:
            return


def _bursts(
    changes: Iterator[list[Path]], clock: Callable[[], float] = time.monotonic
) -> Iterator[list[Path]]:
    """Changes gathered until an empty list says that it is quiet, or for `LONGEST_BURST` seconds.

    A folder that is being deleted, or unpacked, is so seen when that is done.
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
    """Bursts of changed paths, and an empty list whenever nothing happened for a while.

    The first comes when the watch is in place.
    """
    if not folders:
        while not stop.wait(POLL):
            yield []
        return
    try:
        for changes in watchfiles.watch(
            *folders,
            watch_filter=_is_theirs,
            stop_event=stop,
            rust_timeout=int(POLL * 1000),
            yield_on_timeout=True,
        ):
            yield [Path(path) for _, path in changes]
    except FileNotFoundError:  # a folder vanished before its watch was in place
        stop.wait(POLL)
    except OSError as error:
        raise UsageError(
            f"the system cannot watch so many folders ({error.strerror}); "
            "set WATCHFILES_FORCE_POLLING=1 to look at them one by one instead"
        ) from None


def _is_theirs(_: watchfiles.Change, path: str) -> bool:
    """Whether a change is of the user's doing and not git's or ours."""
    return _OURS.isdisjoint(Path(path).parts)


def _concerns(cache: ProjectCache, changed: list[Path]) -> bool:
    return any(
        any(map(path.is_relative_to, cache.folders)) and not path.is_relative_to(cache.directory)
        for path in changed
    )


def _decisive(caches: Sequence[ProjectCache]) -> Iterator[Path]:
    """The source folders, and where the ignore files above them are or would be."""
    for cache in caches:
        yield from cache.folders
        parents = {parent for folder in cache.folders for parent in folder.parents}
        above = sorted(parent for parent in parents if parent.is_relative_to(cache.root))
        yield from (parent / name for parent in above for name in IGNORE_FILES)


def _stamps(paths: Sequence[Path] | Iterator[Path] | Stamps) -> Stamps:
    """What tells that a path now leads to something else; of a folder, only which one it is."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    if S_ISDIR(status.st_mode):
        return status.st_dev, status.st_ino
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
