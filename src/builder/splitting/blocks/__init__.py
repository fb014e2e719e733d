"""Scanners: one kind of text in, the places where it may be cut out."""

from __future__ import annotations

from functools import lru_cache

from . import asciidoc, markdown, plain, rst
from .breaks import BODY, Blocks, Breaks, blocks
from .lines import with_line_feeds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BODY", "Blocks", "Breaks", "blocks", "scan", "with_line_feeds"]

_SCANNERS: dict[str, Callable[[str, int], Breaks]] = {
    "markdown": markdown.scan,
    "rst": rst.scan,
    "asciidoc": asciidoc.scan,
    "text": plain.scan,
}
"""By kind: (text whose lines end with a line feed, offset where the body begins) -> its breaks in order."""


@lru_cache(maxsize=1)  # a file is asked for its title, then for its sections
def scan(text: str, kind: str, start: int) -> Breaks:
    """The breaks of a text of some kind, in order; `start` is the offset where its body begins."""
    return _SCANNERS[kind](with_line_feeds(text), start)
