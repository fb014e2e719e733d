"""Tables of documents: the ranking of a query, all documents of a cache, the differences of two answers."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...arguments import DEFAULT_BUDGET
from .spans import Cell, Column, Line, Row, Span, cropped_start, escaped, has_words, padded, slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...cache.documents import DocumentSummary
    from ...resolver.compare import Comparison, Difference
    from ...resolver.explain import RankedDocument

CHOSEN, LEFT_OUT = "●", "○"
BARS = "▇▆▅▄▃▂"
"""A height for each word of the query, which distinguishes the words without colour."""
BAR_WIDTH = 8
"""Cells of the bar of the first document."""
ARROW = "\u203a"
"""Between a title and its section."""
TITLE = f"title {ARROW} section"
RANKING_COLUMNS = (
    Column(title="#", align_right=True),
    Column(),
    Column(title=TITLE, share=5, min_width=18, crop_middle=True),
    Column(title="file", share=3, min_width=12, crop_middle=True),
    Column(title="words", min_width=BAR_WIDTH, optional=True),
    Column(title="score", align_right=True),
    Column(title="tokens", align_right=True),
    Column(align_right=True),
)
BOUNDARY = "the budget ends here"


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedRow:
    """One matching document, as a row of the ranking."""

    rank: int
    id: str
    title: str = ""
    source: str = ""
    score: str = ""
    score_share: float = 0.0
    """Its score divided by that of the first document."""
    tokens: int = 0
    index: int | None = None
    """Its index among the chosen documents, from 0; None if it is left out."""
    fits_from: int = 0
    """The smallest budget, in tokens, that chooses it."""
    next_budget: int = 0
    """The smallest budget from the present one on that chooses it; 0 where finding it takes too long."""
    needs_more: int = 0
    """`next_budget` less the present budget; 0 if the present budget chooses it."""
    shares: tuple[tuple[str, int], ...] = ()
    """(word of the query, the part of the score that it gives)."""
    copies: int = 1
    """The number of documents with this text."""
    fault: str = ""
    """Why the document cannot be read; empty if it can."""

    @property
    def is_chosen(self) -> bool:
        """Whether the document is part of the answer."""
        return self.index is not None


def ranking_titles(words: str) -> list[str]:
    """The titles of the columns; a filter by some words is named in the column of document titles."""
    filter_text = f", only with {escaped(words)}" if words else ""
    return [
        f"{column.title}{filter_text}" if column.title == TITLE else column.title
        for column in RANKING_COLUMNS
    ]


def row_cells(row: RankedRow, words: Mapping[str, int]) -> Row:
    """The cells of a row in the order of `RANKING_COLUMNS`; `words` are the indices of the query's words."""
    role = slot(row.index) if row.index is not None else "dim"
    soft = "" if row.is_chosen else "soft"
    full = escaped(row.id)
    mark = Cell(CHOSEN if row.is_chosen else LEFT_OUT, role)
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
        Cell(row.score.removeprefix("0"), soft),  # `.881` for `0.881`
        Cell(f"{row.tokens:,}"),
        Cell("" if row.is_chosen or not row.needs_more else f"+{row.needs_more:,}", "warn"),
    )


def section_title(title: str, id_: str) -> str:
    """The title and its section, an arrow between them; the last part of the id where there is no title."""
    return escaped(title).replace(" > ", f" {ARROW} ") or escaped(id_.rpartition("/")[2])


def word_bar(row: RankedRow, words: Mapping[str, int]) -> list[Span]:
    """A bar as long as the score, with the share of each word of the query in the colour of the word."""
    total = sum(value for _, value in row.shares)
    if not total:
        return []
    room = max(1, round(BAR_WIDTH * row.score_share))
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
    """The line below the last chosen document."""
    name = f" {BOUNDARY} " if width > len(BOUNDARY) + 8 else ""
    left = (width - len(name)) // 2
    return [("─" * left, "edge"), (name, "dim"), ("─" * (width - len(name) - left), "edge")]


