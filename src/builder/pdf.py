"""PDF as Markdown: the text in reading order, headings from the outline or from larger or bold letters.

Runs in the process that converts. Source: the text and outline interfaces of PDFium.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from ctypes import byref, c_double, c_int, create_string_buffer
from dataclasses import dataclass
from math import hypot, inf
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # as above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SPACIOUS = 1.7
"""A distance between two lines, in sizes of their letters, above which a paragraph ends."""
WORD_GAP = 0.17
"""A distance between two letters, in heights of a letter, from which a space stands between them."""
LARGER = 1.15
"""How much larger than those of the text the letters of a heading are, where there is no outline."""
LONGEST_HEADING = 120
MOST_LEVELS = 4
COMMON_START = 0.02
"""The share of all lines that begin at one distance from the left, from which it is a margin."""
REPEATED = 3
"""A line at the edge of so many pages is no part of the text; with a page number in it, of one less.
So many lines that begin at one distance from the left make a margin in a short document."""

_NO_WORD = re.compile(r"[\W_]+")
_NUMBER = re.compile(
    r"(?:(?:Chapter|Part|Section|Appendix)\s+(?:\d+|[A-Z]|[IVXLC]+)|\d+(?:\.\d+)*|[A-Z](?:\.\d+)+|[A-Z]\.)[.:)]?\s+"
)
_SUBSECTION = re.compile(r"(?:\d+|[A-Z])(?:\.\d+)+\.?\s")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|-medi", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\s?[.\u2026·]){4,}\s*")
_CONTENTS_ENTRY = re.compile(r".*(?:\s?[.\u2026·]){4,}\s*(?:\d+|[ivxlc]+)")
_PAGE_NUMBER = re.compile(r"[ivxlcIVXLC]{1,8}|\W*\d{1,5}\W*")
_EDGE_NUMBER = re.compile(r"^\d+\s+|\s+\d+$")
_SYNTAX = re.compile(r"#{1,6}(?:\s|$)|[=-]+$|```|~~~|<")
_COMPOUND = re.compile(r"\w+-\w+")
_DIVIDED = re.compile("(\\w+)\xad(\\w+)")
_LINE_ENDS = (10, 13)
_HYPHENS = (0x02, 0xFFFE)
"""What PDFium has for a hyphen at which a word was divided."""
_SOFT_HYPHEN = "\xad"
_WIDE_SCRIPTS = 0x2E80
"""Where the scripts begin that write no spaces."""


class Pdf(NamedTuple):
    """What a PDF holds."""

    markdown: str
    title: str
    pages: list[int]
    """The line, from 1, with which each page begins."""


@dataclass(slots=True)
class _Line:
    """A line of a page; two, if a word was divided between them."""

    page: int
    text: str
    size: float
    """That of its first letter."""
    is_bold: bool
    left: int
    top: float
    """The distance of its letters from the bottom of the page."""
    bottom: float
    """The same of the last line of two."""
    level: int = 0
    """That of a heading; 0 for text."""

    def take(self, following: _Line) -> None:
        """Continue with the following line."""
        self.text += " " + following.text
        self.bottom = following.bottom
        following.text = ""


def read_pdf(data: bytes) -> Pdf:
    """The text of a PDF. Raises `ValueError` with the reason when there is none to be had."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise ValueError(_reason(data, error)) from None
    lines = [line for number in range(len(document)) for line in _lines(document, number)]
    _put_together(lines)
    if not _mark_outline(document, lines) and not _mark_large(lines):
        _mark_bold(lines)
    title = document.get_metadata_dict().get("Title", "").strip() or _largest(lines)
    return _markdown(_without_edges(lines, len(document)), title, len(document))


def _reason(data: bytes, error: pypdfium2.PdfiumError) -> str:
    """Why a document cannot be opened, in words."""
    if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return "it needs a password"
    return "it is damaged" if b"%PDF-" in data[:1024] else "it is not a PDF"


