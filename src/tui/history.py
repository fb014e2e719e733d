"""The queries of earlier, kept for the next time in the user's state directory.

`$XDG_STATE_HOME/ctxcache/queries.jsonl`, one question a line, the newest last. Where it cannot
be written, the history lasts as long as the inspector. It never enters an answer.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from .question import Question

KEPT = 200


def default_place() -> Path | None:
    """Where the history is kept; None without a home directory."""
    base = os.environ.get("XDG_STATE_HOME", "")
    try:
        return Path(base or Path.home() / ".local" / "state", "ctxcache", "queries.jsonl")
    except RuntimeError:
        return None


class History:
    """Questions, the newest first, without repeats."""

    def __init__(self, place: Path | None = None) -> None:
        """Read what is kept at `place`; None keeps nothing."""
        self._place = place
        self.questions: list[Question] = _read(place) if place else []

    def add(self, question: Question) -> None:
        """Remember a question, as the newest."""
        query = question.query.strip()
        if not query or self.questions[:1] == [question]:
            return
        others = [known for known in self.questions if known.query.strip() != query]
        self.questions = [question, *others][:KEPT]
        self._write()

    def _write(self) -> None:
        """Keep it, whole or not at all; a state directory that refuses is no reason to stop."""
        if self._place is None:
            return
        lines = [json.dumps({"query": q.query, "budget": q.budget}) for q in reversed(self.questions)]
        beside = self._place.with_name(f"{self._place.name}.{os.getpid()}")
        try:
            self._place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            beside.replace(self._place)
        except OSError:
            self._place = None


def _read(place: Path) -> list[Question]:
    """What is kept, the newest first; lines that are not questions are passed over."""
    try:
        lines = place.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    found: dict[str, Question] = {}
    for line in reversed(lines):
        question = _question(line)
        if question:
            found.setdefault(question.query.strip(), question)
    return list(found.values())[:KEPT]


def _question(line: str) -> Question | None:
    try:
        fields = json.loads(line)
        query, budget = fields["query"], fields["budget"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if type(query) is not str or type(budget) is not int or budget < 0:
        return None
    return Question(query=query, budget=budget)
