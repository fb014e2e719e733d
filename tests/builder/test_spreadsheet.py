"""Spreadsheets as Markdown: a chapter a sheet, some rows a section, the names of the columns in each."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache.builder import convert

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    convert.converter() is None, reason="the extra `convert` is not installed: pip install '.[convert]'"
)


def workbook(sheets: dict[str, list[list[Any]]], title: str = "", percent: tuple[str, ...] = ()) -> bytes:
    """A workbook of these rows; the cells named in `percent` are shown as percents."""
    book = pytest.importorskip("openpyxl", reason="of the extra `convert`").Workbook()
    book.remove(book.active)
    book.properties.title = title or None
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for cell in percent:
            sheet[cell].number_format = "0.0%"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def read(*arguments: Any, **keywords: Any) -> dict[str, Any]:
    from ctxcache.builder.spreadsheet import read_spreadsheet  # of the extra `convert`

    return read_spreadsheet(workbook(*arguments, **keywords))


def test_a_sheet_is_a_chapter_and_each_of_its_sections_has_the_column_names() -> None:
    rows = [["Item", "Price"], *([f"item {number}", number] for number in range(100))]
    lines = read({"Prices": rows, "People": [["Name", "Phone"], ["Ann", "123"]]})["markdown"].splitlines()
    assert [line for line in lines if line.startswith("# ")] == ["# Prices", "# People"]
    sections = [line for line in lines if line.startswith("## ")]
    assert sections[0].startswith("## Rows 2 to ") and sections[-1] == "## Row 2"
    assert lines.count("| Item | Price |") == len(sections) - 1 > 1
    assert all(f"| item {number} | {number} |" in lines for number in range(100))


def test_values_stand_as_people_read_them() -> None:
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC).replace(tzinfo=None)
    row = [0.25, 3.0, 0.1 + 0.2, date(2026, 1, 2), moment, True, "a | b\nc", None]
    markdown = read({"A": [[*"abcdefgh"], row]}, percent=("A2",))["markdown"]
    assert "| 25 % | 3 | 0.3 | 2026-01-02 | 2026-01-02 03:04:00 | True | a \\| b c |" in markdown


def test_what_stands_above_a_table_is_text_and_empty_rows_and_columns_are_none() -> None:
    rows: list[list[Any]] = [
        ["Prices of 2026"],
        [],
        [None, "Item", None, "Price"],
        [None, "bolt", None, 2],
        [],
        [None, "nut"],
    ]
    assert read({"A": rows, "B": []})["markdown"].splitlines() == [
        "# A", "", "Prices of 2026", "", "## Rows 4 to 6", "", "| Item | Price |", "| --- | --- |",
        "| bolt | 2 |", "| nut |  |",
    ]  # fmt: skip


def test_the_documents_of_a_workbook_are_named_after_it(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["Item", "Price"], *([f"item {number}", number] for number in range(100))]
    (tmp_path / "docs").mkdir()
    for name, title in (("stock.xlsx", ""), ("other.xlsx", "Stock of 2026")):
        (tmp_path / "docs" / name).write_bytes(workbook({"Prices": rows}, title))
    config = ctxcache.BuildConfig(tokenizer="bytes4", unique=False)
    ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=config)
    summaries = list(ctxcache.open_cache(tmp_path / "cache").summaries())
    titles = {each.id: each.title for each in summaries}
    assert len(summaries) >= 4
    assert all(title.startswith("stock > Prices") for id_, title in titles.items() if id_.startswith("stock"))
    assert all(t.startswith("Stock of 2026 > Prices") for id_, t in titles.items() if id_.startswith("other"))
