"""PDF as Markdown: the text in reading order, headings from the outline or from the size of the letters.

Runs in the process that converts. Source: the text and outline interfaces of PDFium.
"""

from __future__ import annotations

import re
from collections import Counter
from ctypes import byref, c_double
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # as above

if TYPE_CHECKING:
    from collections.abc import Iterator

SPACIOUS = 1.7
"""A distance between two lines, in sizes of their letters, above which a paragraph ends."""
LARGER = 1.15
"""How much larger than those of the text the letters of a heading are, where there is no outline."""
LONGEST_HEADING = 120
MOST_LEVELS = 4
REPEATED = 3
"""A line at the edge of so many pages is no part of the text; with a page number in it, of one less."""

_NO_WORD = re.compile(r"[\W_]+")
_NUMBER = re.compile(
    r"(?:(?:Chapter|Part|Section|Appendix)\s+(?:\d+|[A-Z]|[IVXLC]+)|\d+(?:\.\d+)*|[A-Z](?:\.\d+)+|[A-Z]\.)[.:)]?\s+"
)
_LEADERS = re.compile(r"(?:\s?[.\u2026·]){4,}\s*")
_CONTENTS_ENTRY = re.compile(r".*(?:\s?[.\u2026·]){4,}\s*(?:\d+|[ivxlc]+)")
_PAGE_NUMBER = re.compile(r"[ivxlcIVXLC]{1,8}|\W*\d{1,5}\W*")
_EDGE_NUMBER = re.compile(r"^\d+\s+|\s+\d+$")
_SYNTAX = re.compile(r"#{1,6}(?:\s|$)|[=-]+$|```|~~~|<")
_LINE_ENDS = (10, 13)
_HYPHENS = (0x02, 0xFFFE)
"""What PDFium has for a hyphen at which a word was divided."""


class Pdf(NamedTuple):
    """What a PDF holds."""

    markdown: str
    title: str
    pages: list[int]
    """The line, from 1, with which each page begins."""


class _Line:
    """A line of a page."""

    __slots__ = ("level", "page", "size", "text", "top")

    def __init__(self, page: int, text: str, size: float, top: float) -> None:
        self.page = page
        self.text = text
        self.size = size
        self.top = top
        """Its distance from the bottom of the page."""
        self.level = 0
        """That of a heading; 0 for text."""


def read_pdf(data: bytes) -> Pdf:
    """The text of a PDF. Raises `ValueError` with the reason when there is none to be had."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise ValueError(_reason(data, error)) from None
    lines = [line for number in range(len(document)) for line in _lines(document, number)]
    if not _mark_outline(document, lines):
        _mark_large(lines)
    title = document.get_metadata_dict().get("Title", "").strip() or _largest(lines)
    return _markdown(_without_edges(lines, len(document)), title, len(document))


def _reason(data: bytes, error: pypdfium2.PdfiumError) -> str:
    """Why a document cannot be opened, in words."""
    if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return "it needs a password"
    return "it is damaged" if b"%PDF-" in data[:1024] else "it is not a PDF"


def _lines(document: pypdfium2.PdfDocument, number: int) -> Iterator[_Line]:
    """The lines of a page that hold text, words that were divided put together again."""
    text_page = document[number].get_textpage()
    first = -1
    letters: list[int | None] = []
    for index in range(pdfium.FPDFText_CountChars(text_page)):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if code in _HYPHENS:
            letters.append(None)
        elif code in _LINE_ENDS:
            if letters and letters[-1] is None:
                continue
            if letters:
                yield _line(text_page, number, first, letters)
            first, letters = -1, []
        else:
            first = index if first < 0 and code > 32 else first
            letters.append(code)
    if letters:
        yield _line(text_page, number, first, letters)


def _line(text_page: pypdfium2.PdfTextPage, page: int, first: int, letters: list[int | None]) -> _Line:
    units = [code for code in letters if code and code <= 0x10FFFF]
    text = "".join(map(chr, units)).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = " ".join(text.split())
    if first < 0:
        return _Line(page, text, 0.0, 0.0)
    matrix, x, y = pdfium.FS_MATRIX(), c_double(), c_double()
    pdfium.FPDFText_GetMatrix(text_page, first, matrix)
    pdfium.FPDFText_GetCharOrigin(text_page, first, byref(x), byref(y))
    size = pdfium.FPDFText_GetFontSize(text_page, first) * (hypot(matrix.c, matrix.d) or 1.0)
    return _Line(page, text, round(size, 1), y.value)


def _folded(text: str) -> str:
    """A title without what a bookmark writes otherwise: numbers before it, spaces, signs, case."""
    number = _NUMBER.match(text)
    return _NO_WORD.sub("", text[number.end() :] if number else text).lower()


def _mark_outline(document: pypdfium2.PdfDocument, lines: list[_Line]) -> bool:
    """Make headings of the lines that bookmarks lead to; whether there was one."""
    first_of: dict[int, int] = {}
    for index, line in enumerate(lines):
        first_of.setdefault(line.page, index)
    found = False
    for bookmark in document.get_toc(max_depth=MOST_LEVELS):
        destination = bookmark.get_dest()
        start = first_of.get(destination.get_index() if destination else -1)
        wanted = _folded(bookmark.get_title())
        if start is not None and wanted and _mark(lines, start, wanted, bookmark.level + 1):
            found = True
    return found


def _mark(lines: list[_Line], start: int, wanted: str, level: int) -> bool:
    """Mark the line from `start` on, on its page, that is the wanted title, also over two lines."""
    index = start
    while index < len(lines) and lines[index].page == lines[start].page:
        line = lines[index]
        folded = _folded(line.text)
        if not line.level and folded and wanted.startswith(folded):
            if folded == wanted:
                line.level = level
                return True
            if index + 1 < len(lines) and folded + _NO_WORD.sub("", lines[index + 1].text).lower() == wanted:
                line.text += " " + lines[index + 1].text
                lines[index + 1].text = ""
                line.level = level
                return True
        index += 1
    return False


def _large(lines: list[_Line]) -> list[_Line]:
    """The short lines in letters larger than those of the text."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    return [
        line
        for line in lines
        if line.size >= LARGER * body
        and len(line.text) <= LONGEST_HEADING
        and any(map(str.isalpha, line.text))
    ]


