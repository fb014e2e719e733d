"""What the screens of one inspector share: its caches, the one that is open, and what was asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..cache.documents import file_of
from ..errors import CtxError
from .catalog import CacheCatalog, stamp_of
from .project import ProjectSession
from .state import History, Question, ThemeChoice

if TYPE_CHECKING:
    from ..builder.freshness import Freshness
    from ..builder.verification import Verification
    from ..resolver.cache import Cache
    from .catalog import CacheInfo
    from .project import FreshnessCheck


class Session:
    """Changed in the event loop only."""

    def __init__(
        self,
        root: str,
        *,
        question: Question | None = None,
        sources: str | None = None,
        project: str | None = None,
        configuration: Path | None = None,
        history: History | None = None,
        theme: ThemeChoice | None = None,
        state_dir: Path | None = None,
    ) -> None:
        """`root` is a root of caches or one cache; `sources` the folder that it was built from, `project`
        the root of the directories with contexts, `configuration` what describes the caches, where known.
        """
        self.root = root
        self.question = question or Question()
        self.history = history or History()
        self.theme = theme or ThemeChoice()
        self.state_dir = state_dir
        self.has_colours = True
        """Whether the terminal has more than sixteen."""
        self.catalog = CacheCatalog(root=root)
        self.info: CacheInfo | None = None
        """What the open cache says of itself."""
        self.cache: Cache | None = None
        self.previous: dict[str, Cache] = {}
        """The builds that were replaced meanwhile, still open, by the name of the cache."""
        self.project_root = project
        self.project = ProjectSession(configuration)
        self.freshness: dict[str, Freshness | None] = {}
        """Whether the caches are fresh, by path; None where nothing says what they are built from."""
        self.verified: dict[str, Verification | str] = {}
        """The outcome of a verification, or what it is doing, by path."""
        self._sources = sources
        self._busy: dict[str, str] = {}

    def begin(self, path: str, operation: str) -> str:
        """Note that an operation on a cache begins; returns the one that is still running, if any."""
        other = self._busy.get(path, "")
        if not other:
            self._busy[path] = operation
        return other

    def end(self, path: str) -> None:
        """Note that the operation on a cache ended."""
        self._busy.pop(path, None)

    @property
    def busy(self) -> dict[str, str]:
        """What is being done to caches now, by path."""
        return dict(self._busy)

    def take_freshness(self, check: FreshnessCheck) -> bool:
        """Note whether a cache is fresh, unless it was built anew meanwhile; returns whether it was noted."""
        if check.stamp != stamp_of(check.path):
            return False
        self.freshness[check.path] = check.freshness
        return True

    def source_of(self, source: str) -> Path | None:
        """The file that a document was made from, where it is known and there."""
        root = self._source_folder()
        if root is None or not source:
            return None
        try:
            path = (root / file_of(source)).resolve()
            return path if path.is_relative_to(root) and path.is_file() else None
        except (OSError, ValueError, RuntimeError):  # no name of a file, or links in a circle
            return None

    def _source_folder(self) -> Path | None:
        """Where the open cache's documents come from: as the user said, else as the configuration does."""
        if self._sources is not None:
            return Path(self._sources).resolve()
        if self.info is None or self.project.file is None:
            return None
        try:
            return self.project.cache_at(self.info.path).sources
        except CtxError:
            return None
