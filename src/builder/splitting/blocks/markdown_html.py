"""Raw HTML blocks of Markdown: where one begins, and what ends it.

Source: CommonMark 0.31, *HTML blocks*, whose seven kinds of beginning are kept in its order.
"""

from __future__ import annotations

import re

_NAMES = """
address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl
dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend
li link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td
tfoot th thead title tr track ul
"""
_ATTRIBUTE = r"""\s+[a-zA-Z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""

_RAW = "script|pre|style|textarea"
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
_ALONE = re.compile(rf"(?:<[a-z][a-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[a-z][a-z0-9-]*\s*>)\s*$", re.I | re.A)


def html_end(line: str, *, interrupts: bool) -> re.Pattern[str] | None:
    """What ends the raw HTML that `line` begins, or None when it begins none.

    A tag that is no block's name must stand alone on its line and cannot interrupt a paragraph.
    """
    for begin, end in _KINDS:
        if begin.match(line):
            return end
    return _BLANK if not interrupts and _ALONE.match(line) else None
