"""The state that the screens of an inspector share: the question, the caches, the state directory.

`$XDG_STATE_HOME/ctxcache/queries.jsonl` has one question a line, the newest last; `theme` has the name of the
theme. If the directory cannot be written, both last as long as the process. Answers do not depend on it.
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
from .catalog import CacheCatalog, CacheInfo, stamp_of
from .project import FreshnessCheck, ProjectSession

if TYPE_CHECKING:
    from ..builder.freshness import Freshness
    from ..builder.verification import Verification
    from ..resolver.cache import Cache


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A query and a budget in tokens; an empty query is none yet."""

    query: str = ""
    budget: int = DEFAULT_BUDGET

    @property
    def is_asked(self) -> bool:
        """Whether there is a query."""
        return bool(self.query.strip())

    def with_query(self, query: str) -> Question:
        """A copy with another query."""
        return replace(self, query=query)

    def with_budget(self, budget: int) -> Question:
        """A copy with another budget."""
        return replace(self, budget=budget)


def step_budget(budget: int, direction: int) -> int:
    """The next round budget above (1) or below (-1), at most about a tenth away."""
    if direction > 0:
        unit = _unit(budget)
        return min(LARGEST_BUDGET, (budget // unit + 1) * unit)
    below = max(0, budget - 1)
    return below // _unit(below) * _unit(below)


def next_usual_budget(budget: int, direction: int) -> int:
    """The next of `USUAL_BUDGETS` above (1) or below (-1); `budget` itself where there is none."""
    if direction > 0:
        return next((usual for usual in USUAL_BUDGETS if usual > budget), budget)
    return next((usual for usual in reversed(USUAL_BUDGETS) if usual < budget), budget)


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
    """The arguments that the inspector is started with."""

    root: str
    """A directory of caches, or one cache."""
    question: Question = Question()
    sources: str | None = None
    """The folder that the cache was built from, if the user named it."""
    project: str | None = None
    """The root of the project, whose directories may have contexts."""
    configuration: Path | None = None
    """The configuration file of the caches, if there is one."""
    theme: str = ""
    """`dark` or `light`; empty for the theme that was chosen last."""

    def arguments(self) -> list[str]:
        """The command line, without the program's name, that starts an inspector in this way."""
        root = self.root if not self.root.startswith("-") else f"./{self.root}"
        line = ["tui", root, f"--query={self.question.query}", f"--budget={self.question.budget}"]
        line += ["--theme", self.theme] if self.theme else []
        return line + ([f"--sources={self.sources}"] if self.sources is not None else [])


class StateDir:
    """A directory of small files, kept between runs of the inspector; errors of the system are ignored."""

    def __init__(self, path: Path | None = None) -> None:
        """With None nothing is read or written."""
        self.path = path

    @classmethod
    def of_user(cls) -> StateDir:
        """The user's state directory; without a home directory, none."""
        base = os.environ.get("XDG_STATE_HOME", "")
        try:
            return cls(Path(base or Path.home() / ".local" / "state", "ctxcache"))
        except RuntimeError:
            return cls()

    def read(self, name: str) -> str:
        """The text of a file; empty if it cannot be read."""
        try:
            return read_bytes(self.path / name).decode("utf-8", "replace") if self.path else ""
        except (OSError, ValueError):
            return ""

    def write(self, name: str, text: str) -> Path | None:
        """Replace a file atomically; returns its path, or None if it cannot be written."""
        if self.path is None:
            return None
        file = self.path / name
        temporary = file.with_name(f"{name}.{os.getpid()}")
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_text(text, "utf-8")
            return temporary.replace(file)
        except OSError:
            return None


class History:
    """Questions, the newest first, without repeats."""

    def __init__(self, state: StateDir) -> None:
        """Read the file of the state directory; lines that are no questions are ignored."""
        self._state = state
        newest: dict[str, Question] = {}
        for line in reversed(state.read(HISTORY).splitlines()):
            if question := _question(line):
                newest.setdefault(question.query.strip(), question)
        self.questions = list(newest.values())[:MOST_QUESTIONS]

    def add(self, question: Question) -> None:
        """Add a question as the newest one, and write the file."""
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
    """The state of one inspector. It changes in the event loop only."""

    def __init__(self, start: Start, state: StateDir | None = None) -> None:
        self.root = start.root
        self.question = start.question
        self.state = state or StateDir()
        self.history = History(self.state)
        self.has_colours = True
        """Whether the terminal has more than sixteen colours."""
        self.catalog = CacheCatalog()
        self.info: CacheInfo | None = None
        """The catalog's entry of the open cache."""
        self.cache: Cache | None = None
        """The open cache."""
        self.previous: dict[str, Cache] = {}
        """The last replaced build of a cache, still open, by the name of the cache."""
        self.project_root = start.project
        self.project = ProjectSession(start.configuration)
        self.freshness: dict[str, Freshness | None] = {}
        """The freshness of caches by path; None if the configuration does not describe the cache."""
        self.verified: dict[str, Verification | str] = {}
        """By path the outcome of the last verification, an error message, or a note that it is running."""
        self._sources = start.sources
        self.busy: dict[str, str] = {}
        """The names of the running operations on caches, by path."""

    def begin(self, path: str, operation: str) -> str:
        """Start an operation on a cache; returns the one that is still running, and starts none, if any."""
        running = self.busy.get(path, "")
        self.busy.setdefault(path, operation)
        return running

    def end(self, path: str) -> None:
        """End the operation on a cache."""
        self.busy.pop(path, None)

    def record_freshness(self, check: FreshnessCheck) -> bool:
        """Record a comparison; returns False, and records none, if the cache was rebuilt meanwhile."""
        if check.stamp != stamp_of(check.path):
            return False
        self.freshness[check.path] = check.freshness
        return True

    def source_of(self, source: str) -> Path | None:
        """The file that a document was made from; None if it is unknown or does not exist."""
        root = self._source_folder()
        if root is None or not source:
            return None
        try:
            path = (root / file_of(source)).resolve()
            return path if path.is_relative_to(root) and path.is_file() else None
        except (OSError, ValueError, RuntimeError):  # an invalid file name, or a loop of links
            return None

    def _source_folder(self) -> Path | None:
        """The source folder of the open cache: the user's `--sources`, else that of the configuration."""
        if self._sources is not None:
            return Path(self._sources).resolve()
        if self.info is None or self.project.file is None:
            return None
        try:
            return self.project.cache_at(self.info.path).sources
        except CtxError:
            return None
