"""Text with roles instead of colours, cut to cells and set in columns: what every view is made of.

A role is a word such as `dim` or `slot2`; `render` alone knows how it looks. Text that comes from
documents, names or queries enters a span through `escaped`.

Columns are measured: figures take what they need and are never cut, texts share the rest. Where texts do
not have their least room, optional columns go, the last named first. Two rows in view that would read the
same, though they are not, show what tells them apart.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, chop_cells, split_graphemes

from ...text.display import escape_control

if TYPE_CHECKING:
    from collections.abc import Sequence

Span = tuple[str, str]
"""A text and its role; the empty role is plain text."""
Line = list[Span]

SLOTS = 6
"""How many colours tell the chosen documents, and the words of a query, apart; they repeat in order."""


def escaped(text: str, *, limit: int = 2000) -> str:
    """Untrusted text on one line: safe, and cut where nobody would read on."""
    return escape_control(text[:limit]) + ("…" if len(text) > limit else "")


def has_words(text: str, words: str) -> bool:
    """Whether a text holds each of some words, or parts of words, in any case."""
    text = text.casefold()
    return all(word in text for word in words.casefold().split())


def slot(index: int) -> str:
    """The role of the chosen document, or of the word of the query, at an index from 0."""
    return f"slot{index % SLOTS + 1}"


def width(spans: Line) -> int:
    """Terminal cells that spans take."""
    return sum(cell_len(text) for text, _ in spans)


def padded(text: str, to: int) -> str:
    """`text` filled with spaces, or cut with an ellipsis, to exactly `to` cells."""
    cut = cropped(text, to)
    return cut + " " * (to - cell_len(cut))


def cropped(text: str, to: int) -> str:
    """`text` in at most `to` cells; an ellipsis stands for what was cut from its end."""
    if cell_len(text) <= to:
        return text
    return _head(text, to - 1) + "…" if to > 0 else ""


def cropped_middle(text: str, to: int) -> str:
    """`text` in at most `to` cells; an ellipsis stands for what was cut from its middle."""
    if cell_len(text) <= to:
        return text
    if to < 4:
        return cropped(text, to)
    end = _tail(text, to // 2)
    return _head(text, to - 1 - cell_len(end)) + "…" + end


def cropped_start(text: str, to: int) -> str:
    """`text` in at most `to` cells; an ellipsis stands for what was cut from its start."""
    if cell_len(text) <= to:
        return text
    return "…" + _tail(text, to - 1) if to > 0 else ""


def wrap(text: str, to: int) -> list[str]:
    """`text` in lines of at most `to` cells, at spaces where there are some; one line at least."""
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= to or not line:
            line = joined
        else:
            lines.append(line)
            line = word
        if cell_len(line) > max(2, to):
            *heads, line = chop_cells(line, max(2, to))
            lines += heads
    return [*lines, line]


def wrap_spans(spans: Line, to: int) -> list[Line]:
    """Spans in lines of at most `to` cells, cut at the spaces in them."""
    lines: list[Line] = [[]]
    room = to
    for text, role in spans:
        for word in re.findall(r" *[^ ]+| +", text):  # each with the spaces before it
            cells = cell_len(word)
            if cells > room and lines[-1]:
                lines.append([])
                room = to
                word = word.lstrip(" ")
                cells = cell_len(word)
            for number, part in enumerate(wrap(word, room) if cells > room else [word]):
                if number:
                    lines.append([])
                    room = to
                lines[-1].append((part, role))
                room -= cell_len(part)
    return lines


def _head(text: str, to: int) -> str:
    """The longest beginning of at most `to` cells."""
    if text.isascii():
        return text[:to]
    for start, _, cells in split_graphemes(text)[0]:
        to -= cells
        if to < 0:
            return text[:start]
    return text


def _tail(text: str, to: int) -> str:
    """The longest end of at most `to` cells."""
    if text.isascii():
        return text[max(0, len(text) - to) :]
    for _, end, cells in reversed(split_graphemes(text)[0]):
        to -= cells
        if to < 0:
            return text[end:]
    return text


def count(number: int, noun: str) -> str:
    """`1 document`, `1,204 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Bytes for people: `812 B`, `4.2 kB`, `1.3 GB`."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """How one column is measured."""

    title: str = ""
    share: int = 0
    """Of the room that figures leave; 0 for a figure, which is as wide as its widest cell."""
    least: int = 0
    """Cells without which a text tells nothing; of a figure, those that it has whatever is in it."""
    right: bool = False
    middle: bool = False
    """Whether a text that is too long is cut in its middle rather than at its end."""
    optional: bool = False
    key: str = ""
    """What a click on its title sorts by."""


class Cell(NamedTuple):
    """What stands in a column of one row."""

    text: str
    role: str = ""
    spans: tuple[Span, ...] = ()
    """Instead of the text, where it has several roles."""
    full: str = ""
    """What tells this row from others whose cells are cut to the same; see `fit`."""


Row = tuple[Cell, ...]


Widths = tuple[int, ...]
"""The cells of each column, 0 for one that is left out."""


def column_at(widths: Widths, x: int) -> int:
    """The index of the column at a cell of the line."""
    end = 1
    for index, cells in enumerate(widths):
        end += cells + 1 if cells else 0
        if x < end:
            return index
    return len(widths) - 1


def measure(columns: Sequence[Column], rows: Sequence[Row], width: int) -> Widths:
    """Share a width among columns, for rows that are in view."""
    widths = [_figure(column, index, rows) if not column.share else 0 for index, column in enumerate(columns)]
    texts = [index for index, column in enumerate(columns) if column.share]
    optional = [index for index, column in enumerate(columns) if column.optional]
    while True:
        room = width - 1 - sum(cells + 1 for cells in widths if cells) - len(texts)
        spare = room - sum(columns[index].least for index in texts)
        if spare >= 0 or not optional:
            break
        index = optional.pop()
        widths[index] = 0
        if index in texts:
            texts.remove(index)
    shares = sum(columns[index].share for index in texts)
    for index in texts:
        column = columns[index]
        part = column.least + spare * column.share // shares if spare >= 0 else room // len(texts)
        widths[index] = max(4, part)
    if spare >= 0 and texts:
        widths[texts[0]] += room - sum(widths[index] for index in texts)
    return tuple(widths)


def _figure(column: Column, index: int, rows: Sequence[Row]) -> int:
    return max([column.least, cell_len(column.title), *(cell_len(row[index].text) for row in rows)])


def header(columns: Sequence[Column], widths: Widths, titles: Sequence[str] = ()) -> Line:
    """The names of the columns; `titles` replace them, such as one with the mark of an order."""
    names = titles or [column.title for column in columns]
    cells = [Cell(name, "dim") for name in names]
    return _line(columns, widths, cells)


def fit(columns: Sequence[Column], widths: Widths, rows: Sequence[Row]) -> list[Line]:
    """The rows in the widths of their columns, no two of them alike where their full texts are not."""
    texts = [index for index, column in enumerate(columns) if column.share and widths[index]]
    cells = [tuple(_cut(row[index], columns[index], widths[index]) for index in texts) for row in rows]
    times = Counter(cells)
    return [
        _line(columns, widths, _told_apart(row, texts, widths) if times[texts_shown] > 1 else row)
        for row, texts_shown in zip(rows, cells, strict=True)
    ]


def _told_apart(row: Row, texts: list[int], widths: Widths) -> Row:
    """The row with the end of its full text in the widest column that has one."""
    able = [index for index in texts if row[index].full]
    if not able:
        return row
    index = max(able, key=widths.__getitem__)
    cell = row[index]
    text = cropped_start(cell.full, widths[index])
    return (*row[:index], Cell(text, cell.role), *row[index + 1 :])


def _cut(cell: Cell, column: Column, cells: int) -> str:
    text = "".join(text for text, _ in cell.spans) if cell.spans else cell.text
    return cropped_middle(text, cells) if column.middle else cropped(text, cells)


def _line(columns: Sequence[Column], widths: Widths, row: Sequence[Cell]) -> Line:
    line: Line = [(" ", "")]
    for column, cells, cell in zip(columns, widths, row, strict=True):
        if not cells:
            continue
        text = _cut(cell, column, cells)
        space = " " * (cells - cell_len(text))
        if column.right and space:
            line.append((space, ""))
        line += cell.spans or [(text, cell.role)]
        line.append((f"{'' if column.right else space} ", ""))
    return merged(line)


def merged(line: Line) -> Line:
    """The same line with neighbours of one role joined: fewer sequences for the terminal."""
    spans: Line = []
    for text, role in line:
        if not text:
            continue
        if spans and (spans[-1][1] == role or (not text.strip() and role == "")):
            spans[-1] = (spans[-1][0] + text, spans[-1][1])
        else:
            spans.append((text, role))
    return spans
