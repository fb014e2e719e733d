"""A document by a name that someone uses for it: its id, the anchor of a heading in it, or an alias."""

from __future__ import annotations

from .store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .documents import DocumentSummary
    from .format1 import LegacyStore

_AT_ONCE = 1024  # lines


def find_document(store: Store | LegacyStore, name: str) -> int | None:
    """The number of the document with this id, that holds this heading (`file#slug`) or has this alias.

    An id comes first, then a heading. Aliases are in no index: the documents file is read for them.
    """
    number = store.number_of(name)
    if number is not None or not isinstance(store, Store):
        return number
    number = _with_heading(store, name)
    if number is None:
        number = _with_alias(store, name)
    source, _, slug = name.rpartition("#")
    if number is None and source:
        whole = _with_alias(store, source)
        number = whole if whole is not None and _holds(store.summary(whole), slug) else None
    return number


def _with_heading(store: Store, name: str) -> int | None:
    """The document of a file that holds the heading."""
    source, _, slug = name.rpartition("#")
    for number in _of_file(store, source) if source else ():
        summary = store.summary(number)
        if summary.source == source and _holds(summary, slug):
            return number
    return None


def _holds(summary: DocumentSummary, slug: str) -> bool:
    return any(slug == own for own, _ in summary.headings)


def _of_file(store: Store, source: str) -> Iterator[int]:
    """The documents whose ids are those of a file or its sections."""
    whole = store.number_of(source)
    if whole is not None:
        yield whole
    sections = f"{source}#"
    number = _position(store, sections)
    while number < store.index.documents and store.summary(number).id.startswith(sections):
        yield number
        number += 1


def _position(store: Store, id_: str) -> int:
    """How many documents have a smaller id."""
    wanted = id_.encode("utf-8", "surrogatepass")
    low, high = 0, store.index.documents
    while low < high:
        middle = (low + high) // 2
        if store.summary(middle).id.encode("utf-8") < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def _with_alias(store: Store, name: str) -> int | None:
    """The document that has the alias."""
    name_bytes = name.encode("utf-8", "surrogatepass")
    for start in range(0, store.index.documents, _AT_ONCE):
        lines = store.lines(start, min(start + _AT_ONCE, store.index.documents))
        for number, line in enumerate(lines, start):
            # In nearly all lines there is nothing to parse. An id with a quote or backslash is parsed.
            beginning = line.partition(b',"content":"')[0]
            if beginning.endswith(b'"aliases":[]'):
                continue
            if (name_bytes in beginning or b"\\" in beginning) and name in store.summary(number).aliases:
                return number
    return None