def _lines(document: pypdfium2.PdfDocument, number: int) -> Iterator[_Line]:
    """The lines of a page that hold text; one in which a word is divided includes the next."""
    text_page = document[number].get_textpage()
    letters: list[tuple[int, int]] = []
    for index in range(pdfium.FPDFText_CountChars(text_page)):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if code not in _LINE_ENDS:
            letters.append((index, code))
        elif letters and letters[-1][1] not in _HYPHENS:
            yield from _line(text_page, number, letters)
            letters = []
    yield from _line(text_page, number, letters)


def _line(text_page: pypdfium2.PdfTextPage, page: int, letters: list[tuple[int, int]]) -> Iterator[_Line]:
    """The line of these letters, each a place on the page and a code; none if they are all blank."""
    printed = [index for index, code in letters if code > 32 and code not in _HYPHENS]
    if not printed:
        return
    first, last = printed[0], printed[-1]
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text_page, first, matrix)
    size = pdfium.FPDFText_GetFontSize(text_page, first) * (hypot(matrix.c, matrix.d) or 1.0)
    left, top = _origin(text_page, first)
    yield _Line(
        page=page,
        text=_text(text_page, letters),
        size=round(size, 1),
        is_bold=_is_bold(text_page, first) and _is_bold(text_page, last),
        left=round(left),
        top=top,
        bottom=_origin(text_page, last)[1],
    )


def _origin(text_page: pypdfium2.PdfTextPage, index: int) -> tuple[float, float]:
    x, y = c_double(), c_double()
    pdfium.FPDFText_GetCharOrigin(text_page, index, byref(x), byref(y))
    return x.value, y.value


def _is_bold(text_page: pypdfium2.PdfTextPage, index: int) -> bool:
    """Whether the name of a letter's font says so; what PDFium calls its weight says little."""
    name, flags = create_string_buffer(100), c_int()
    pdfium.FPDFText_GetFontInfo(text_page, index, name, len(name), byref(flags))
    return _BOLD.search(name.value.decode("latin-1")) is not None


def _text(text_page: pypdfium2.PdfTextPage, letters: list[tuple[int, int]]) -> str:
    """Letters as text, with the spaces that PDFium overlooks, as where groff sets lines close."""
    written: list[str] = []
    box, right = pdfium.FS_RECTF(), inf
    for index, code in letters:
        if code in _HYPHENS:
            written.append(_SOFT_HYPHEN)
        elif 0 < code <= sys.maxunicode:
            pdfium.FPDFText_GetLooseCharBox(text_page, index, byref(box))
            if 32 < code < _WIDE_SCRIPTS and box.left - right > WORD_GAP * (box.top - box.bottom):
                written.append(" ")
            written.append(chr(code))
            right = box.right if code > 32 else inf
    text = "".join(written).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return " ".join(text.rstrip(_SOFT_HYPHEN).split())


def _put_together(lines: list[_Line]) -> None:
    """Put divided words together, with the hyphen that they have elsewhere in the document."""
    compounds = {word.lower() for line in lines for word in _COMPOUND.findall(line.text)}

    def undivided(match: re.Match[str]) -> str:
        compound = "-".join(match.groups())
        return compound if compound.lower() in compounds else "".join(match.groups())

    for line in lines:
        line.text = _DIVIDED.sub(undivided, line.text).replace(_SOFT_HYPHEN, "")


def _folded(text: str) -> str:
    """A title without what a bookmark writes otherwise: numbers before it, spaces, signs, case."""
    number = _NUMBER.match(text)
    return _NO_WORD.sub("", text[number.end() :] if number else text).lower()


def _mark_outline(document: pypdfium2.PdfDocument, lines: list[_Line]) -> bool:
    """Make headings of the lines that bookmarks lead to; whether there was one."""
    first_of: dict[int, int] = {}
    for index, line in enumerate(lines):
        first_of.setdefault(line.page, index)
    is_marked = False
    for bookmark in document.get_toc(max_depth=MOST_LEVELS):
        destination = bookmark.get_dest()
        start = first_of.get(destination.get_index() if destination else -1)
        wanted = _folded(bookmark.get_title())
        if start is not None and wanted and _mark_title(lines, start, wanted, bookmark.level + 1):
            is_marked = True
    return is_marked


