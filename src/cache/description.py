"""What a cache is about, in one line: its author's words, else the title of its first page."""

from __future__ import annotations

from ..errors import CtxError
from ..text.visible import visible
from .store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .format1 import LegacyStore

LONGEST = 80  # characters
_FIRST_PAGES = tuple(
    f"{name}{suffix}"
    for name in ("index", "README", "readme", "Readme")
    for suffix in (".md", ".rst", ".adoc", ".txt", ".html")
)


def description_of(store: Store | LegacyStore) -> str:
    """One line of at most 80 characters, safe for a terminal; empty where a cache says nothing."""
    text = store.manifest.description
    if not text and isinstance(store, Store):
        try:
            text = _title_of_first_page(store)
        except CtxError:  # a damaged cache is told of by its answers
            text = ""
    line = visible(" ".join(text.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _title_of_first_page(store: Store) -> str:
    """The title of the index page or README at the top of the sources."""
    for page in _FIRST_PAGES:
        number = store.position_of(page)
        if number < store.index.documents:
            summary = store.summary(number)
            if summary.source == page:
                return summary.title.partition(" > ")[0]  # of a section, the title of the page
    return ""
