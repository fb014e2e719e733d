"""The formats of documents: by the suffix of a file's name, how its text is read."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .asciidoc import AsciidocScanner
from .blocks import Scanner, TextScanner, with_line_feeds
from .markdown import MarkdownScanner, MdxScanner
from .org import OrgScanner
from .rst import RstScanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .blocks import Breaks


class Format(NamedTuple):
    """How the text of a file is read."""

    kind: str
    """The name of the syntax, as `GivenText.kind` and `split` take it."""
    scanner: type[Scanner]
    """What finds the breaks of its text."""
    taken: bool = True
    """Whether a walk takes such files without an include pattern."""
    converted: bool = False
    """Whether the file is no text and conversion makes it one."""


_MARKDOWN = Format("markdown", MarkdownScanner)
_CONVERTED = _MARKDOWN._replace(converted=True)
_MDX = Format("mdx", MdxScanner)
_RST = Format("rst", RstScanner)
_ASCIIDOC = Format("asciidoc", AsciidocScanner)
_ORG = Format("org", OrgScanner)
_TEXT = Format("text", TextScanner)

FORMATS = {
    ".md": _MARKDOWN, ".markdown": _MARKDOWN, ".mdown": _MARKDOWN, ".mkd": _MARKDOWN, ".mdx": _MDX,
    ".rst": _RST, ".rest": _RST._replace(taken=False),
    ".adoc": _ASCIIDOC, ".asciidoc": _ASCIIDOC,
    ".txt": _TEXT, ".text": _TEXT, ".org": _ORG,
    ".pdf": _CONVERTED, ".docx": _CONVERTED, ".pptx": _CONVERTED, ".xlsx": _CONVERTED,
    ".html": _CONVERTED, ".htm": _CONVERTED, ".epub": _CONVERTED, ".ipynb": _CONVERTED,
}  # fmt: skip
"""By suffix in lower case. Files of other suffixes are plain text, where an include pattern takes them."""

TEXT_FORMATS = frozenset(suffix for suffix, one in FORMATS.items() if one.taken and not one.converted)
"""Suffixes, in lower case, that are taken without an include pattern."""

CONVERTED_FORMATS = frozenset(suffix for suffix, one in FORMATS.items() if one.converted)
"""Suffixes, in lower case, of documents that become text by conversion; see `builder.convert`."""

_CONVERTED_ENDS = tuple(CONVERTED_FORMATS)
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


def is_convertible(path: str) -> bool:
    """Whether a file of this name holds a document that only conversion makes text."""
    return path.lower().endswith(_CONVERTED_ENDS) and suffix_of(path) != ""


@lru_cache(maxsize=1)  # a file is asked for its title, then for its sections
def scan(text: str, kind: str, start: int) -> Breaks:
    """The breaks of a text of some kind, in order; `start` is the offset where its body begins."""
    return _KINDS[kind].scanner(with_line_feeds(text)).scan(start)
