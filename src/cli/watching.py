"""`ctx build --watch`: rebuild after each change, one line for each rebuild."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from threading import Event

from ..errors import CtxError, UsageError
from ..project.caches import MostlyGone
from ..project.watch import Watch
from .configured import row, updated
from .output import narrate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import NoReturn

    from ..project.caches import ProjectCache


def watch(
    load: Callable[[], Sequence[ProjectCache]],
    *,
    jobs: int | None,
    force: bool = False,
    configuration: Path | None = None,
) -> NoReturn:
    """Keep caches up to date until Ctrl-C, which raises `KeyboardInterrupt` here; see `Watch`.

    Raises `UsageError` instead when a cache was left as it was at last, since most of its sources were
    gone. `force` builds each from nothing once, whatever is there, and later also from what is left.
    """
    narrator = _Narrator(jobs, force=force)
    narrate("watching; Ctrl-C ends it")
    with _interruption() as stop:
        Watch(load, narrator.update, narrator.tell, configuration=configuration).run(stop)
    if narrator.mostly_gone:
        raise UsageError(next(iter(narrator.mostly_gone.values())))
    raise KeyboardInterrupt


@contextmanager
def _interruption() -> Iterator[Event]:
    """An event that the first Ctrl-C sets, between two rebuilds; the second stops at once.

    An exception could come up while an object is taken down, where it is swallowed.
    """
    stop = Event()
    before = signal.getsignal(signal.SIGINT)

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        stop.set()

    if before is not signal.SIG_IGN:  # what a shell starts in the background is not to heed Ctrl-C
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class _Narrator:
    """Updates caches and tells what is new."""

    def __init__(self, jobs: int | None, *, force: bool) -> None:
        self._jobs = jobs
        self._force = force
        self._built: set[str] = set()
        self._last: dict[str, str] = {}
        self.mostly_gone: dict[str, str] = {}
        """Caches that were left as they were, since most of their sources are gone, and a line about each."""

    def update(self, caches: Sequence[ProjectCache]) -> None:
        """Bring caches up to date."""
        for cache in caches:
            try:
                force = self._force and cache.name not in self._built
                built = updated(cache, force=force, allow_mostly_gone=self._force, jobs=self._jobs)
            except MostlyGone as error:
                self.mostly_gone[cache.name] = f"{cache.name}: {error}"
                self._say(cache, f"{cache.name}  kept  {error}")
            except CtxError as error:
                self._say(cache, f"{cache.name}  failed  {error}")
            else:
                self._built.add(cache.name)
                self.mostly_gone.pop(cache.name, None)
                line = "  ".join(filter(None, row(cache, built)))
                self._say(cache, line, again=built.report is not None)

    def tell(self, error: CtxError) -> None:
        """What hinders all of them."""
        narrate(f"error: {error}")

    def _say(self, cache: ProjectCache, line: str, *, again: bool = False) -> None:
        """Say it, unless it was the last thing that was said of the cache."""
        if again or self._last.get(cache.name) != line:
            narrate(line)
        self._last[cache.name] = line
