"""What the parts of the inspector tell each other: one fact or one wish each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from ..builder.verification import Verification
    from ..cache.documents import Document, DocumentSummary
    from ..resolver.cache import Cache
    from ..resolver.comparison import Comparison
    from .answered import Answered, Row
    from .calls import Exchange
    from .lines import Layout, Page
    from .listing import Order
    from .reasons import Why
    from .scope_lines import Scope
    from .shelf import Shelf, Volume


@dataclass
class QueryTyped(Message):
    """Somebody is typing a query."""

    query: str


@dataclass
class ReadAsked(Message):
    """The highlighted document is to be opened."""


@dataclass
class BudgetTyped(Message):
    """Somebody typed a budget, which may not be one."""

    text: str


@dataclass
class BudgetEntered(Message):
    """Somebody is done with the budget."""


@dataclass
class BudgetRefused(Message):
    """What was typed is no budget; `problem` says what one is, and is empty when it is one again."""

    problem: str


@dataclass
class BudgetStepped(Message):
    """The budget is to go some steps up or down."""

    steps: int


@dataclass
class RankPicked(Message):
    """A document was picked by its rank, from the bar."""

    rank: int


@dataclass
class ExamplePicked(Message):
    """An example was picked, to be asked as it stands."""

    query: str


@dataclass
class ColumnPicked(Message):
    """A column's name was clicked."""

    column: str


@dataclass
class ShelfRead(Message):
    """The caches were looked at."""

    shelf: Shelf


@dataclass
class ScopesRead(Message):
    """The contexts of the project's directories were looked at."""

    scopes: tuple[Scope, ...]
    seconds: float = 0.0
    """How long it took."""


@dataclass
class ScopeRead(Message):
    """The context of a directory was read."""

    text: str
    state: str
    changes: tuple[str, ...] = ()
    """What made it stale or invalid, a line each."""


@dataclass
class CacheOpened(Message):
    """A cache was opened, perhaps once more; None with a problem in words."""

    volume: Volume
    cache: Cache | None
    titles: tuple[str, ...] = ()
    """Some titles of its documents, to ask for."""
    problem: str = ""


@dataclass
class Resolved(Message):
    """An answer is there, with the rows in view."""

    answered: Answered
    rows: list[Row]
    why: Why | None
    """Why the highlighted document stands where it does; None when nothing matches."""


@dataclass
class Refused(Message):
    """A question has no answer; `problem` says why, in a sentence."""

    sequence: int
    problem: str


@dataclass
class RowsRead(Message):
    """Rows of an answer were read."""

    sequence: int
    rows: list[Row]


@dataclass
class WhyFound(Message):
    """The reasons for one document are there; None with a problem in words."""

    sequence: int
    document: int | str
    """What was asked for: a rank or an id."""
    why: Why | None
    problem: str = ""


@dataclass
class Weighed(Message):
    """The answer's tokens on the wire were counted."""

    sequence: int
    tokens: int


@dataclass
class Verified(Message):
    """A cache was checked; None with a problem in words."""

    name: str
    path: str
    verification: Verification | None
    problem: str = ""


@dataclass
class HeadingsRead(Message):
    """Documents of a cache were listed; more may follow."""

    headings: list[DocumentSummary]
    sizes: list[int]
    """How many there are of each size; see `listing.BINS`."""
    problem: str = ""


@dataclass
class Arranged(Message):
    """Documents were filtered and sorted."""

    order: Order
    headings: list[DocumentSummary]


@dataclass
class PageLaid(Message):
    """A text was cut into rows."""

    layout: Layout


@dataclass
class DocumentRead(Message):
    """A document was read; None with a problem in words."""

    id: str
    document: Document | None
    page: Page | None
    rendered: str = ""
    """The text as Markdown; empty where it is none, or too long to be rendered in no time."""
    problem: str = ""


@dataclass
class Exchanged(Message):
    """A call was made for the agent's view; None with a problem in words."""

    exchange: Exchange | None
    problem: str = ""


@dataclass
class SideChanged(Message):
    """One side of a comparison asks something else."""


@dataclass
class Compared(Message):
    """Two answers were compared; None with a problem in words."""

    sequence: int
    comparison: Comparison | None
    problem: str = ""
