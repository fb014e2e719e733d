"""Scanners: one kind of text in, the places where it may be cut out."""

from __future__ import annotations

from functools import lru_cache

from . import asciidoc, markdown, plain, rst
from .breaks import BODY, Block, Break, blocks
from .lines import line_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["BODY", "Block", "Break", "blocks", "line_number", "scan"]

_SCANNERS: dict[str, Callable[[str, int], list[Break]]] = {
    "markdown": markdown.scan,
    "rst": rst.scan,
    "asciidoc": asciidoc.scan,
    "text": plain.scan,
}
"""By kind: (text whose lines end with a line feed, offset where the body begins) -> its breaks in order."""


@lru_cache(maxsize=1)  # a file is asked for its title, then for its sections
def scan(text: str, kind: str, start: int) -> Sequence[Break]:
    """The breaks of a text of some kind, in order; `start` is the offset where its body begins."""
    if "\r" in text:  # as long as before, so that offsets stay
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return _SCANNERS[kind](text, start)
