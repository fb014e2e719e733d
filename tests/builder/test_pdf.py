"""PDF as Markdown: headings from the outline or from the letters, pages, no syntax out of prose."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest

import ctxcache
from ctxcache.builder.convert import converter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ctxcache.builder.pdf import Pdf

pytestmark = pytest.mark.skipif(converter() is None, reason="the extra `convert` is not installed")

Page: TypeAlias = "Sequence[tuple[int, str] | tuple[int, str, str, int]]"
"""The size and the text of each line, and perhaps its font, `F1` or the bold `F2`, and where it begins."""


def pdf(pages: Sequence[Page], outline: list[tuple[str, int]] | None = None) -> bytes:
    """A PDF of these pages, with bookmarks that lead to pages."""
    objects: list[str] = []
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    marks = outline or []
    first_mark = 6 + 2 * len(pages)
    outlines = f" /Outlines {first_mark - 1} 0 R" if marks else ""
    objects.append(f"<< /Type /Catalog /Pages 2 0 R{outlines} >>")
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>")
    for number, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>"
        )
        drawing, top = "", 740
        for size, text, *look in lines:
            font, left = look or ("F1", 72)
            shown = f"{text} TJ" if text.startswith("[(") else f"({text}) Tj"
            drawing += f"BT /{font} {size} Tf {left} {top} Td {shown} ET\n"
            top -= 14
        objects.append(f"<< /Length {len(drawing)} >>\nstream\n{drawing}endstream")
    if marks:
        last = first_mark + len(marks) - 1
        objects.append(f"<< /First {first_mark} 0 R /Last {last} 0 R /Count {len(marks)} >>")
        for number, (title, page) in enumerate(marks):
            following = f" /Next {first_mark + number + 1} 0 R" if number + 1 < len(marks) else ""
            place = f"[{5 + 2 * page} 0 R /Fit]"
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


def read(pages: Sequence[Page], outline: list[tuple[str, int]] | None = None) -> Pdf:
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
    assert headings(lines) == ["# Manual", "## First steps"]


def headings(page: Page) -> list[str]:
    return [line for line in read([page]).markdown.split("\n") if line.startswith("#")]


def test_a_heading_of_two_lines_is_one() -> None:
    """Unless the second has a number of its own."""
    lines = [(16, "1 The files of"), (16, "the system"), (16, "2 Its users"), *[TEXT] * 12]
    assert headings(lines) == ["# 1 The files of the system", "# 2 Its users"]


def test_large_letters_in_a_drawing_are_no_headings() -> None:
    """Where headings are bold."""
    lines: Page = [(16, "Graphs", "F2", 72), *[TEXT] * 9, (14, "main node", "F1", 205)]
    assert headings(lines) == ["# Graphs"]


def test_bold_lines_are_headings_where_all_letters_are_of_one_size() -> None:
    """As in a manual page, whose text begins farther right than its headings."""
    text = (10, TEXT[1], "F1", 100)
    bold = [(10, title, "F2", 72) for title in ("NAME", "GRAMMAR", "FILES")]
    bold += [(10, "Pipelines", "F2", 100), (10, "--posix", "F2", 100)]
    lines = [line for title in bold for line in (title, *[text] * 5)]
    assert headings(lines) == ["# NAME", "# GRAMMAR", "# FILES", "## Pipelines"]


def test_bold_subsections_are_headings_in_letters_of_the_usual_size() -> None:
    """Where chapters are set larger; a bold line without a number is none."""
    lines: Page = [(16, "2 Files", "F2", 72), *[TEXT] * 6, (10, "2.1 Names", "F2", 72), *[TEXT] * 6]
    assert headings([*lines, (10, "Beware", "F2", 72), TEXT]) == ["# 2 Files", "## 2.1 Names"]


def test_words_set_close_are_apart() -> None:
    """groff writes no spaces; PDFium itself finds only the wide ones."""
    assert (
        read([[(10, "[(run any) -240 (associated) -300 (list) 20 (s)]")]]).markdown
        == "run any associated lists"
    )


def test_the_second_line_of_a_divided_word_ends_no_paragraph() -> None:
    """PDFium marks the hyphen only where the next line goes on with a letter."""
    markdown = read(
        [[(10, "The list is exe-"), (10, "cuted, and it is read-"), (10, "only; read-only."), TEXT]]
    )
    assert markdown.markdown == f"The list is executed, and it is read-only; read-only.\n{TEXT[1]}"


def test_what_stands_on_many_pages_is_no_text() -> None:
    """Running titles and page numbers go; a brace that ends several pages stays."""
    pages = [[(10, f"Chapter 3: Utilities {n}"), TEXT, (10, "}")] for n in range(3)]
    pages.append([TEXT, (10, "17")])
    pages += [[(10, "Utilities again"), (10, str(n)), TEXT] for n in range(18, 21)]
    markdown = read(pages).markdown
    assert "Utilities" not in markdown
    assert not any(str(number) in markdown for number in range(17, 21))
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
