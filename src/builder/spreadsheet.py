"""XLSX as Markdown: a text a sheet, a section some rows, each under the row of the column names.

Runs in the process that converts. Values stand as they were saved: nothing is calculated.
"""

from __future__ import annotations

import io
from datetime import date, datetime, time
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import openpyxl  # type: ignore[import-untyped]  # it has no types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SECTION_CHARACTERS = 750
"""Of the rows in a section: about 240 tokens; with the column names below the limit of 300."""

Row = tuple[int, list[str]]
"""The number of a row in its sheet, and its cells."""


def read_spreadsheet(data: bytes) -> dict[str, Any]:
    """The `title` of a workbook, and `name` and `markdown` of its `sheets`. Raises what openpyxl raises."""
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    sheets = [
        {"name": _one_line(sheet.title), "markdown": "\n".join(_sheet(sheet.iter_rows()))}
        for sheet in book.worksheets
    ]
    return {"title": (book.properties.title or "").strip(), "sheets": sheets}


def _sheet(cells: Iterable[Iterable[Any]]) -> list[str]:
    """The lines of a sheet: what stands above its table, then its rows; none for an empty sheet."""
    rows = [(number, [_text(cell) for cell in row]) for number, row in enumerate(cells, start=1)]
    rows = [(number, row) for number, row in rows if any(row)]
    if not rows:
        return []
    above = next((index for index, (_, row) in enumerate(rows) if sum(map(bool, row)) > 1), len(rows))
    lines = [_escaped(" ".join(filter(None, row))) for _, row in rows[:above]]
    if above < len(rows):
        (_, header), *body = _without_empty_columns(rows[above:])
        for part in _parts(body) if body else [[]]:
            lines += ["", *_section(header, part)]
    return lines


def _without_empty_columns(rows: list[Row]) -> list[Row]:
    """The rows, each as long as the longest, without the columns in which nothing stands."""
    columns = zip_longest(*(row for _, row in rows), fillvalue="")
    kept = zip(*(column for column in columns if any(column)), strict=True)
    return [(number, list(row)) for (number, _), row in zip(rows, kept, strict=True)]


def _parts(rows: list[Row]) -> Iterator[list[Row]]:
    """The rows in groups of about `SECTION_CHARACTERS`, at least one row each."""
    part: list[Row] = []
    size = 0
    for row in rows:
        length = sum(map(len, row[1])) + 3 * len(row[1])
        if part and size + length > SECTION_CHARACTERS:
            yield part
            part, size = [], 0
        part.append(row)
        size += length
    yield part


def _section(header: list[str], rows: list[Row]) -> Iterator[str]:
    """Some rows under the names of their columns."""
    if rows:
        first, last = rows[0][0], rows[-1][0]
        yield f"# Row {first}" if first == last else f"# Rows {first} to {last}"
        yield ""
    yield _table_row(header)
    yield _table_row(["---"] * len(header))
    yield from (_table_row(row) for _, row in rows)


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
