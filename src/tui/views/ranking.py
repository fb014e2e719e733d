"""The list of matching documents: rank, title and section, file, words, score, tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spans import Cell, Column, Line, Span, escaped, slot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .spans import Row as TableRow

CHOSEN, LEFT_OUT = "●", "○"
BARS = "▇▆▅▄▃▂"
"""A height for each word, so that they are told apart without colour."""
MOST_BAR = 8
"""Cells of the word bar of the first document."""
ARROW = "\u203a"
"""Between a title and its section."""
TITLE = f"title {ARROW} section"
COLUMNS = (
    Column(title="#", right=True),
    Column(),
    Column(title=TITLE, share=5, least=18, middle=True),
    Column(title="file", share=3, least=12, middle=True),
    Column(title="words", least=MOST_BAR, optional=True),
    Column(title="score", right=True),
    Column(title="tokens", right=True),
    Column(right=True),
)
BOUNDARY = "the budget ends here"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One matching document as the list shows it."""

    rank: int
    id: str
    title: str = ""
    source: str = ""
    score: str = ""
    part: float = 0.0
    """Its score against that of the first document."""
    tokens: int = 0
    index: int | None = None
    """Among the chosen, from 0; None when it is left out."""
    left: int = 0
    """Tokens that were left at its turn."""
    used: int = 0
    """Tokens used up to and with it, if chosen."""
    fits_from: int = 0
    """The smallest budget at which it is chosen."""
    next_budget: int = 0
    """The smallest one that is not below the present budget; 0 where finding it takes too long."""
    needs_more: int = 0
    """How much more that is."""
    shares: tuple[tuple[str, int], ...] = ()
    """What each word of the query gives it."""
    copies: int = 1
    """How many documents have this text."""
    fault: str = ""
    """Why it cannot be read."""

    @property
    def chosen(self) -> bool:
        """Whether the agent gets it."""
        return self.index is not None


def column_titles(words: str) -> list[str]:
    """The names of the columns; where only documents with some words are left, that of the titles says so."""
    told = f", only with {escaped(words)}" if words else ""
    return [f"{column.title}{told}" if column.title == TITLE else column.title for column in COLUMNS]


def row_cells(row: Row, words: Mapping[str, int]) -> TableRow:
    """One document; `words` gives the index of each word of the query."""
    role = slot(row.index) if row.index is not None else "dim"
    soft = "" if row.chosen else "soft"
    full = escaped(row.id)
    mark = Cell(CHOSEN if row.chosen else LEFT_OUT, role)
    if row.fault:
        blank = Cell("")
        title = Cell(f"{full} {escaped(row.fault)}", "bad", full=full)
        return (Cell(f"{row.rank:,}", "dim"), mark, title, *[blank] * 5)
    title_text = section_title(row.title, row.id) + (f"  = {row.copies:,}" if row.copies > 1 else "")
    return (
        Cell(f"{row.rank:,}", "dim"),
        mark,
        Cell(title_text, soft, full=full),
        Cell(escaped(row.source or row.id.partition("#")[0]), "dim", full=full),
        Cell("", spans=tuple(word_bar(row, words))),
        Cell(short_score(row.score), soft),
        Cell(f"{row.tokens:,}"),
        Cell("" if row.chosen or not row.needs_more else f"+{row.needs_more:,}", "warn"),
    )


def section_title(title: str, id_: str) -> str:
    """The title and its section, an arrow between them; the last part of the id where there is no title."""
    return escaped(title).replace(" > ", f" {ARROW} ") or escaped(id_.rpartition("/")[2])


def short_score(score: str) -> str:
    """`.881` for `0.881`, `1.000` as it is."""
    return score.removeprefix("0")


def word_bar(row: Row, words: Mapping[str, int]) -> list[Span]:
    """How much of its score each word of the query gives, in the words' colours; as long as its score."""
    total = sum(value for _, value in row.shares)
    if not total:
        return []
    room = max(1, round(MOST_BAR * row.part))
    spans, start, seen = [], 0, 0
    for label, value in sorted(row.shares, key=lambda share: words.get(share[0], len(words))):
        seen += value
        end = round(room * seen / total)
        index = words.get(label, len(words))
        if end > start:
            spans.append((BARS[index % len(BARS)] * (end - start), slot(index)))
        start = end
    return spans


def boundary(width: int) -> Line:
    """The line below the last document that is chosen."""
    name = f" {BOUNDARY} " if width > len(BOUNDARY) + 8 else ""
    left = (width - len(name)) // 2
    return [("─" * left, "edge"), (name, "dim"), ("─" * (width - len(name) - left), "edge")]
