"""What is on the desk: where the caches are, the one that is open, and what was asked before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CtxError
from .authoring.workshop import Workshop
from .history import History
from .question import Question
from .shelf import Shelf, stamp_of

if TYPE_CHECKING:
    from ..builder.freshness import Freshness
    from ..resolver.cache import Cache
    from .authoring.messages import Judged
    from .shelf import Volume

SUGGESTIONS = 4
TRIES = 24  # documents whose titles are looked at


class Desk:
    """Shared by the screens of one inspector; changed in the event loop only."""

    def __init__(
        self,
        place: str,
        *,
        question: Question | None = None,
        sources: str | None = None,
        project: str | None = None,
        configuration: Path | None = None,
        history: History | None = None,
    ) -> None:
        """`place` is a root of caches or one cache; `sources` the folder that it was built from, `project`
        the root of the directories with contexts, `configuration` what describes the caches, where known.
        """
        self.place = place
        self.question = question or Question()
        self.history = history or History()
        self.shelf = Shelf(place=place)
        self.volume: Volume | None = None
        self.cache: Cache | None = None
        self.previous: dict[str, Cache] = {}
        """The builds that were replaced meanwhile, still open, by the name of the cache."""
        self.project = project
        self.workshop = Workshop(configuration)
        self.states: dict[str, Freshness | None] = {}
        """How the caches stand to their sources, by path; None where nothing says what of."""
        self._sources = sources
        self._busy: dict[str, str] = {}

    def begin(self, path: str, operation: str) -> str:
        """Note that an operation on a cache begins; what is being done to it already, if anything is."""
        other = self._busy.get(path, "")
        if not other:
            self._busy[path] = operation
        return other

    def end(self, path: str) -> None:
        """Note that the operation on a cache ended."""
        self._busy.pop(path, None)

    def take_judged(self, message: Judged) -> bool:
        """Note how a cache stands to its sources, unless that was built anew; whether it was."""
        if message.stamp != stamp_of(message.path):
            return False
        self.states[message.path] = message.freshness
        return True

    def source_of(self, source: str) -> Path | None:
        """The file that a document was made from, where it is known and there."""
        root = self._source_folder()
        if root is None or not source:
            return None
        try:
            path = (root / source).resolve()
            return path if path.is_relative_to(root) and path.is_file() else None
        except (OSError, ValueError, RuntimeError):  # no name of a file, or links in a circle
            return None

    def _source_folder(self) -> Path | None:
        """Where the open cache's documents come from: as the user said, else as the configuration does."""
        if self._sources is not None:
            return Path(self._sources).resolve()
        if self.volume is None or self.workshop.file is None:
            return None
        try:
            return self.workshop.cache_at(self.volume.path).sources
        except CtxError:
            return None


def suggestions(cache: Cache) -> tuple[str, ...]:
    """Some titles from all over a cache, as first questions. Raises `CacheInvalid`."""
    found: list[str] = []
    for part in range(TRIES):
        number = part * cache.document_count // TRIES
        for heading in cache.summaries(number, min(number + 1, cache.document_count)):
            name = heading.title.partition(" > ")[0].strip()
            if 3 <= len(name.split()) <= 8 and name not in found:
                found.append(name)
    return tuple(found[:SUGGESTIONS])
