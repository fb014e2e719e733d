"""The documents of a cache as a table, filtered and sorted, and where their tokens lie."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...arguments import DEFAULT_BUDGET
from .ranking import section_title
from .spans import Cell, Column, Line, cropped_start, escaped, has_words, padded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...cache.documents import DocumentSummary
    from .spans import Row

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
        return Order(words=self.words, column=column, descending=turned)

    def next(self) -> Order:
        """Sorted by the column after."""
        return self.by(KEYS[(KEYS.index(self.column) + 1) % len(KEYS)])

    def filtered(self, words: str) -> Order:
        """The same order of other documents."""
        return Order(words=words, column=self.column, descending=self.descending)


def arranged(summaries: Sequence[DocumentSummary], order: Order) -> list[DocumentSummary]:
    """The documents that an order shows; those that are equal stay in id order."""
    words = order.words.strip()
    found = [each for each in summaries if not words or has_words(f"{each.id}\n{each.title}", words)]
    if order.column == "title":
        return sorted(found, key=lambda each: each.title.casefold(), reverse=order.descending)
    if order.column != "document":
        return sorted(found, key=lambda each: int(getattr(each, order.column)), reverse=order.descending)
    return found[::-1] if order.descending else found


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
    shown, rest = folders[:most], folders[most:]
    if rest:
        shown.append((f"{len(rest):,} others", sum(tokens for _, tokens in rest)))
    total = max(1, sum(tokens for _, tokens in folders))
    label = min(max([len(escaped(name)) for name, _ in shown], default=4), max(8, width // 2 - 4))
    figure = max([len(f"{tokens:,}") for _, tokens in shown], default=1)
    room = max(3, width - label - figure - 7)
    largest = max([tokens for _, tokens in shown], default=1) or 1
    lines: list[Line] = [
        [
            (padded(cropped_start(escaped(name), label), label) + " ", "dim"),
            (padded("█" * -(-tokens * room // largest), room), "bar"),
            (f" {tokens:>{figure},}", ""),
            (f"{100 * tokens // total:>3} %", "dim"),
        ]
        for name, tokens in shown
    ]
    return [*lines, *_large(summaries)]


def _large(summaries: Iterable[DocumentSummary]) -> list[Line]:
    tokens = [summary.tokens for summary in summaries]
    numbers = [sum(size > bound for size in tokens) for bound in LARGE]
    return [
        [(f"{number:,}", "warn" if number else ""), (f" above {bound:,} tokens", "dim")]
        for number, bound in zip(numbers, LARGE, strict=True)
    ]
