"""What Markdown files hold that is not Markdown: fenced code, raw HTML, and the JavaScript of MDX.

Both code and HTML also end with the list item around them: before a line with less indent than its content.
JavaScript that begins with `import` or `export` ends at the first blank line outside braces and template
literals; `{…}` at its closing brace.

Sources: CommonMark 0.31, *Fenced code blocks* and *HTML blocks*, whose seven kinds of beginning are kept in
its order; the MDX documentation, *ESM* and *Expressions*.
"""

from __future__ import annotations

import re

from .blocks import line_at, width

_NAMES = """
address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl
dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend
li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td
tfoot th thead title tr track ul
"""
_ATTRIBUTE = r"""\s+[a-zA-Z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""

_CLOSING = re.compile(r"(?P<space>[ \t]*)[^\S\n]*(?:`+|~+)[^\S\n]*(?:\n|\Z)")
_CODE = 4  # columns of indent that make code
_BLANK = re.compile(r"^[ \t]*$")
_KINDS = [
    (
        re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![a-zA-Z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{'|'.join(_NAMES.split())})(?:\s|/?>|$)", re.I), _BLANK),
]
HEADING = re.compile(r"<h([1-6])(?:\s[^<>]*)?>((?:[^<]|<(?!/?h[1-6]\b))*+)</h\1\s*>", re.IGNORECASE)
"""A heading in HTML: its level and what is in it."""
_TAG = re.compile(r"<[^<>]*>")
_IMAGE = re.compile(r"""<img\s[^<>]*?\balt=["']?([^"'<>]*)["']?[^<>]*>""", re.IGNORECASE)
_ALONE = re.compile(rf"(?:<[a-z][a-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[a-z][a-z0-9-]*\s*>)\s*$", re.I | re.A)


def is_blank(html: str) -> bool:
    """Whether there is nothing but tags."""
    return not _TAG.sub("", html).strip()


def heading_text(html: str) -> str:
    """What is in a heading; where that is an image alone, what stands for it."""
    return _IMAGE.sub(r"\1", html) if is_blank(html) else html


def ends_blank(end: re.Pattern[str]) -> bool:
    """Whether what ends the raw HTML is a blank line, so that it may hold any tags."""
    return end is _BLANK


def html_end(line: str, *, interrupts: bool) -> re.Pattern[str] | None:
    """What ends the raw HTML that `line` begins, or None when it begins none.

    A tag that is no block's name must stand alone on its line and cannot interrupt a paragraph.
    """
    for begin, end in _KINDS:
        if begin.match(line):
            return end
    return _BLANK if not interrupts and _ALONE.match(line) else None


def past_html(text: str, at: int, ends: re.Pattern[str], column: int) -> int:
    """Where raw HTML ends whose second line is at `at`: behind the line that `ends` it, before a blank one.

    `column` is where the content of the list item around it begins, 0 if there is none.
    """
    while at < len(text):
        line = line_at(text, at)
        blank = not line["rest"].strip()
        if not blank and width(line["space"]) < column:
            return at
        if ends.search(line["line"]):
            return at if blank else line.end()
        at = line.end()
    return at


def past_fence(text: str, at: int, mark: str, column: int) -> int:
    """Where fenced code ends whose second line is at `at`: behind its closing line, `mark` or longer."""
    return _closed_in_item(text, at, mark, column) if column else _closed(text, at, mark)


def _closed_in_item(text: str, at: int, mark: str, column: int) -> int:
    """The same in a list item, which ends the fence too; no line behind its end is looked at."""
    while at < len(text):
        line = line_at(text, at)
        if line["rest"].strip() and width(line["space"]) < column:
            return at
        closing = _CLOSING.match(text, at) if line["rest"].lstrip().startswith(mark) else None
        at = line.end()
        if closing and width(closing["space"]) - column < _CODE:
            return at
    return at


def _closed(text: str, start: int, mark: str) -> int:
    """The same at the top level, where a closing line is searched for; the end of the text if none comes."""
    end = text.find(mark, start)
    while end >= 0:
        closing = _CLOSING.match(text, max(text.rfind("\n", start, end) + 1, start))
        if closing and width(closing["space"]) < _CODE:
            return closing.end()
        line_end = text.find("\n", end)
        end = text.find(mark, line_end) if line_end >= 0 else -1
    return len(text)


_JAVASCRIPT = re.compile(
    r"""(?P<skip>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|//.*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))"""
    r"|(?P<open>[{(\[]|`)|(?P<close>[})\]])|(?P<blank>\n[^\S\n]*(?=\n))"
)
_TEMPLATE = re.compile(r"\\[\s\S]|(?P<open>\$\{)|(?P<close>`)")
_REST_OF_LINE = re.compile(r"[^\S\n]*(?:\n|\Z)")


def past_javascript(text: str, at: int) -> tuple[int, bool]:
    """Where JavaScript ends that begins at `at`, behind the line, and whether it is JavaScript.

    It is none if its brackets are never closed, or text follows on the line.
    """
    end = _balanced(text, at, expression=text[at] == "{")
    if end < 0:
        return len(text), False
    rest = _REST_OF_LINE.match(text, end)
    return (rest.end(), True) if rest else (end, False)


def _balanced(text: str, at: int, *, expression: bool) -> int:
    """The first offset outside all brackets where it may end; -1 if there is none."""
    opened: list[str] = []
    while True:
        match = (_TEMPLATE if opened[-1:] == ["`"] else _JAVASCRIPT).search(text, at)
        if match is None:
            return len(text) if not (opened or expression) else -1
        at = match.end()
        if match.lastgroup == "open":
            opened.append(match[0])
        elif match.lastgroup == "close" and opened:
            opened.pop()
            if expression and not opened:
                return at
        elif match.lastgroup == "blank" and not opened:
            return match.start()
