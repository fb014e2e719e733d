"""What the screens of one inspector share: the question, the caches, what the state directory keeps.

`$XDG_STATE_HOME/ctxcache/queries.jsonl` has one question a line, the newest last; `theme` a name. Where it
cannot be written, what is remembered lasts as long as the inspector. Nothing of it enters an answer.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import DEFAULT_BUDGET, LARGEST_BUDGET
from ..cache.documents import file_of
from ..errors import CtxError
from ..resolver.budget import USUAL_BUDGETS
from ..safeio import read_bytes
from .catalog import CacheCatalog, stamp_of
from .project import ProjectSession

if TYPE_CHECKING:
    from ..builder.freshness import Freshness
    from ..builder.verification import Verification
    from ..resolver.cache import Cache
    from .catalog import CacheInfo
    from .project import FreshnessCheck


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A query and a budget in tokens; an empty query has not been asked yet."""

    query: str = ""
    budget: int = DEFAULT_BUDGET

    @property
    def is_asked(self) -> bool:
        """Whether there is something to look for."""
        return bool(self.query.strip())

    def with_query(self, query: str) -> Question:
        """The same with another query."""
        return replace(self, query=query)

    def with_budget(self, budget: int) -> Question:
        """The same with another budget."""
        return replace(self, budget=budget)


def stepped(budget: int, steps: int) -> int:
    """The budget some steps up or down; a step is a tenth or less, to a round number."""
    for _ in range(abs(steps)):
        budget = _next(budget) if steps > 0 else _previous(budget)
    return budget


def preset(budget: int, direction: int) -> int:
    """The next usual budget above (1) or below (-1); the same at either end."""
    if direction > 0:
        return next((p for p in USUAL_BUDGETS if p > budget), budget)
    return next((p for p in reversed(USUAL_BUDGETS) if p < budget), budget)


def _unit(budget: int) -> int:
    """The largest of 10, 50, 100, 500 and so on that is at most a tenth of the budget."""
    unit = larger = 10
    while 10 * larger <= budget:
        unit = larger
        larger *= 5 if str(unit)[0] == "1" else 2
    return unit


def _next(budget: int) -> int:
    unit = _unit(budget)
    return min(LARGEST_BUDGET, (budget // unit + 1) * unit)


def _previous(budget: int) -> int:
    unit = _unit(max(0, budget - 1))
    return max(0, (budget - 1) // unit * unit)


MOST_QUESTIONS = 200
LONGEST_NAME = 100


def state_dir() -> Path | None:
    """The user's state directory; None without a home directory."""
    base = os.environ.get("XDG_STATE_HOME", "")
    try:
        return Path(base or Path.home() / ".local" / "state", "ctxcache")
    except RuntimeError:
        return None


def write_state(file: Path, text: str) -> bool:
    """Replace a file of the state directory, whole or not at all; whether that could be done."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside.write_text(text, "utf-8")
        beside.replace(file)
    except OSError:
        return False
    return True


class ThemeChoice:
    """The name of the theme that the user chose last."""

    def __init__(self, directory: Path | None = None) -> None:
        """`directory` is the state directory; None remembers nothing."""
        self._file = directory / "theme" if directory else None

    def read(self) -> str:
        """The name; empty where none was chosen."""
        try:
            with Path(self._file or os.devnull).open(encoding="utf-8", errors="replace") as file:
                return file.read(LONGEST_NAME).strip()
        except OSError:
            return ""

    def save(self, name: str) -> None:
        """Remember a name; a state directory that refuses is no reason to stop."""
        if self._file is not None:
            write_state(self._file, f"{name}\n")


def write_report(directory: Path | None, text: str) -> Path | None:
    """Keep a report of an error for its reader; where, or None if nowhere."""
    if directory is None:
        return None
    file = directory / "last-error.txt"
    return file if write_state(file, text) else None


class History:
    """Questions, the newest first, without repeats."""

    def __init__(self, file: Path | None = None) -> None:
        """Read what is kept in `file`; None keeps nothing."""
        self._file = file
        self.questions: list[Question] = _read(file) if file else []

    def add(self, question: Question) -> None:
        """Remember a question, as the newest."""
        query = question.query.strip()
        if not query or self.questions[:1] == [question]:
            return
        others = [other for other in self.questions if other.query.strip() != query]
        self.questions = [question, *others][:MOST_QUESTIONS]
        self._write()

    def _write(self) -> None:
        """Keep it; a state directory that refuses is not asked again."""
        if self._file is None:
            return
        lines = [json.dumps({"query": q.query, "budget": q.budget}) for q in reversed(self.questions)]
        if not write_state(self._file, "".join(f"{line}\n" for line in lines)):
            self._file = None


def _read(file: Path) -> list[Question]:
    """What is kept, the newest first; lines that are not questions are passed over."""
    try:
        lines = read_bytes(file).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []
    found: dict[str, Question] = {}
    for line in reversed(lines):
        question = _question(line)
        if question:
            found.setdefault(question.query.strip(), question)
    return list(found.values())[:MOST_QUESTIONS]


def history_file() -> Path | None:
    """Where the history is kept; None without a home directory."""
    directory = state_dir()
    return directory / "queries.jsonl" if directory else None


def _question(line: str) -> Question | None:
    try:
        fields = json.loads(line)
        query, budget = fields["query"], fields["budget"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if type(query) is not str or not query.strip() or type(budget) is not int or budget < 0:
        return None
    return Question(query=query, budget=budget)


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
