"""The sources of a cache when it was built, and whether one has changed since.

A record of the build has the digest of each source; without one, the documents of the cache, joined, are
compared with the text.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING

from ..cache.documents import file_of, file_of_alias, version_of
from ..cache.store import Store
from ..text import token_counter
from .compile import told_encoding
from .report import Skipped
from .sources.decode import read_bytes, text_of
from .sources.front_matter import front_matter
from .splitting.formats import is_convertible, kind_of
from .splitting.sections import split

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..cache.documents import Document
    from ..cache.format1 import Format1Store
    from ..safeio import OpenFolder
    from .convert import Converter
    from .incremental import Record
    from .sources.source_filter import Rules, SourceFile


class SourceStatus(Enum):
    """What became of a source since the cache was built."""

    SAME = "same"
    ADDED = "added"
    CHANGED = "changed"
    NO_DOCUMENT = "no document"
    """It was none and is none: not UTF-8, say."""


class SourceState(ABC):
    """The sources of a cache when it was built, and how to tell whether one has changed."""

    def __init__(self, rules: Rules, convert: Converter) -> None:
        """`rules` are those in force now."""
        self._rules = rules
        self._convert = convert
        self.unchanged: dict[str, str] = {}
        """Sources that a rebuild may reuse, with the hex SHA-256 of their bytes; grows with each `status`."""
        self.unreadable: list[Skipped] = []
        """What the system refused to read; grows with each `status`."""
        self.line_ends = 0
        """How many sources have changed in line ends alone; grows likewise."""

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

    def status(self, file: SourceFile, folder: OpenFolder | None = None) -> SourceStatus:
        """Read a file, in a folder that may be open, and judge it."""
        data = read_bytes(file, max_file_bytes=self._rules.max_file_bytes, folder=folder)
        if isinstance(data, Skipped) and data.unreadable:
            self.unreadable.append(data)
        if file.id in self.ids:
            if isinstance(data, Skipped):
                return SourceStatus.CHANGED
            if self.is_same(file, data):
                return SourceStatus.SAME
            self.line_ends += b"\r\n" in data and self.is_same(file, data.replace(b"\r\n", b"\n"))
            self.unchanged.pop(file.id, None)
            return SourceStatus.CHANGED
        if isinstance(data, Skipped) or not self.is_document(file, data):
            return SourceStatus.NO_DOCUMENT
        return SourceStatus.ADDED


class StateFromCache(SourceState):
    """According to the documents of the cache, which are all that a copy of it brings along."""

    def __init__(self, store: Store | Format1Store, rules: Rules, convert: Converter) -> None:
        """List the documents of `store` by file. Raises `CacheInvalid`."""
        super().__init__(rules, convert)
        self._store = store
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        self._shared: defaultdict[str, dict[str, str]] = defaultdict(dict)  # id -> version, of aliases
        self._with_aliases: set[str] = set()  # files whose documents have aliases
        for number in range(store.manifest.document_count):
            summary = store.summary(number)
            file = file_of(summary.source)
            self._numbers[file].append(number)
            if summary.aliases:
                self._with_aliases.add(file)
            for alias in summary.aliases:
                self._shared[file_of_alias(alias)][alias] = summary.version
        self._ids = self._numbers.keys() | self._shared.keys()

    @property
    def ids(self) -> Collection[str]:
        """The sources that became documents."""
        return self._ids

    def is_same(self, file: SourceFile, data: bytes) -> bool:
        """Whether the documents, joined, are the text of these bytes."""
        if file.id in self._shared:
            return self._is_cut_so(file, data)
        documents = [self._store.document(number) for number in self._numbers[file.id]]
        first = documents[0].origin
        if self.converts(file):
            digest = hashlib.sha256(data).hexdigest()
            same = bool(first.digest == digest)
            if same and file.id not in self._with_aliases:
                self.unchanged[file.id] = digest  # what takes longest is reused without a record, too
            return same
        text = text_of(file, data)
        if isinstance(text, Skipped) or text.text != _joined(documents):
            return False
        return not isinstance(self._store, Store) or first.encoding == told_encoding(text)

    def _is_cut_so(self, file: SourceFile, data: bytes) -> bool:
        """The same where documents are shared with other sources, so that their order is not known."""
        now: dict[str, str] = {}
        for source, text, body_start in self._texts(file, data):
            now |= self._versions(source, text, kind_of(file.id), body_start)
        own = (self._store.summary(number) for number in self._numbers.get(file.id, ()))
        return now == self._shared[file.id] | {summary.id: summary.version for summary in own}

    def _texts(self, file: SourceFile, data: bytes) -> Iterator[tuple[str, str, int]]:
        """The texts of a file with their sources, and where their bodies begin."""
        if not self.converts(file):
            read = text_of(file, data)
            if not isinstance(read, Skipped):
                yield file.id, read.text, front_matter(read.text).end
            return
        converted = self._convert(file.id, data)
        if not isinstance(converted, str):
            yield from ((one.source(file.id), one.text, 0) for one in converted)

    def _versions(self, source: str, text: str, kind: str, body_start: int) -> dict[str, str]:
        """The id and version of each document that a text becomes."""
        config = self._store.manifest.build_config
        sections = split(
            text,
            kind=kind,
            max_tokens=config["split"].get("max_tokens"),
            counter=token_counter(config["tokenizer"]),
            body_start=body_start,
        )
        return {f"{source}#{one.slug}" if one.slug else source: version_of(one.text) for one in sections}


class StateFromRecord(SourceState):
    """According to the record of the build, by digests."""

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
        if same and file.id not in self._record.warned:
            self.unchanged[file.id] = digest
        return same

    def is_document(self, file: SourceFile, data: bytes) -> bool:
        """Whether these bytes become documents; not tried again with bytes that did not."""
        skipped = self._record.skipped.get(file.id)
        if skipped is not None and skipped == hashlib.sha256(data).hexdigest():
            return False
        return super().is_document(file, data)


def _joined(documents: list[Document]) -> str:
    """The text of a source from its documents, which stand in the order of their ids."""
    return "".join(document.content for document in sorted(documents, key=lambda one: one.origin.line))