def _largest(lines: list[_Line]) -> str:
    """The line of the first page in the largest letters, which is its title; empty if none is large."""
    large = [line for line in _large(lines) if line.page == 0]
    return max(large, key=lambda line: line.size).text if large else ""


def _mark_large(lines: list[_Line]) -> None:
    """Make headings of short lines in letters larger than those of the text."""
    large = _large(lines)
    sizes = sorted({line.size for line in large}, reverse=True)[:MOST_LEVELS]
    for line in large:
        if line.size in sizes and len(large) * 4 <= len(lines):
            line.level = sizes.index(line.size) + 1


def _without_edges(lines: list[_Line], pages: int) -> list[_Line]:
    """The lines without what stands at the top or the bottom of many pages, and without page numbers."""
    edges = []
    for index, line in enumerate(lines):
        before = lines[index - 1].page if index else -1
        after = lines[index + 1].page if index + 1 < len(lines) else pages
        if before != line.page or after != line.page:
            edges.append(line)
    texts = Counter(map(_unnumbered, edges))
    left_out = {
        id(line)
        for line in edges
        if not line.level and (_PAGE_NUMBER.fullmatch(line.text) or _is_running(line, texts))
    }
    return [line for line in lines if line.text and id(line) not in left_out]


def _unnumbered(line: _Line) -> str:
    return _EDGE_NUMBER.sub("", line.text)


def _is_running(line: _Line, texts: Counter[str]) -> bool:
    """Whether a line at the edge of a page is a running title; a lone brace comes often as well."""
    text = _unnumbered(line)
    return sum(map(str.isalpha, text)) > 2 and texts[text] >= REPEATED - (text != line.text)


def _markdown(lines: list[_Line], title: str, pages: int) -> Pdf:
    """Lines as Markdown: headings and paragraphs apart, nothing of the text taken for syntax."""
    has_headings = any(line.level for line in lines)
    written: list[str] = []
    starts: list[int] = []
    last: _Line | None = None
    for line in lines:
        if has_headings and _CONTENTS_ENTRY.fullmatch(line.text):  # headings say the same
            continue
        if last is not None and (line.level or last.level or _ends_paragraph(last, line)):
            written.append("")
        starts += [len(written) + 1] * (line.page + 1 - len(starts))
        text = _LEADERS.sub(" \u2026 ", line.text)
        escape = "\\" if _SYNTAX.match(text) else ""
        written.append(f"{'#' * line.level} {text}" if line.level else escape + text)
        last = line
    starts += [len(written) + 1] * (pages - len(starts))
    return Pdf("\n".join(written), title, starts)


def _ends_paragraph(line: _Line, following: _Line) -> bool:
    """Whether a paragraph ends between two lines of a page."""
    distance = line.top - following.top
    return line.page == following.page and not 0 <= distance <= SPACIOUS * max(line.size, following.size, 1.0)