COLUMNS = (
    Column(title="document", share=3, min_width=14, crop_middle=True, key="document"),
    Column(title="title", share=3, min_width=12, crop_middle=True, optional=True, key="title"),
    Column(title="tokens", align_right=True, min_width=len("tokens ▼"), key="tokens"),
    Column(title="words", align_right=True, min_width=len("words ▼"), key="words"),
)
KEYS = tuple(column.key for column in COLUMNS)
BINS = (50, 100, 200, 300, 450, 700, 1000, 2000, 4000)
"""Upper bounds of the histogram's bars, in tokens; the last bar is open."""
LARGE = (DEFAULT_BUDGET // 4, DEFAULT_BUDGET)
"""Tokens above which documents are counted as large: a quarter of the default budget, and all of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """The filter and the order of the table of documents."""

    words: str = ""
    """The filter: the id or the title contains each of these words."""
    column: str = "document"
    descending: bool = False

    def by(self, column: str) -> Order:
        """Sort by a column, numbers in descending order; the same column again reverses the order."""
        descending = not self.descending if column == self.column else column in ("tokens", "words")
        return replace(self, column=column, descending=descending)

    def next(self) -> Order:
        """Sort by the next column."""
        return self.by(KEYS[(KEYS.index(self.column) + 1) % len(KEYS)])

    def filtered(self, words: str) -> Order:
        """The same order with another filter."""
        return replace(self, words=words)


def filter_and_sort(summaries: Sequence[DocumentSummary], order: Order) -> list[DocumentSummary]:
    """The documents that pass the filter of an order, sorted by it; equal documents stay in id order."""
    words = order.words.strip()
    matching = [doc for doc in summaries if not words or has_words(f"{doc.id}\n{doc.title}", words)]
    if order.column == "title":
        return sorted(matching, key=lambda doc: doc.title.casefold(), reverse=order.descending)
    if order.column != "document":
        return sorted(matching, key=lambda doc: int(getattr(doc, order.column)), reverse=order.descending)
    return matching[::-1] if order.descending else matching


def column_titles(order: Order) -> list[str]:
    """The titles of the columns, with an arrow at the column that the table is sorted by."""
    arrow = " ▼" if order.descending else " ▲"
    return [column.title + (arrow if column.key == order.column else "") for column in COLUMNS]


def document_cells(summary: DocumentSummary) -> Row:
    """The cells of a document in the order of `COLUMNS`; a count of its copies is behind the title."""
    id_ = escaped(summary.id)
    copies = f"  = {1 + len(summary.aliases):,}" if summary.aliases else ""
    return (
        Cell(id_, full=id_),
        Cell(section_title(summary.title, "") + copies, "dim"),
        Cell(f"{summary.tokens:,}", "warn" if summary.tokens > LARGE[1] else ""),
        Cell(f"{summary.words:,}"),
    )


def size_counts(summaries: Iterable[DocumentSummary]) -> list[int]:
    """The number of documents in each of `BINS`, without empty bins at the end."""
    counts = [0] * (len(BINS) + 1)
    for summary in summaries:
        counts[bisect_left(BINS, summary.tokens)] += 1
    while len(counts) > 1 and not counts[-1]:
        counts.pop()
    return counts


def histogram(counts: Sequence[int], width: int) -> list[Line]:
    """A line for each bin: its upper bound, a bar, the number of documents."""
    labels = [f"≤ {most:,}" for most in BINS] + [f"> {BINS[-1]:,}"]
    figure = max([len(f"{number:,}") for number in counts])
    room, most = max(4, width - 10 - figure), max([*counts, 1])
    return [
        [(f"{label:>8} ", "dim"), ("█" * -(-number * room // most), "bar"), (f" {number:,}", "")]
        for label, number in zip(labels, counts, strict=False)
    ]


def folder_tokens(summaries: Iterable[DocumentSummary]) -> list[tuple[str, int]]:
    """(folder, tokens), the largest first; a folder with more than half of all tokens is split."""
    sums: dict[str, int] = defaultdict(int)
    for summary in summaries:
        *folders, _ = (summary.source or summary.id.partition("#")[0]).split("/")
        for depth in range(min(len(folders), 6) + 1):
            sums["/".join(folders[:depth])] += summary.tokens
    return sorted(_split(sums, "").items(), key=lambda item: (-item[1], item[0]))


def _split(sums: dict[str, int], folder: str) -> dict[str, int]:
    """Tokens by part of a folder; a part with more than half of all tokens is split in turn."""
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
    """The `most` largest folders as bars, the others as one, and the numbers of large documents."""
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
    for bound in LARGE:
        number = sum(summary.tokens > bound for summary in summaries)
        lines.append([(f"{number:,}", "warn" if number else ""), (f" above {bound:,} tokens", "dim")])
    return lines


FATES = {"entered": ("+", "good"), "left": ("-", "bad"), "moved": ("↕", "warn"), "kept": (" ", "dim")}
DIFFERENCE_COLUMNS = (
    Column(),
    Column(title="document", share=1, min_width=14, crop_middle=True),
    Column(title="before", align_right=True),
    Column(title="after", align_right=True),
    Column(title="change"),
)


def difference_cells(difference: Difference) -> Row:
    """The cells of a document in the order of `DIFFERENCE_COLUMNS`."""
    mark, role = FATES[difference.fate]
    id_ = escaped(difference.id)
    return (
        Cell(mark, role),
        Cell(id_, "" if difference.fate != "kept" else "soft", full=id_),
        Cell(_rank(difference.before)),
        Cell(_rank(difference.after)),
        Cell(_change(difference), role),
    )


def comparison_line(comparison: Comparison) -> Line:
    """The figures of the whole comparison."""
    before, after = comparison.before, comparison.after
    return [
        (f"{comparison.count('entered'):,} entered", "good"),
        (" · ", "dim"),
        (f"{comparison.count('left'):,} left", "bad"),
        (" · ", "dim"),
        (f"{comparison.count('moved'):,} moved", "warn"),
        (f" · {comparison.count('kept'):,} as before", "dim"),
        (f" · {before.tokens_used:,} → {after.tokens_used:,} tokens", ""),
        (f" ({after.tokens_used - before.tokens_used:+,})", "accent"),
    ]


def _rank(entry: RankedDocument | None) -> str:
    """`● 3` chosen at rank 3, `○ 3` ranked but left out, `no match`, `not there`."""
    if entry is None:
        return "not there"
    if entry.rank is None:
        return "no match"
    return f"{'●' if entry.chosen else '○'} {entry.rank:,}"


def _change(difference: Difference) -> str:
    """`entered`, `left`, `up 3`, `down 2`; empty for no change."""
    if difference.fate != "moved" or difference.before is None or difference.after is None:
        return "" if difference.fate == "kept" else difference.fate
    steps = (difference.before.rank or 0) - (difference.after.rank or 0)
    return f"{'up' if steps > 0 else 'down'} {abs(steps):,}"
