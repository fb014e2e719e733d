"""What an author wants to know of a text: directives that include other files, and embedded data.

Nothing is included and nothing is removed: a document holds the text as it stands.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...text.words import DATA_URI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DATA_URI = re.compile(DATA_URI)
_DIRECTIVES = {
    "markdown": (
        r"(?<!\\)\{\{\#(?:include|rustdoc_include|playground)[ \t]+(?P<mdbook>[^}\n]+)\}\}"
        r"|^[ \t]*-+8<-+[ \t]+[\"'](?P<snippet>[^\"'\n]+)[\"']"
        r"|\{\*[ \t]+(?P<mdx_include>[^*\n]+)\*\}|\{![ \t>]*(?P<markdown_include>[^!\n]+)!\}"
        r"|\[!include[ \t]*\[[^\]\n]*\][ \t]*\((?P<docfx>[^)\n]+)\)"
        r"|\[!code(?:-[\w#+-]+)?[ \t]*\[[^\]\n]*\][ \t]*\((?P<docfx_code>[^)\n]+)\)"
        r"|^[ \t]*[`~:]{3,}[ \t]*\{(?:include|literalinclude)\}[ \t]+(?P<myst>\S+)"
    ),
    "rst": r"^[ \t]*\.\.[ \t]+(?:include|literalinclude)::[ \t]+(?P<rst>\S+)",
    "asciidoc": r"^include::(?P<asciidoc>[^\[\n]+)\[",
    "org": r"^[ \t]*\#\+include:[ \t]+(?P<org>\"[^\"\n]+\"|\S+)",
}
_DIRECTIVES["mdx"] = _DIRECTIVES["markdown"]
_INCLUDE = {kind: re.compile(one, re.IGNORECASE | re.MULTILINE) for kind, one in _DIRECTIVES.items()}
_SIGNS = {
    "markdown": (r"\{(?:\{\#|[*!]|(?i:(?:literal)?include\}))", r"!(?i:include|code)", "8<-"),
    "rst": (r"\.\.[ \t]+(?i:(?:literal)?include::)",),
    "asciidoc": ("::(?<=(?i:include::))",),
    "org": (r"\#\+(?i:include:)",),
}
_SIGNS["mdx"] = _SIGNS["markdown"]
_INCLUDE_SIGNS = {kind: [*map(re.compile, signs)] for kind, signs in _SIGNS.items()}
"""What directives have in them. Each begins with a plain character, to pass most of a text quickly."""
_EMBED = re.compile(r"!\[\[(?P<note>[^\[\]|\\\n]+)(?:\\?\|[^\[\]\n]*)?\]\]")
"""An Obsidian embed, which shows what is in another note, or a picture."""
_MEDIA = re.compile(r"\.(?!md$)[a-z0-9]{2,5}$", re.IGNORECASE)
_CODE = re.compile(r"^[ \t>]*(?P<fence>`{3,}|~{3,}).*$|`[^`\n]*`", re.MULTILINE)
_LONG = 400
"""Characters of a data URI; a shorter one does no harm."""


class TextFinding(NamedTuple):
    """Something in a text that its author may want to look at."""

    kind: str
    """"include" or "data URI"."""
    line: int
    """From 1."""
    detail: str
    """The file that is named, or the type and the length of the data."""


def findings(text: str, kind: str) -> list[TextFinding]:
    """The include directives of a text of some kind, whose files are no part of it, and long data URIs."""
    matches = [*_includes(text, kind), *_data_uris(text)]
    if kind == "markdown" and "![[" in text:
        matches += _embeds(text)
    line, at, result = 1, 0, []
    for start, what, detail in sorted(matches):
        line += text.count("\n", at, start)
        at = start
        result.append(TextFinding(what, line, detail))
    return result


def _includes(text: str, kind: str) -> Iterator[tuple[int, str, str]]:
    pattern = _INCLUDE.get(kind)
    if pattern and any(sign.search(text) for sign in _INCLUDE_SIGNS[kind]):
        for match in pattern.finditer(text):
            yield match.start(), "include", match[match.lastgroup or 0].strip().strip('"')


def _embeds(text: str) -> Iterator[tuple[int, str, str]]:
    """The notes that are embedded, outside of code."""
    at, fence = 0, ""
    for code in (*_CODE.finditer(text), None):
        if not fence:
            for match in _EMBED.finditer(text, at, code.start() if code else len(text)):
                if not _MEDIA.search(match["note"].partition("#")[0].strip()):
                    yield match.start(), "include", match["note"].strip()
        if code and (mark := code["fence"]):
            if not fence:
                fence = mark
            elif mark.startswith(fence):
                fence = ""
        at = code.end() if code else at


def _data_uris(text: str) -> Iterator[tuple[int, str, str]]:
    for match in _DATA_URI.finditer(text) if "data:" in text else ():
        if len(match[0]) >= _LONG:
            yield match.start(), "data URI", f"{match[0].partition(',')[0]}, {len(match[0]):,} characters"
