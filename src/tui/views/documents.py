"""Documents as tables: those that match a query, in order, and all of a cache, filtered and sorted."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...arguments import DEFAULT_BUDGET
from .spans import Cell, Column, Line, Span, cropped_start, escaped, has_words, padded, slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...cache.documents import DocumentSummary
    from .spans import Row

CHOSEN, LEFT_OUT = "●", "○"
BARS = "▇▆▅▄▃▂"
"""A height for each word, so that they are told apart without colour."""
MOST_BAR = 8
"""Cells of the word bar of the first document."""
ARROW = "\u203a"
"""Between a title and its section."""
TITLE = f"title {ARROW} section"
RANKING_COLUMNS = (
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
class RankedRow:
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


def ranking_titles(words: str) -> list[str]:
    """The names of the columns; where only documents with some words are left, that of the titles says so."""
    filter_text = f", only with {escaped(words)}" if words else ""
    return [
        f"{column.title}{filter_text}" if column.title == TITLE else column.title
        for column in RANKING_COLUMNS
    ]


def row_cells(row: RankedRow, words: Mapping[str, int]) -> Row:
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


def word_bar(row: RankedRow, words: Mapping[str, int]) -> list[Span]:
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


COLUMNS = (
    Column(title="document", share=3, least=14, middle=True, key="document"),
    Column(title="title", share=3, least=12, middle=True, optional=True, key="title"),
    Column(title="tokens", right=True, least=len("tokens ▼"), key="tokens"),
    Column(title="words", right=True, least=len("words ▼"), key="words"),
)
KEYS = tuple(column.key for column in COLUMNS)
BINS = (50, 100, 200, 300, 450, 700, 1000, 2000, 4000)
"""Upper bounds of the histogram's bars, in tokens; the last bar is open."""
LARGE = (DEFAULT_BUDGET // 4, DEFAULT_BUDGET)
"""Tokens above which a document is told of: it costs a quarter, or all, of a usual budget."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """Which documents are shown, and in which order."""

    words: str = ""
    """Each must stand in the id or the title."""
    column: str = "document"
    descending: bool = False

    def by(self, column: str) -> Order:
        """Sorted by a column; by the same once more turns it round. Numbers start with the largest."""
        turned = not self.descending if column == self.column else column in ("tokens", "words")
        return replace(self, column=column, descending=turned)

    def next(self) -> Order:
        """Sorted by the column after."""
        return self.by(KEYS[(KEYS.index(self.column) + 1) % len(KEYS)])

    def filtered(self, words: str) -> Order:
        """The same order of other documents."""
        return replace(self, words=words)


def arranged(summaries: Sequence[DocumentSummary], order: Order) -> list[DocumentSummary]:
    """The documents that an order shows; those that are equal stay in id order."""
    words = order.words.strip()
    matching = [each for each in summaries if not words or has_words(f"{each.id}\n{each.title}", words)]
    if order.column == "title":
        return sorted(matching, key=lambda each: each.title.casefold(), reverse=order.descending)
    if order.column != "document":
        return sorted(matching, key=lambda each: int(getattr(each, order.column)), reverse=order.descending)
    return matching[::-1] if order.descending else matching


def titles(order: Order) -> list[str]:
    """The names of the columns, that of the order marked."""
    arrow = " ▼" if order.descending else " ▲"
    return [column.title + (arrow if column.key == order.column else "") for column in COLUMNS]


def document_cells(summary: DocumentSummary) -> Row:
    """One document."""
    id_ = escaped(summary.id)
    copies = f"  = {1 + len(summary.aliases):,}" if summary.aliases else ""
    return (
        Cell(id_, full=id_),
        Cell(section_title(summary.title, "") + copies, "dim"),
        Cell(f"{summary.tokens:,}", "warn" if summary.tokens > LARGE[1] else ""),
        Cell(f"{summary.words:,}"),
    )


def size_counts(summaries: Iterable[DocumentSummary]) -> list[int]:
    """How many documents there are of each size in tokens, empty ends left out."""
    counts = [0] * (len(BINS) + 1)
    for summary in summaries:
        counts[bisect_left(BINS, summary.tokens)] += 1
    while len(counts) > 1 and not counts[-1]:
        counts.pop()
    return counts


def histogram(counts: Sequence[int], width: int) -> list[Line]:
    """The sizes of the documents as bars, a line each."""
    labels = [f"≤ {most:,}" for most in BINS] + [f"> {BINS[-1]:,}"]
    figure = max([len(f"{number:,}") for number in counts])
    room, most = max(4, width - 10 - figure), max([*counts, 1])
    return [
        [(f"{label:>8} ", "dim"), ("█" * -(-number * room // most), "bar"), (f" {number:,}", "")]
        for label, number in zip(labels, counts, strict=False)
    ]


def folder_tokens(summaries: Iterable[DocumentSummary]) -> list[tuple[str, int]]:
    """(folder, tokens) of the folders that hold most, each split while it holds more than half of all."""
    sums: dict[str, int] = defaultdict(int)
    for summary in summaries:
        *folders, _ = (summary.source or summary.id.partition("#")[0]).split("/")
        for depth in range(min(len(folders), 6) + 1):
            sums["/".join(folders[:depth])] += summary.tokens
    return sorted(_split(sums, "").items(), key=lambda item: (-item[1], item[0]))


def _split(sums: dict[str, int], folder: str) -> dict[str, int]:
    """A folder's parts, where one of them is still more than half of all tokens its own parts."""
    prefix = f"{folder}/" if folder else ""
    below = {
        name: tokens
        for name, tokens in sums.items()
        if name and name.startswith(prefix) and "/" not in name[len(prefix) :] and name != folder
    }
    parts: dict[str, int] = {}
    for name, tokens in below.items():
        parts |= _split(sums, name) if 2 * tokens > sums[""] else {f"{name}/": tokens}
    rest = sums[folder] - sum(below.values())
    return parts | ({prefix or "./": rest} if rest else {})


def folder_lines(summaries: Sequence[DocumentSummary], width: int, most: int) -> list[Line]:
    """Where the tokens of a cache lie: its folders as bars; and how many documents are large."""
    folders = folder_tokens(summaries)
    first, rest = folders[:most], folders[most:]
    if rest:
        first.append((f"{len(rest):,} others", sum(tokens for _, tokens in rest)))
    total = max(1, sum(tokens for _, tokens in folders))
    label = min(max([len(escaped(name)) for name, _ in first], default=4), max(8, width // 2 - 4))
    figure = max([len(f"{tokens:,}") for _, tokens in first], default=1)
    room = max(3, width - label - figure - 7)
    largest = max([tokens for _, tokens in first], default=1) or 1
    lines: list[Line] = [
        [
            (padded(cropped_start(escaped(name), label), label) + " ", "dim"),
            (padded("█" * -(-tokens * room // largest), room), "bar"),
            (f" {tokens:>{figure},}", ""),
            (f"{100 * tokens // total:>3} %", "dim"),
        ]
        for name, tokens in first
    ]
    return [*lines, *_large(summaries)]


def _large(summaries: Iterable[DocumentSummary]) -> list[Line]:
    tokens = [summary.tokens for summary in summaries]
    numbers = [sum(size > bound for size in tokens) for bound in LARGE]
    return [
        [(f"{number:,}", "warn" if number else ""), (f" above {bound:,} tokens", "dim")]
        for number, bound in zip(numbers, LARGE, strict=True)
    ]
