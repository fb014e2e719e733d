"""Patterns that name documents: an id, a source, a folder, or a glob of either.

`deploy/rollback.md` is the document of that id or all sections of that source, `archive/` what
lies in that folder, `deploy/*.md` what the glob matches: `*` and `?` within a name, `**` across
folders; `**/` is any folders, or none.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    class Named(Protocol):
        """What has an id and a source."""

        id: str
        source: str


_ACROSS = re.compile(r"((?:(?<![^/])\*\*/)+|\*{2,})")


class DocumentPattern:
    """A pattern, ready to match."""

    def __init__(self, text: str) -> None:
        """Any text is a pattern; one without `*` and `?` is taken literally."""
        self.text = text
        glob = text + "**" if text.endswith("/") else text
        self._match = re.compile(_expression(glob), re.DOTALL).fullmatch

    def matches(self, id_: str, source: str) -> bool:
        """Whether a document with this id and source is meant."""
        return self.text in (id_, source) or bool(self._match(source) or self._match(id_))

    def among(self, documents: Iterable[Named]) -> list[str]:
        """The ids of the documents that are meant, in the order given."""
        return [document.id for document in documents if self.matches(document.id, document.source)]


def _expression(glob: str) -> str:
    """A glob as a regular expression that does not try again what it has placed.

    What stands before a wildcard leaves most to it at the first place where it fits.
    """
    first, *rest = _ACROSS.split(glob)
    stretches = [_within_name(first)]
    for wild, text in zip(rest[::2], rest[1::2], strict=True):
        stretches.append(("(?:.*?/)??" if wild.endswith("/") else ".*?") + _within_name(text))
    return "".join(f"(?>{stretch})" for stretch in stretches[:-1]) + stretches[-1]


def _within_name(glob: str) -> str:
    """The same for a glob whose wildcards match no `/`."""
    first, *rest = ("[^/]".join(map(re.escape, piece.split("?"))) for piece in glob.split("*"))
    return (
        first
        + "".join(f"(?>[^/]*?{piece})" for piece in rest[:-1])
        + "".join(f"[^/]*?{p}" for p in rest[-1:])
    )