def _mark_title(lines: list[_Line], start: int, wanted: str, level: int) -> bool:
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
                line.take(lines[index + 1])
                line.level = level
                return True
        index += 1
    return False


def _could_be_heading(line: _Line) -> bool:
    return len(line.text) <= LONGEST_HEADING and _TWO_LETTERS.search(line.text) is not None


def _large(lines: list[_Line]) -> list[_Line]:
    """The short lines in letters larger than those of the text."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    return [line for line in lines if line.size >= LARGER * body and _could_be_heading(line)]


def _largest(lines: list[_Line]) -> str:
    """The line of the first page in the largest letters, which is its title; empty if none is large."""
    large = [line for line in _large(lines) if line.page == 0]
    return max(large, key=lambda line: line.size).text if large else ""


def _mark_large(lines: list[_Line]) -> bool:
    """Make headings of short lines in letters larger than those of the text; whether there was one.

    Where some of them are bold, others are headings only at a margin: in a drawing stand large letters too.
    Bold lines with the number of a subsection are headings in letters of any size.
    """
    large = _large(lines)
    margins = _margins(lines)
    if any(line.is_bold for line in large):
        large = [line for line in large if line.is_bold or line.left in margins]
    if not large or len(large) * 4 > len(lines):
        return False
    headings = large + [line for line in _bold(lines, margins) if _SUBSECTION.match(line.text)]
    _mark(headings, lambda line: -line.size)
    _join_headings(lines)
    return True


def _mark_bold(lines: list[_Line]) -> None:
    """Make headings of bold lines, as in a manual page, where the letters are of one size."""
    bold = _bold(lines, _margins(lines))
    if len(bold) * 4 <= len(lines):
        _mark(bold, lambda line: line.left)


def _bold(lines: list[_Line], margins: set[int]) -> list[_Line]:
    """The short bold lines that begin at a margin."""
    return [
        line
        for line in lines
        if line.is_bold and line.left in margins and line.text[:1].isalnum() and _could_be_heading(line)
    ]


def _mark(headings: list[_Line], rank: Callable[[_Line], float]) -> None:
    """Give headings levels in the order of their ranks."""
    order = sorted(set(map(rank, headings)))
    for line in headings:
        line.level = min(order.index(rank(line)) + 1, MOST_LEVELS)


def _margins(lines: list[_Line]) -> set[int]:
    """Where many lines begin."""
    starts = Counter(line.left for line in lines)
    many = max(REPEATED, COMMON_START * len(lines))
    return {left for left, count in starts.items() if count >= many}


def _join_headings(lines: list[_Line]) -> None:
    """Put together the headings that go on in the next line."""
    last = None
    for line in lines:
        if last and _continues(last, line):
            last.take(line)
        else:
            last = line


def _continues(line: _Line, following: _Line) -> bool:
    """Whether both are one heading."""
    same_look = line.level > 0 and following.level == line.level and following.is_bold == line.is_bold
    return (
        same_look
        and not _NUMBER.match(following.text)
        and following.page == line.page
        and not _ends_paragraph(line, following)
    )


def _without_edges(lines: list[_Line], pages: int) -> list[_Line]:
    """The lines without what stands at the top or the bottom of many pages, and without page numbers.

    Two rounds: a running title and the number of the page may be lines of their own.
    """
    lines = [line for line in lines if line.text]
    for _ in range(2):
        edges = _edges(lines, pages)
        texts = Counter(map(_unnumbered, edges))
        left_out = {
            id(line)
            for line in edges
            if not line.level and (_PAGE_NUMBER.fullmatch(line.text) or _is_running(line, texts))
        }
        lines = [line for line in lines if id(line) not in left_out]
    return lines


def _edges(lines: list[_Line], pages: int) -> list[_Line]:
    """The first and the last line of each page."""
    before = [-1, *(line.page for line in lines)]
    after = [*(line.page for line in lines[1:]), pages]
    return [line for line, *around in zip(lines, before, after, strict=False) if set(around) != {line.page}]


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
    distance = line.bottom - following.top
    return line.page == following.page and not 0 <= distance <= SPACIOUS * max(line.size, following.size, 1.0)
