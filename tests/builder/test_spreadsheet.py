"""Spreadsheets as Markdown: a file a sheet, some rows a section, the names of the columns in each."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache.builder import convert
from ctxcache.project.caches import ProjectCache
from ctxcache.resolver.names import DocumentNames

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


def read(*arguments: Any, **keywords: Any) -> dict[str, str]:
    """The Markdown of each sheet by its name."""
    from ctxcache.builder.spreadsheet import read_spreadsheet  # of the extra `convert`

    sheets = read_spreadsheet(workbook(*arguments, **keywords))["sheets"]
    return {sheet["name"]: sheet["markdown"] for sheet in sheets}


def test_a_sheet_is_a_text_and_each_of_its_sections_has_the_column_names() -> None:
    rows = [["Item", "Price"], *([f"item {number}", number] for number in range(100))]
    sheets = read({"Prices": rows, "People": [["Name", "Phone"], ["Ann", "123"]]})
    assert sheets["People"] == "\n# Row 2\n\n| Name | Phone |\n| --- | --- |\n| Ann | 123 |"
    lines = sheets["Prices"].splitlines()
    sections = [line for line in lines if line.startswith("# ")]
    assert sections[0].startswith("# Rows 2 to ")
    assert lines.count("| Item | Price |") == len(sections) > 1
    assert all(f"| item {number} | {number} |" in lines for number in range(100))


def test_values_stand_as_people_read_them() -> None:
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC).replace(tzinfo=None)
    row = [0.25, 3.0, 0.1 + 0.2, date(2026, 1, 2), moment, True, "a | b\nc", None]
    markdown = read({"A": [[*"abcdefgh"], row]}, percent=("A2",))["A"]
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
    assert {name: text.splitlines() for name, text in read({"A": rows, "B": []}).items()} == {
        "A": [
            "Prices of 2026", "", "# Rows 4 to 6", "", "| Item | Price |", "| --- | --- |",
            "| bolt | 2 |", "| nut |  |",
        ],
        "B": [],
    }  # fmt: skip


PRICES: list[list[Any]] = [["Item", "Price"], *([f"item {number}", number] for number in range(100))]
PEOPLE: list[list[Any]] = [["Name", "Phone"], ["Ann", "123"]]
CONFIG = ctxcache.BuildConfig(tokenizer="bytes4")


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a cache."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def stock(tmp_path: Path) -> Path:
    """A folder with a workbook of three sheets, one of them empty."""
    (tmp_path / "docs").mkdir()
    book = workbook({"Prices": PRICES, "Who. #1": PEOPLE, "Empty": []})
    (tmp_path / "docs" / "stock.xlsx").write_bytes(book)
    return tmp_path / "docs"


def test_a_sheet_is_a_file_of_its_own_in_a_workbook(stock: Path, tmp_path: Path) -> None:
    """With ids, titles and neighbours of its own; the workbook stays one source."""
    (stock / "other.xlsx").write_bytes(workbook({"Prices": PEOPLE}, "Stock of 2026"))
    report = ctxcache.build(stock, tmp_path / "cache", config=CONFIG)
    cache = ctxcache.open_cache(tmp_path / "cache")
    summaries = list(cache.summaries())
    titles = {each.id: each.title for each in summaries}
    assert titles["other.xlsx/prices"] == "Stock of 2026 > Prices"
    assert titles["stock.xlsx/who-1"] == "stock > Who. #1"
    assert {each.source for each in summaries} == {
        "other.xlsx/prices", "stock.xlsx/prices", "stock.xlsx/who-1",
    }  # fmt: skip
    rows = [title for id_, title in titles.items() if id_.startswith("stock.xlsx/prices#rows-")]
    assert len(rows) > 1 and all(title.startswith("stock > Prices > Rows ") for title in rows)
    assert report.sources == cache.manifest.source_count == 2
    first = cache.read("stock.xlsx/prices#rows-2-to-" + rows[0].rpartition(" ")[2])
    assert first.previous == "" and first.following.startswith("stock.xlsx/prices#rows-")
    assert ctxcache.verify(tmp_path / "cache", depth="deep").valid


@pytest.mark.parametrize("copied", [False, True], ids=["alone", "with sheets shared"])
@pytest.mark.parametrize("recorded", [False, True], ids=["from the cache", "from the record"])
def test_a_workbook_is_fresh_until_one_of_its_sheets_changes(
    stock: Path, tmp_path: Path, copied: bool, recorded: bool
) -> None:
    """Judged and rebuilt as one file, whether its sheets are documents of its own or aliases."""
    if copied:
        (stock / "a").mkdir()
        (stock / "a/stock.xlsx").write_bytes((stock / "stock.xlsx").read_bytes())
    cache = ProjectCache(
        name="docs", root=tmp_path, sources=stock, directory=tmp_path / "cache", config=CONFIG
    )
    assert cache.update().report is not None
    if not recorded:
        cache.record_file.unlink()
    assert cache.freshness().fresh
    changed = workbook({"Prices": PRICES, "Who. #1": [*PEOPLE, ["Bob", "456"]], "Empty": PEOPLE})
    (stock / "stock.xlsx").write_bytes(changed)
    (stock / "page.md").write_text("# Page\n")
    found = cache.freshness()
    assert (found.added, found.changed, found.removed) == (("page.md",), ("stock.xlsx",), ())
    assert cache.update().report is not None and cache.freshness().fresh
    nothing = tmp_path / "nothing"
    ctxcache.build(stock, nothing, config=CONFIG)
    assert contents(cache.directory) == contents(nothing)


def test_a_name_for_a_workbook_means_all_of_its_sheets(stock: Path, tmp_path: Path) -> None:
    """In query tests, judgements and `ctx why`; the name of a sheet means that sheet."""
    ctxcache.build(stock, tmp_path / "cache", config=CONFIG)
    summaries = list(ctxcache.open_cache(tmp_path / "cache").summaries())
    names = DocumentNames(summaries)
    assert names.ids("stock.xlsx") == [each.id for each in summaries]
    assert names.ids("stock.xlsx/") == [each.id for each in summaries]
    assert names.ids("stock.xlsx/who-1") == ["stock.xlsx/who-1"]
    prices = names.ids("stock.xlsx/prices")
    assert 1 < len(prices) == len(summaries) - 1


def with_sheet(rows: str, dimension: str) -> bytes:
    """A workbook whose only sheet is given as XML."""
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{namespace}"><dimension ref="{dimension}"/>'
    sheet += f"<sheetData>{rows}</sheetData></worksheet>"
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook({"Sheet": [["a"]]}))) as book,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as changed,
    ):
        for name in book.namelist():
            changed.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else book.read(name))
    return written.getvalue()


def cell(name: str, text: str) -> str:
    return f'<c r="{name}" t="inlineStr"><is><t>{text}</t></is></c>'


def test_two_cells_far_apart_take_no_more_room_than_two_side_by_side() -> None:
    """A file of a few kilobytes may say that it has 17 thousand million cells."""
    from ctxcache.builder.spreadsheet import read_spreadsheet  # of the extra `convert`

    rows = f'<row r="1">{cell("A1", "Item")}{cell("XFD1", "Price")}</row>'
    rows += f'<row r="1048576">{cell("XFD1048576", "5")}</row>'
    [sheet] = read_spreadsheet(with_sheet(rows, "A1:XFD1048576"))["sheets"]
    assert sheet["markdown"] == "\n# Row 1048576\n\n| Item | Price |\n| --- | --- |\n|  | 5 |"


def test_a_table_that_repeats_itself_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each section repeats the names of the columns: many of these, and many rows."""
    from ctxcache.builder import spreadsheet  # of the extra `convert`

    monkeypatch.setattr(spreadsheet, "LARGEST_TEXT", 100_000)
    rows = [[f"column {number}" for number in range(300)], *([["x" * 800]] * 300)]
    with pytest.raises(convert.TooLarge):
        read({"Wide": rows})
