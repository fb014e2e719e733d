"""Which documents of a cache a name means: for query tests, judgements, and whoever asks about one document.

An id, a file, an alias or any heading of a file is compared literally; only a name that is none of these
is a pattern, as in a .gitignore (but `#` begins no comment): a folder, a file name at any depth, a glob.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..cache.documents import without_section
from ..patterns import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..cache.documents import DocumentSummary

_WILDCARD = re.compile(r"[*?\[\\]")


class DocumentPattern:
    """A pattern, ready to match. Any text is one; one that begins with `!` or is blank matches nothing."""

    def __init__(self, text: str) -> None:
        line = text.encode("utf-8", "surrogatepass")
        pattern = parse(b"\\" + line if line.startswith(b"#") else line, 0)
        self._pattern = None if pattern is None or pattern.negated else pattern
        self._match = re.compile(pattern.expression if pattern else b"(?!)", re.DOTALL).fullmatch

    def matches(self, path: str) -> bool:
        """Whether the pattern matches a path (`file`, `file#section`) or a folder that it lies in."""
        if self._pattern is None:
            return False
        file = path.encode("utf-8", "surrogatepass")
        folders = (file[: slash.start()] for slash in re.finditer(b"/", file))
        return self._matches(file, is_folder=False) or any(
            self._matches(folder, is_folder=True) for folder in folders
        )

    def _matches(self, path: bytes, *, is_folder: bool) -> bool:
        assert self._pattern is not None
        if self._pattern.folders_only and not is_folder:
            return False
        return bool(self._match(path.rpartition(b"/")[2] if self._pattern.anywhere else path))


class DocumentNames:
    """The names of all documents of a cache."""

    def __init__(self, summaries: Iterable[DocumentSummary]) -> None:
        """`summaries` of the cache, in order."""
        self._ids: dict[str, dict[str, None]] = {}
        self._components: set[str] = set()
        for summary in summaries:
            for name in _names(summary):
                self._ids.setdefault(name, {})[summary.id] = None
            for path in (summary.source, *summary.aliases):
                self._components.update(path.split("/"))
        self._matches: dict[str, list[str]] = {}

    @property
    def names(self) -> list[str]:
        """Everything that a document can be called."""
        return list(self._ids)

    def ids(self, text: str) -> list[str]:
        """The ids of the documents that a name or a pattern means, in the order of the cache."""
        if text not in self._matches:
            exact = self._ids.get(text)
            ids = self._matching(text) if exact is None else exact
            self._matches[text] = sorted(ids, key=str.encode)
        return self._matches[text]

    def _matching(self, text: str) -> dict[str, None]:
        """The ids of the documents that have a name which the pattern matches."""
        last_component = text.strip("/").rpartition("/")[2]
        if not _WILDCARD.search(text) and last_component not in self._components:
            return {}  # it cannot match, and there may be thousands of such names
        pattern = DocumentPattern(text)
        return {id_: None for name, ids in self._ids.items() if pattern.matches(name) for id_ in ids}


def _names(summary: DocumentSummary) -> Iterator[str]:
    """What a document is called: its id, its file, its headings, its aliases and their files."""
    yield summary.id
    yield summary.source
    for slug, _ in summary.headings:
        yield f"{summary.source}#{slug}"
    for alias in summary.aliases:
        yield alias
        yield without_section(alias)
