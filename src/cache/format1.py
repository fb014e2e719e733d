"""An open cache of format 1, the layout of the Context Engine's v0 caches.

All documents are read on opening, since all of them take part in every answer; each is checked
against the manifest and against its own version. From then on, no rebuild disturbs this reader.
"""

from __future__ import annotations

from bisect import bisect_left

from ..errors import CacheInvalid
from .documents import Document, DocumentSummary, version_of
from .files import read_regular
from .manifest import Manifest, parse_object


def bytes_as_tokens(content: str) -> int:
    """The token estimate of format 1: UTF-8 bytes ÷ 4, rounded up."""
    return -(-len(content.encode("utf-8")) // 4)


class Format1Store:
    """The documents of a format 1 cache, by number in id order. It never changes, so threads may share it."""

    def __init__(self, directory: str, manifest: Manifest) -> None:
        """Read all documents. Raises `CacheInvalid`, `IoError`; `FileNotFoundError` when one is gone."""
        self.directory = directory
        self.manifest = manifest
        self._documents = [self._read(*entry) for entry in manifest.entries]

    def document(self, number: int) -> Document:
        """The document with this number, in id order from 0."""
        return self._documents[number]

    def summary(self, number: int) -> DocumentSummary:
        """The document with this number; its content is in memory anyway."""
        return self.document(number)

    def all_documents(self) -> list[Document]:
        """All documents, sorted by id."""
        return self._documents

    def number_of(self, id_: str) -> int | None:
        """The number of the document with this id, or None."""
        number = self.position_of(id_)
        entries = self.manifest.entries
        return number if number < len(entries) and entries[number][0] == id_ else None

    def position_of(self, id_: str) -> int:
        """How many documents have a smaller id."""
        wanted = id_.encode("utf-8", "surrogatepass")
        return bisect_left(self.manifest.entries, wanted, key=lambda entry: entry[0].encode("utf-8"))

    def _read(self, id_: str, version: str, file: str) -> Document:
        path = f"{self.directory}/{file}"
        fields = parse_object(read_regular(path), at=path)
        content, source = fields.get("content"), fields.get("source", id_)
        metadata = fields.get("metadata", {})
        if type(content) is not str or type(source) is not str or type(metadata) is not dict:
            raise CacheInvalid(f"{path}: content, source or metadata is missing or of the wrong type")
        if (fields.get("id"), fields.get("version")) != (id_, version):
            raise CacheInvalid(f"{path}: not the document that the manifest lists")
        try:
            actual = version_of(content)
            source.encode("utf-8")
        except UnicodeEncodeError:
            raise CacheInvalid(f"{path}: the content or the source is not valid Unicode") from None
        if actual != version:
            raise CacheInvalid(f"{path}: the content does not match its version")
        return Document(
            id=id_,
            version=version,
            source=source,
            title="",
            content=content,
            tokens=bytes_as_tokens(content),
            words=len(content.lower().split()),
            metadata=metadata,
        )
