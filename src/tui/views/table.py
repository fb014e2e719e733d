"""Columns that are measured: figures take what they need and are never cut, texts share the rest.

Where texts do not have their least room, optional columns go, the last named first. Two rows in view
that would read the same, though they are not, show what tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from .spans import Line, Span, cropped, cropped_middle, cropped_start

if TYPE_CHECKING:
    from collections.abc import Sequence


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


class Measure(NamedTuple):
    """Columns that fit a width: the cells of each, 0 for one that is left out."""

    widths: tuple[int, ...]

    def at(self, x: int) -> int:
        """The index of the column at a cell of the line."""
        end = 1
        for index, cells in enumerate(self.widths):
            end += cells + 1 if cells else 0
            if x < end:
                return index
        return len(self.widths) - 1


def measure(columns: Sequence[Column], rows: Sequence[Row], width: int) -> Measure:
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
        widths[index] = max(4, column.least + spare * column.share // shares) if spare >= 0 else 0
    if spare < 0 and texts:
        for index in texts:
            widths[index] = max(4, room // len(texts))
    elif texts:
        widths[texts[0]] += room - sum(widths[index] for index in texts)
    return Measure(tuple(widths))


def _figure(column: Column, index: int, rows: Sequence[Row]) -> int:
    return max([column.least, cell_len(column.title), *(cell_len(row[index].text) for row in rows)])


def header(columns: Sequence[Column], measured: Measure, titles: Sequence[str] = ()) -> Line:
    """The names of the columns; `titles` replace them, such as one with the mark of an order."""
    names = titles or [column.title for column in columns]
    cells = [Cell(name, "dim") for name in names]
    return _line(columns, measured, cells)


def fit(columns: Sequence[Column], measured: Measure, rows: Sequence[Row]) -> list[Line]:
    """The rows in the widths of their columns, no two of them alike where their full texts are not."""
    texts = [index for index, column in enumerate(columns) if column.share and measured.widths[index]]
    readings: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(rows):
        reading = tuple(_cut(row[index], columns[index], measured.widths[index]) for index in texts)
        readings.setdefault(reading, []).append(number)
    alike = {number for numbers in readings.values() if len(numbers) > 1 for number in numbers}
    return [
        _line(columns, measured, _told_apart(row, texts, measured) if number in alike else row)
        for number, row in enumerate(rows)
    ]


def _told_apart(row: Row, texts: list[int], measured: Measure) -> Row:
    """The row with the end of its full text in the widest column that has one."""
    able = [index for index in texts if row[index].full]
    if not able:
        return row
    index = max(able, key=lambda index: measured.widths[index])
    cell = row[index]
    text = cropped_start(cell.full, measured.widths[index])
    return (*row[:index], Cell(text, cell.role), *row[index + 1 :])


def _cut(cell: Cell, column: Column, cells: int) -> str:
    text = "".join(text for text, _ in cell.spans) if cell.spans else cell.text
    return cropped_middle(text, cells) if column.middle else cropped(text, cells)


def _line(columns: Sequence[Column], measured: Measure, row: Sequence[Cell]) -> Line:
    line: Line = [(" ", "")]
    for column, cells, cell in zip(columns, measured.widths, row, strict=True):
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
