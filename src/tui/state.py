"""What is asked, and what the user's state directory keeps: earlier questions, the theme, reports of errors.

`$XDG_STATE_HOME/ctxcache/queries.jsonl` has one question a line, the newest last; `theme` a name. Where it
cannot be written, what is remembered lasts as long as the inspector. Nothing of it enters an answer.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

from ..arguments import DEFAULT_BUDGET, LARGEST_BUDGET
from ..resolver.budget import USUAL_BUDGETS
from ..safeio import read_bytes


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
