"""What the parts of authoring tell each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from ...builder.freshness import Freshness
    from ...project.caches import Built
    from ...resolver.cache import Cache
    from ...resolver.changes import Changes
    from ...resolver.query_tests import Outcomes
    from ..shelf import Stamp


@dataclass
class Judged(Message):
    """A cache was held against its sources; None with a problem in words."""

    path: str
    stamp: Stamp | None
    """The build that was judged."""
    freshness: Freshness | None
    seconds: float = 0.0
    """How long it took."""
    problem: str = ""


@dataclass
class BuildAdvanced(Message):
    """A build has come so far, in bytes of its sources."""

    done: int
    total: int


@dataclass
class Rebuilt(Message):
    """A build ended; None with a problem in words."""

    path: str
    built: Built | None
    freshness: Freshness | None = None
    """How the cache stands to its sources now."""
    previous: Cache | None = None
    """The cache that was replaced, still open."""
    changes: Changes | None = None
    """The documents of the new one against it."""
    problem: str = ""


@dataclass
class Tested(Message):
    """The query tests were run; None with a problem in words."""

    outcomes: Outcomes | None
    problem: str = ""


@dataclass
class TestSaved(Message):
    """A query test was written, unless there is a problem."""

    __test__ = False  # pytest would take it for a test of its own

    file: str
    problem: str = ""
