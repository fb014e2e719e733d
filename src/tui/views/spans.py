"""Text with roles instead of colours, cut to cells and set in columns: what every view is made of.

A role is a word such as `dim` or `slot2`; `render` alone knows how it looks. Text that comes from
documents, names or queries enters a span through `escaped`.

A column of figures is as wide as its widest cell and is never cut; columns of texts share the rest of the
width. Where a text would get less than its minimum, optional columns are left out, the last one first. Two
rows in view whose texts are cut to the same characters show the ends of their texts instead.
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
"""The number of colours of chosen documents and of words of a query; they repeat in this order."""


def escaped(text: str, *, limit: int = 2000) -> str:
    """Untrusted text on one line, without control characters, cut after `limit` characters."""
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


def padded(text: str, limit: int) -> str:
    """`text` filled with spaces, or cut with an ellipsis, to exactly `limit` cells."""
    cut = cropped(text, limit)
    return cut + " " * (limit - cell_len(cut))


def cropped(text: str, limit: int) -> str:
    """`text` in at most `limit` cells; an ellipsis stands for what was cut from its end."""
    if cell_len(text) <= limit:
        return text
    return _head(text, limit - 1) + "…" if limit > 0 else ""


def cropped_middle(text: str, limit: int) -> str:
    """`text` in at most `limit` cells; an ellipsis stands for what was cut from its middle."""
    if cell_len(text) <= limit:
        return text
    if limit < 4:
        return cropped(text, limit)
    end = _tail(text, limit // 2)
    return _head(text, limit - 1 - cell_len(end)) + "…" + end


def cropped_start(text: str, limit: int) -> str:
    """`text` in at most `limit` cells; an ellipsis stands for what was cut from its start."""
    if cell_len(text) <= limit:
        return text
    return "…" + _tail(text, limit - 1) if limit > 0 else ""


def wrap(text: str, limit: int) -> list[str]:
    """`text` in lines of at most `limit` cells, at spaces where there are some; one line at least."""
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= limit or not line:
            line = joined
        else:
            lines.append(line)
            line = word
        if cell_len(line) > max(2, limit):
            *heads, line = chop_cells(line, max(2, limit))
            lines += heads
    return [*lines, line]


def wrap_spans(spans: Line, limit: int) -> list[Line]:
    """Spans in lines of at most `limit` cells, cut at the spaces in them."""
    lines: list[Line] = [[]]
    room = limit
    for text, role in spans:
        for word in re.findall(r" *[^ ]+| +", text):  # each with the spaces before it
            cells = cell_len(word)
            if cells > room and lines[-1]:
                lines.append([])
                room = limit
                word = word.lstrip(" ")
                cells = cell_len(word)
            for number, part in enumerate(wrap(word, room) if cells > room else [word]):
                if number:
                    lines.append([])
                    room = limit
                lines[-1].append((part, role))
                room -= cell_len(part)
    return lines


def _head(text: str, limit: int) -> str:
    """The longest beginning of at most `limit` cells."""
    if text.isascii():
        return text[:limit]
    for start, _, cells in split_graphemes(text)[0]:
        limit -= cells
        if limit < 0:
            return text[:start]
    return text


def _tail(text: str, limit: int) -> str:
    """The longest end of at most `limit` cells."""
    if text.isascii():
        return text[max(0, len(text) - limit) :]
    for _, end, cells in reversed(split_graphemes(text)[0]):
        limit -= cells
        if limit < 0:
            return text[end:]
    return text


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
    """How one column is measured and drawn."""

    title: str = ""
    share: int = 0
    """Its part of the width that figures leave to texts; 0 for a column of figures."""
    min_width: int = 0
    """In cells."""
    align_right: bool = False
    crop_middle: bool = False
    """Whether a text that is too long is cut in its middle rather than at its end."""
    optional: bool = False
    key: str = ""
    """The column that a click on the title sorts by; empty if a click does nothing."""


class Cell(NamedTuple):
    """The content of one column of one row."""

    text: str
    role: str = ""
    spans: tuple[Span, ...] = ()
    """Drawn instead of `text`, where the text has several roles."""
    full: str = ""
    """The whole text, which `fit` shows the end of where two rows are cut to the same characters."""


Row = tuple[Cell, ...]
Widths = tuple[int, ...]
"""The cells of each column, 0 for one that is left out."""


def column_at(widths: Widths, x: int) -> int:
    """The index of the column at the cell `x` of a line, from 0."""
    end = 1
    for index, cells in enumerate(widths):
        end += cells + 1 if cells else 0
        if x < end:
            return index
    return len(widths) - 1


def measure(columns: Sequence[Column], rows: Sequence[Row], width: int) -> Widths:
    """The width of each column, for a line of `width` cells and the rows in view."""
    widths = [
        _figure_width(column, index, rows) if not column.share else 0 for index, column in enumerate(columns)
    ]
    texts = [index for index, column in enumerate(columns) if column.share]
    optional = [index for index, column in enumerate(columns) if column.optional]
    while True:
        room = width - 1 - sum(cells + 1 for cells in widths if cells) - len(texts)
        spare = room - sum(columns[index].min_width for index in texts)
        if spare >= 0 or not optional:
            break
        index = optional.pop()
        widths[index] = 0
        if index in texts:
            texts.remove(index)
    shares = sum(columns[index].share for index in texts)
    for index in texts:
        column = columns[index]
        cells = column.min_width + spare * column.share // shares if spare >= 0 else room // len(texts)
        widths[index] = max(4, cells)
    if spare >= 0 and texts:
        widths[texts[0]] += room - sum(widths[index] for index in texts)
    return tuple(widths)


def _figure_width(column: Column, index: int, rows: Sequence[Row]) -> int:
    return max([column.min_width, cell_len(column.title), *(cell_len(row[index].text) for row in rows)])


def header(columns: Sequence[Column], widths: Widths, titles: Sequence[str] = ()) -> Line:
    """The header line; `titles`, one a column, replace the titles of the columns."""
    names = titles or [column.title for column in columns]
    return _line(columns, widths, [Cell(name, "dim") for name in names])


def fit(columns: Sequence[Column], widths: Widths, rows: Sequence[Row]) -> list[Line]:
    """A line for each row; two lines with the same texts show the ends of the full texts instead."""
    texts = [index for index, column in enumerate(columns) if column.share and widths[index]]
    cut = [tuple(_cut(row[index], columns[index], widths[index]) for index in texts) for row in rows]
    times = Counter(cut)
    return [
        _line(columns, widths, _distinct_row(row, texts, widths) if times[cut_texts] > 1 else row)
        for row, cut_texts in zip(rows, cut, strict=True)
    ]


def _distinct_row(row: Row, texts: list[int], widths: Widths) -> Row:
    """The row with the end of the full text in the widest column that has one."""
    index = max((index for index in texts if row[index].full), key=widths.__getitem__, default=None)
    if index is None:
        return row
    text = cropped_start(row[index].full, widths[index])
    return (*row[:index], Cell(text, row[index].role), *row[index + 1 :])


def _cut(cell: Cell, column: Column, cells: int) -> str:
    text = "".join(text for text, _ in cell.spans) if cell.spans else cell.text
    return cropped_middle(text, cells) if column.crop_middle else cropped(text, cells)


def _line(columns: Sequence[Column], widths: Widths, row: Sequence[Cell]) -> Line:
    line: Line = [(" ", "")]
    for column, cells, cell in zip(columns, widths, row, strict=True):
        if not cells:
            continue
        text = _cut(cell, column, cells)
        space = " " * (cells - cell_len(text))
        if column.align_right and space:
            line.append((space, ""))
        line += cell.spans or [(text, cell.role)]
        line.append((f"{'' if column.align_right else space} ", ""))
    return _merge_roles(line)


def _merge_roles(line: Line) -> Line:
    """The same line with neighbouring spans of one role joined: fewer sequences for the terminal."""
    spans: Line = []
    for text, role in line:
        if not text:
            continue
        if spans and (spans[-1][1] == role or (not text.strip() and role == "")):
            spans[-1] = (spans[-1][0] + text, spans[-1][1])
        else:
            spans.append((text, role))
    return spans
