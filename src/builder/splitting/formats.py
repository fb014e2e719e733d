"""The formats of documents: by the suffix of a file's name, how its text is read."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from . import asciidoc, markdown, org, rst
from .blocks import scan_text, with_line_feeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .blocks import Breaks


class Format(NamedTuple):
    """How the text of a file is read."""

    kind: str
    """The name of the syntax, as `GivenText.kind` and `split` take it."""
    scan: Callable[[str, int], Breaks]
    """(text whose lines end with a line feed, offset where the body begins) -> its breaks in order."""
    taken: bool = True
    """Whether a walk takes such files without an include pattern."""
    converted: bool = False
    """Whether the file is no text and conversion makes it one."""


_MARKDOWN = Format("markdown", markdown.scan)
_CONVERTED = _MARKDOWN._replace(converted=True)
_MDX = Format("mdx", markdown.scan_mdx)
_RST = Format("rst", rst.scan)
_ASCIIDOC = Format("asciidoc", asciidoc.scan)
_ORG = Format("org", org.scan)
_TEXT = Format("text", scan_text)

FORMATS = {
    ".md": _MARKDOWN, ".markdown": _MARKDOWN, ".mdown": _MARKDOWN, ".mkd": _MARKDOWN, ".mdx": _MDX,
    ".rst": _RST, ".rest": _RST._replace(taken=False),
    ".adoc": _ASCIIDOC, ".asciidoc": _ASCIIDOC,
    ".txt": _TEXT, ".text": _TEXT, ".org": _ORG,
    ".pdf": _CONVERTED, ".docx": _CONVERTED, ".pptx": _CONVERTED, ".xlsx": _CONVERTED,
    ".html": _CONVERTED, ".htm": _CONVERTED, ".epub": _CONVERTED, ".ipynb": _CONVERTED,
}  # fmt: skip
"""By suffix in lower case. Files of other suffixes are plain text, where an include pattern takes them."""

_KINDS = {one.kind: one for one in FORMATS.values()}


def suffix_of(path: str) -> str:
    """What follows the last dot of a file's name, with the dot: "" if there is none, or nothing before it.

    A name of dots and a suffix (`..md`) has that suffix; `.md` is a hidden file without one.
    """
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return dot + suffix if stem else ""


def kind_of(path: str, default: str = "text") -> str:
    """The kind of text that a file's name promises: "markdown", "mdx", "rst", "asciidoc", "org" or "text"."""
    format_ = FORMATS.get(suffix_of(path).lower())
    return format_.kind if format_ else default


@lru_cache(maxsize=1)  # a file is asked for its title, then for its sections
def scan(text: str, kind: str, start: int) -> Breaks:
    """The breaks of a text of some kind, in order; `start` is the offset where its body begins."""
    return _KINDS[kind].scan(with_line_feeds(text), start)
