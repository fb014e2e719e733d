"""Reading one document of a cache whole, and which stand beside it in its file (rule C18)."""

from __future__ import annotations

from ..cache.documents import in_order
from ..cache.store import Store, documents_of, find_document
from ..errors import InvalidQuery
from ..jsonio import JsonResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..cache.documents import Document
    from ..cache.format1 import Format1Store

_NEAREST = 3  # ids that an error names


class ReadDocument(JsonResult):
    """A document, and the ids of the one before and the one after it in its file."""

    def __init__(self, document: Document, *, previous: str = "", following: str = "") -> None:
        """An id is empty where there is no such document."""
        self.document = document
        self.previous = previous
        self.following = following

    def to_dict(self) -> dict[str, Any]:
        """The fields of rule C18 in their order; an id that there is not is left out."""
        document = self.document
        fields: dict[str, Any] = {
            "id": document.id,
            "title": document.title,
            "headings": [title for _, title in document.headings],
            "tokens": document.tokens,
            "version": document.version,
            "content": document.content,
        }
        if self.previous:
            fields["previous"] = self.previous
        if self.following:
            fields["next"] = self.following
        return fields


def checked_id(value: object) -> str:
    """An id, or `InvalidQuery` for what can be none."""
    if not isinstance(value, str) or not value:
        raise InvalidQuery("the id of a document is needed")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidQuery("an id is valid Unicode") from None
    return value


def read_document(store: Store | Format1Store, id_: str) -> ReadDocument:
    """The document with this id, with this heading, or identical to the one of this id.

    Raises `InvalidQuery` naming the nearest ids, `CacheInvalid`, `IoError`.
    """
    number = find_document(store, id_)
    if number is None:
        near = ", ".join(_nearest(store, id_))
        raise InvalidQuery(f"there is no document {id_!r}; the nearest ids are {near or 'none: it is empty'}")
    document = store.document(number)
    if not isinstance(store, Store):
        return ReadDocument(document)
    previous, following = _beside(store, document)
    return ReadDocument(document, previous=previous, following=following)


def _beside(store: Store, document: Document) -> tuple[str, str]:
    """The ids before and after a document in its file, empty where there is none."""
    ids = _in_order(store, document.source)
    index = ids.index(document.id) if len(ids) > 1 else 0
    return ids[index - 1] if index else "", ids[index + 1] if index + 1 < len(ids) else ""


def _in_order(store: Store, source: str) -> list[str]:
    """The ids of the documents of a file, as they follow each other in it."""
    documents = (store.document(number) for number, _ in documents_of(store, source))
    return [document.id for document in in_order(documents)]


def _nearest(store: Store | Format1Store, id_: str) -> list[str]:
    """The ids of the first sections of a file that was cut, or some that stand where this one would."""
    if isinstance(store, Store) and (sections := _in_order(store, id_)):
        return sections[:_NEAREST]
    count = store.manifest.document_count
    first = max(0, min(store.position_of(id_) - 1, count - _NEAREST))
    return [store.summary(number).id for number in range(first, min(count, first + _NEAREST))]
