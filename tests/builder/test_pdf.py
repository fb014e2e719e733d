"""PDF as Markdown: headings from the outline or from the letters, pages, no syntax out of prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.builder.convert import converter

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache.builder.pdf import Pdf

pytestmark = pytest.mark.skipif(converter() is None, reason="the extra `convert` is not installed")

Page = list[tuple[int, str]]
"""The size and the text of each line."""


def pdf(pages: list[Page], outline: list[tuple[str, int]] | None = None) -> bytes:
    """A PDF of these pages, with bookmarks that lead to pages."""
    objects: list[str] = []
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    marks = outline or []
    first_mark = 5 + 2 * len(pages)
    outlines = f" /Outlines {first_mark - 1} 0 R" if marks else ""
    objects.append(f"<< /Type /Catalog /Pages 2 0 R{outlines} >>")
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        drawing, top = "", 740
        for size, text in lines:
            drawing += f"BT /F1 {size} Tf 72 {top} Td ({text}) Tj ET\n"
            top -= 14
        objects.append(f"<< /Length {len(drawing)} >>\nstream\n{drawing}endstream")
    if marks:
        last = first_mark + len(marks) - 1
        objects.append(f"<< /First {first_mark} 0 R /Last {last} 0 R /Count {len(marks)} >>")
        for number, (title, page) in enumerate(marks):
            following = f" /Next {first_mark + number + 1} 0 R" if number + 1 < len(marks) else ""
            place = f"[{4 + 2 * page} 0 R /Fit]"
            objects.append(f"<< /Title ({title}) /Parent {first_mark - 1} 0 R /Dest {place}{following} >>")
    body, places = "%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    return (
        f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("latin-1")


def read(pages: list[Page], outline: list[tuple[str, int]] | None = None) -> Pdf:
    from ctxcache.builder.pdf import read_pdf

    return read_pdf(pdf(pages, outline))


TEXT = (10, "Some text of a page, in letters of the usual size.")


def test_bookmarks_make_headings_of_the_lines_that_they_name() -> None:
    """Whether the line has a number or not; letters of any size."""
    found = read(
        [[(10, "1 Installing"), TEXT], [(10, "1.1 What is it"), TEXT]], [("Installing", 0), ("What is it", 1)]
    )
    assert found.markdown.split("\n") == ["# 1 Installing", "", TEXT[1], "", "# 1.1 What is it", "", TEXT[1]]
    assert found.pages == [1, 5]


def test_a_bookmark_that_no_line_has_makes_no_heading() -> None:
    assert read([[TEXT]], [("Cover", 0)]).markdown == TEXT[1]


def test_without_bookmarks_large_letters_are_headings() -> None:
    """Larger ones above smaller ones."""
    lines = [(24, "Manual"), TEXT, TEXT, TEXT, (16, "First steps"), TEXT, TEXT, TEXT]
    headings = [line for line in read([lines]).markdown.split("\n") if line.startswith("#")]
    assert headings == ["# Manual", "## First steps"]


def test_what_stands_on_many_pages_is_no_text() -> None:
    """Running titles and page numbers go; a brace that ends several pages stays."""
    pages = [[(10, f"Chapter 3: Utilities {n}"), TEXT, (10, "}")] for n in range(3)]
    pages.append([TEXT, (10, "17")])
    markdown = read(pages).markdown
    assert "Utilities" not in markdown
    assert "17" not in markdown
    assert markdown.count("}") == 3


def test_nothing_of_the_text_is_taken_for_syntax() -> None:
    lines = ["# make install", "=====", "---", "~~~", "<pre>", "#include"]
    found = read([[(10, line) for line in lines]]).markdown.split("\n")
    assert found == ["\\# make install", "\\=====", "\\---", "\\~~~", "\\<pre>", "#include"]


def test_a_table_of_contents_is_left_out_where_there_are_headings() -> None:
    entry = (10, "Installing . . . . . . . . 7")
    assert "7" not in read([[entry], [(10, "Installing"), TEXT]], [("Installing", 1)]).markdown
    assert "Installing \u2026 7" in read([[entry, TEXT]]).markdown


def test_sections_know_their_page(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    words = (10, "Many words stand here, one after the other, so that the file is cut. " * 2)
    pages = [[(10, f"Part {name}"), *[words] * 12] for name in ("one", "two", "three")]
    data = pdf(pages, [("Part one", 0), ("Part two", 1), ("Part three", 2)])
    (tmp_path / "docs/manual.pdf").write_bytes(data)
    config = ctxcache.BuildConfig(tokenizer="bytes4", max_tokens=500)
    ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=config)
    documents = list(ctxcache.open_cache(tmp_path / "cache").documents())
    assert {document.title: document.origin.part for document in documents} == {
        "Part one": "page 1", "Part one > Part two": "page 2", "Part one > Part three": "page 3",
    }  # fmt: skip
    assert ctxcache.verify(tmp_path / "cache").valid


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"%PDF-1.4 nonsense", "it is damaged"),
        ("a.pdf", b"nonsense", "it is not a PDF"),
        ("a.docx", b"nonsense", "it is no DOCX file"),
        ("a.xlsx", b"PK nonsense", "it is damaged"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it needs a password, or is of an older format"),
    ],
)
def test_reasons_are_words(name: str, data: bytes, reason: str) -> None:
    from ctxcache.builder.convert import Converter

    with Converter() as convert:
        assert convert(name, data) == f"cannot be converted ({reason})"
