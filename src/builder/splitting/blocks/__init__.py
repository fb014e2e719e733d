"""Scanners: one kind of text in, the places where it may be cut out."""

from __future__ import annotations

from . import asciidoc, markdown, plain, rst
from .breaks import BODY, Block, Break, blocks
from .lines import line_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BODY", "SCANNERS", "Block", "Break", "blocks", "line_number"]

SCANNERS: dict[str, Callable[[str, int], list[Break]]] = {
    "markdown": markdown.scan,
    "rst": rst.scan,
    "asciidoc": asciidoc.scan,
    "text": plain.scan,
}
"""By kind: (text, offset where the body begins) -> its breaks in order."""
