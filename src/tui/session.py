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


def step_budget(budget: int, direction: int) -> int:
    """The budget a step above (1) or below (-1): a tenth or less, to a round number."""
    if direction > 0:
        unit = _unit(budget)
        return min(LARGEST_BUDGET, (budget // unit + 1) * unit)
    below = max(0, budget - 1)
    return below // _unit(below) * _unit(below)


def next_usual_budget(budget: int, direction: int) -> int:
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


MOST_QUESTIONS = 200
HISTORY, THEME = "queries.jsonl", "theme"
"""Files of the state directory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """How the inspector is to begin."""

    root: str
    """A root of caches, or one cache."""
    question: Question = Question()
    sources: str | None = None
    """The folder that the cache was built from, where that is known."""
    project: str | None = None
    """The root of the project, whose directories may have contexts."""
    configuration: Path | None = None
    """What describes the caches, where that is known."""
    theme: str = ""
    """`dark` or `light`; empty for the one that was chosen last."""

    def arguments(self) -> list[str]:
        """The command line of the program that begins in this way."""
        root = self.root if not self.root.startswith("-") else f"./{self.root}"
        line = ["tui", root, f"--query={self.question.query}", f"--budget={self.question.budget}"]
        line += ["--theme", self.theme] if self.theme else []
        return line + ([f"--sources={self.sources}"] if self.sources is not None else [])


class StateDir:
    """A directory of small files that outlast an inspector, as far as it can be written."""

    def __init__(self, path: Path | None = None) -> None:
        """None keeps nothing."""
        self.path = path

    @classmethod
    def of_user(cls) -> StateDir:
        """The user's; without a home directory nothing is kept."""
        base = os.environ.get("XDG_STATE_HOME", "")
        try:
            return cls(Path(base or Path.home() / ".local" / "state", "ctxcache"))
        except RuntimeError:
            return cls()

    def read(self, name: str) -> str:
        """The text of a file; empty where there is none that can be read."""
        try:
            return read_bytes(self.path / name).decode("utf-8", "replace") if self.path else ""
        except (OSError, ValueError):
            return ""

    def write(self, name: str, text: str) -> Path | None:
        """Replace a file, whole or not at all; returns it, or None if that was not possible."""
        if self.path is None:
            return None
        file = self.path / name
        beside = file.with_name(f"{name}.{os.getpid()}")
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text(text, "utf-8")
            return beside.replace(file)
        except OSError:
            return None


class History:
    """Questions, the newest first, without repeats."""

    def __init__(self, state: StateDir) -> None:
        """Read what is kept; lines that are not questions are passed over."""
        self._state = state
        newest: dict[str, Question] = {}
        for line in reversed(state.read(HISTORY).splitlines()):
            if question := _question(line):
                newest.setdefault(question.query.strip(), question)
        self.questions = list(newest.values())[:MOST_QUESTIONS]

    def add(self, question: Question) -> None:
        """Remember a question, as the newest."""
        query = question.query.strip()
        if not query or self.questions[:1] == [question]:
            return
        others = [other for other in self.questions if other.query.strip() != query]
        self.questions = [question, *others][:MOST_QUESTIONS]
        lines = [json.dumps({"query": q.query, "budget": q.budget}) for q in reversed(self.questions)]
        self._state.write(HISTORY, "".join(f"{line}\n" for line in lines))


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

    def __init__(self, start: Start, state: StateDir | None = None) -> None:
        self.root = start.root
        self.question = start.question
        self.state = state or StateDir()
        self.history = History(self.state)
        self.has_colours = True
        """Whether the terminal has more than sixteen."""
        self.catalog = CacheCatalog()
        self.info: CacheInfo | None = None
        """What the open cache says of itself."""
        self.cache: Cache | None = None
        self.previous: dict[str, Cache] = {}
        """The builds that were replaced meanwhile, still open, by the name of the cache."""
        self.project_root = start.project
        self.project = ProjectSession(start.configuration)
        self.freshness: dict[str, Freshness | None] = {}
        """Whether the caches are fresh, by path; None where nothing says what they are built from."""
        self.verified: dict[str, Verification | str] = {}
        """The outcome of a verification, or what it is doing, by path."""
        self._sources = start.sources
        self.busy: dict[str, str] = {}
        """What is being done to caches now, by path."""

    def begin(self, path: str, operation: str) -> str:
        """Note that an operation on a cache begins; returns the one that is still running, if any."""
        other = self.busy.get(path, "")
        self.busy.setdefault(path, operation)
        return other

    def end(self, path: str) -> None:
        """Note that the operation on a cache ended."""
        self.busy.pop(path, None)

    def record_freshness(self, check: FreshnessCheck) -> bool:
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
