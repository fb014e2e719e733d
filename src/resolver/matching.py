"""Patterns that name documents: an id, a source, a folder, or a glob of either.

`deploy/rollback.md` is the document of that id or all sections of that source, `archive/` what
lies in that folder, `deploy/*.md` what the glob matches: `*` and `?` within a name, `**` across
folders.
"""

from __future__ import annotations

import re
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    class Named(Protocol):
        """What has an id and a source."""

        id: str
        source: str


_PARTS = re.compile(r"\*\*/|\*\*|\*|\?")
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


class DocumentPattern:
    """A pattern, ready to match."""

    def __init__(self, text: str) -> None:
        """Any text is a pattern; one without `*` and `?` is taken literally."""
        self.text = text
        glob = text + "**" if text.endswith("/") else text
        ends = [0, *(place for match in _PARTS.finditer(glob) for place in match.span()), len(glob)]
        pieces = [glob[start:end] for start, end in pairwise(ends)]
        self._match = re.compile("".join(_WILD.get(p) or re.escape(p) for p in pieces), re.DOTALL).fullmatch

    def matches(self, id_: str, source: str) -> bool:
        """Whether a document with this id and source is meant."""
        return self.text in (id_, source) or bool(self._match(source) or self._match(id_))

    def among(self, documents: Iterable[Named]) -> list[str]:
        """The ids of the documents that are meant, in the order given."""
        return [document.id for document in documents if self.matches(document.id, document.source)]
