"""XLSX as Markdown: a text a sheet, a section some rows, each under the row of the column names.

Runs in the process that converts. Values stand as they were saved: nothing is calculated.
"""

from __future__ import annotations

import io
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

import openpyxl  # type: ignore[import-untyped]  # it has no types

from .convert import LARGEST_TEXT, TooLarge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SECTION_CHARACTERS = 750
"""Of the rows in a section: about 240 tokens; with the column names below the limit of 300."""

Row = tuple[int, dict[int, str]]
"""The number of a row in its sheet, and its cells by column: a row may have one cell, in column 16,384."""


def read_spreadsheet(data: bytes) -> dict[str, Any]:
    """The `title` of a workbook, and `name` and `markdown` of its `sheets`.

    Raises `TooLarge`, and what openpyxl raises.
    """
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    sheets, left = [], LARGEST_TEXT
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what a file says of its size may be far from true
        markdown = _joined(_sheet(sheet.iter_rows()), left)
        left -= len(markdown)
        sheets.append({"name": _one_line(sheet.title), "markdown": markdown})
    return {"title": (book.properties.title or "").strip(), "sheets": sheets}


def _joined(lines: Iterable[str], most: int) -> str:
    """The lines as one text. Raises `TooLarge` when it has more than `most` characters.

    Each section repeats the names of the columns, so that a small file could become any amount.
    """
    taken, size = [], 0
    for line in lines:
        taken.append(line)
        size += len(line) + 1
        if size > most:
            raise TooLarge
    return "\n".join(taken)


def _sheet(cells: Iterable[Iterable[Any]]) -> Iterator[str]:
    """The lines of a sheet: what stands above its table, then its rows; none for an empty sheet."""
    rows = list(_filled(cells))
    above = next((index for index, (_, row) in enumerate(rows) if len(row) > 1), len(rows))
    yield from (_escaped(" ".join(row.values())) for _, row in rows[:above])
    if above < len(rows):
        columns = sorted({column for _, row in rows[above:] for column in row})
        (_, header), *body = rows[above:]
        for part in _parts(body, len(columns)) if body else [[]]:
            yield ""
            yield from _section(columns, header, part)


def _filled(cells: Iterable[Iterable[Any]]) -> Iterator[Row]:
    """The rows in which something stands."""
    for number, row in enumerate(cells, start=1):
        texts = {column: text for column, cell in enumerate(row) if (text := _text(cell))}
        if texts:
            yield number, texts


def _parts(rows: list[Row], columns: int) -> Iterator[list[Row]]:
    """The rows in groups of about `SECTION_CHARACTERS`, at least one row each."""
    part: list[Row] = []
    size = 0
    for row in rows:
        length = sum(map(len, row[1].values())) + 3 * columns
        if part and size + length > SECTION_CHARACTERS:
            yield part
            part, size = [], 0
        part.append(row)
        size += length
    yield part


def _section(columns: list[int], header: dict[int, str], rows: list[Row]) -> Iterator[str]:
    """Some rows under the names of their columns."""
    if rows:
        first, last = rows[0][0], rows[-1][0]
        yield f"# Row {first}" if first == last else f"# Rows {first} to {last}"
        yield ""
    yield _table_row([header.get(column, "") for column in columns])
    yield _table_row(["---"] * len(columns))
    for _, row in rows:
        yield _table_row([row.get(column, "") for column in columns])


def _table_row(cells: list[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """A cell in one line, without what would end it."""
    return _one_line(text).replace("|", "\\|")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _text(cell: Any) -> str:
    """A value as a person reads it: no time in a date, no `.0` in a whole number, a share as percents."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, float):
        percent = "%" in (cell.number_format or "")
        return f"{value * 100 if percent else value:.12g}{' %' if percent else ''}"
    return str(value)
