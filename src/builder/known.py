"""What is known of the sources of a cache, and whether a source is still what it was."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING

from ..cache.store import Store
from .compile import DIGEST, LINE, metadata_of
from .report import Skipped
from .sources import SourceFile, front_matter, is_convertible, read_bytes, text_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..cache.documents import Document
    from ..cache.legacy import LegacyStore
    from .convert import Converter
    from .record import Record
    from .sources import Rules


class Fate(Enum):
    """What became of a source since the cache was built."""

    SAME = "same"
    ADDED = "added"
    CHANGED = "changed"
    NO_DOCUMENT = "no document"
    """It was none and is none: not UTF-8, say."""


class Known(ABC):
    """The sources of a cache, and how to tell whether one has changed."""

    def __init__(self, rules: Rules, convert: Converter) -> None:
        """`rules` are those in force now."""
        self._rules = rules
        self._convert = convert
        self.unchanged: dict[str, str] = {}
        """Sources that a rebuild may keep, with the hex SHA-256 of their bytes; as they are judged."""

    @property
    @abstractmethod
    def ids(self) -> Collection[str]:
        """The sources that became documents."""

    @abstractmethod
    def is_same(self, file: SourceFile, data: bytes) -> bool:
        """Whether these bytes are those that the documents of a file were made from."""

    def is_document(self, file: SourceFile, data: bytes) -> bool:
        """Whether these bytes become documents."""
        if self.converts(file):
            return not isinstance(self._convert(file.id, data), str)
        return not isinstance(text_of(file, data), Skipped)

    def converts(self, file: SourceFile) -> bool:
        """Whether a file is one that conversion makes text."""
        return self._rules.convert and is_convertible(file.id)

    def fate(self, file: SourceFile) -> Fate:
        """Read a file and judge it."""
        data = read_bytes(file, max_file_bytes=self._rules.max_file_bytes)
        if file.id in self.ids:
            same = not isinstance(data, Skipped) and self.is_same(file, data)
            return Fate.SAME if same else Fate.CHANGED
        if isinstance(data, Skipped) or not self.is_document(file, data):
            return Fate.NO_DOCUMENT
        return Fate.ADDED


class Held(Known):
    """As the documents of a cache tell, which are all that a copy of it brings along."""

    def __init__(self, store: Store | LegacyStore, rules: Rules, convert: Converter) -> None:
        """List the documents of `store` by source. Raises `CacheInvalid`."""
        super().__init__(rules, convert)
        self._store = store
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number in range(store.manifest.document_count):
            self._numbers[store.heading(number).source].append(number)

    @property
    def ids(self) -> Collection[str]:
        """The sources that became documents."""
        return self._numbers.keys()

    def is_same(self, file: SourceFile, data: bytes) -> bool:
        """Whether the documents, joined, are the text of these bytes."""
        documents = [self._store.document(number) for number in self._numbers[file.id]]
        first = documents[0].metadata
        if self.converts(file):
            return bool(first.get(DIGEST) == hashlib.sha256(data).hexdigest())
        text = text_of(file, data)
        if isinstance(text, Skipped) or text.text != _joined(documents):
            return False
        told = metadata_of(text, front_matter(text.text))
        return not isinstance(self._store, Store) or first.get("encoding") == told.get("encoding")


class Recorded(Known):
    """As the record of the build tells, by digests."""

    def __init__(self, record: Record, rules: Rules, convert: Converter) -> None:
        """`record` is that of the cache."""
        super().__init__(rules, convert)
        self._record = record

    @property
    def ids(self) -> Collection[str]:
        """The sources that became documents."""
        return self._record.documents.keys()

    def is_same(self, file: SourceFile, data: bytes) -> bool:
        """Whether the bytes of a file have the digest that they had."""
        digest = hashlib.sha256(data).hexdigest()
        same = digest == self._record.documents[file.id]
        if same and file.id not in self._record.told:
            self.unchanged[file.id] = digest
        return same

    def is_document(self, file: SourceFile, data: bytes) -> bool:
        """Whether these bytes become documents; not tried again with bytes that did not."""
        known = self._record.skipped.get(file.id)
        if known is not None and known == hashlib.sha256(data).hexdigest():
            return False
        return super().is_document(file, data)


def _joined(documents: list[Document]) -> str:
    """The text of a source from its documents, which stand in the order of their ids."""
    # One document is the whole source, and its front matter may have any key.
    in_order = sorted(documents, key=_line) if len(documents) > 1 else documents
    return "".join(document.content for document in in_order)


def _line(document: Document) -> int:
    line = document.metadata.get(LINE)
    return int(line) if isinstance(line, str) and line.isdecimal() else 0
