"""How the lines of many documents begin, a column of each field: what a build holds of every document."""

from __future__ import annotations

import json
from array import array
from itertools import pairwise
from json.encoder import encode_basestring as quoted
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cache.texts import GrowingTexts, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..cache.documents import DocumentSummary

Array = NDArray[np.int64]

_VERSION_SIZE = len("sha256:") + 64


class Heads:
    """How the lines of documents begin, in UTF-8."""

    def __init__(
        self, source_starts: Array, ids: Texts, versions: Texts, titles: Texts, names: Texts, sources: Texts
    ) -> None:
        """A column of each field; `sources` has a source once for documents that follow each other."""
        self.ids = ids
        self.versions = versions
        self.titles = titles
        """As JSON spells them."""
        self.names = names
        """Headings and aliases, as they enter the identity of a cache."""
        self.sources = sources
        self.source_starts = source_starts
        """The first of the documents of each of `sources`."""

    def __len__(self) -> int:
        return len(self.ids)

    def chosen(self, numbers: Array) -> Heads:
        """Some of them, in this order."""
        runs = self.runs(numbers)
        starts = np.flatnonzero(np.diff(runs, prepend=-1))
        columns = [getattr(self, name).chosen(numbers) for name in _COLUMNS[:-1]]
        columns.append(self.sources.chosen(runs[starts]))
        return Heads(starts, *columns)

    def runs(self, numbers: Array) -> Array:
        """For each of these documents which of `sources` is its own."""
        return np.searchsorted(self.source_starts, numbers, side="right") - 1

    def with_aliases(self) -> Iterator[tuple[int, list[str]]]:
        """The numbers of the documents that have aliases, with these."""
        before_last = np.frombuffer(self.names.data, np.uint8)[self.names.ends - 3]
        for number in np.flatnonzero(before_last != ord("[")).tolist():
            yield number, json.loads(self.names[number])[1]


_COLUMNS = ("ids", "versions", "titles", "names", "sources")


class GrowingHeads:
    """Heads that come some at a time."""

    def __init__(self) -> None:
        self._count = 0
        self._source_starts = array("q")
        self._columns = {name: GrowingTexts() for name in _COLUMNS}

    def add(self, heads: Heads) -> None:
        """Put some behind all others."""
        self._source_starts.extend((heads.source_starts + self._count).tolist())
        self._count += len(heads)
        for name, column in self._columns.items():
            column.add(getattr(heads, name))

    def heads(self) -> Heads:
        """All of them."""
        starts = np.array(self._source_starts, np.int64)
        return Heads(starts, *(column.texts() for column in self._columns.values()))


def heads_of(documents: Sequence[DocumentSummary]) -> Heads:
    """The beginnings of the lines of documents."""
    sources = [document.source for document in documents]
    starts = [at for at, source in enumerate(sources) if not at or source != sources[at - 1]]
    return Heads(
        np.array(starts, np.int64),
        Texts.of([document.id.encode() for document in documents]),
        Texts.of([document.version.encode() for document in documents]),
        Texts.of([quoted(document.title).encode() for document in documents]),
        Texts.of([document.names for document in documents]),
        Texts.of([sources[at].encode() for at in starts]),
    )


def read_heads(data: bytes, starts: Iterable[int]) -> Heads:
    """The beginnings of the lines that start there, as `Document.line` writes them. Raises `ValueError`."""
    # A quotation mark inside a text is escaped, so no text looks like what is searched for.
    find, has_at = data.find, data.startswith
    ids, versions, titles, names, sources = columns = [list[bytes]() for _ in _COLUMNS]
    source_starts = []
    source_field = b"\n"  # of the line before, which often is that of this one, too; of none at first
    for start, stop in pairwise([*starts, len(data)]):
        version = find(b'","version":"', start, stop) + 13
        after_version = version + _VERSION_SIZE
        if not has_at(source_field, after_version):
            title = find(b',"title":', after_version, stop) + 9
            source_field = data[after_version:title]
            if not source_field.startswith(b'","source":"'):
                raise ValueError("not the line of a document")
            source_starts.append(len(ids))
            source = source_field[12:-10]
            sources.append(_plain(source) if b"\\" in source else source)
        title = after_version + len(source_field)
        headings = find(b',"headings":[', title, stop)
        aliases = find(b',"aliases":[', headings, stop)
        end = find(b',"content":"', aliases, stop)
        if end < 0 or not has_at(b'{"id":"', start):
            raise ValueError("not the line of a document")
        id_ = data[start + 7 : version - 13]
        ids.append(_plain(id_) if b"\\" in id_ else id_)
        versions.append(data[version:after_version])
        titles.append(data[title:headings])
        names.append(b"[%b,%b]" % (data[headings + 12 : aliases], data[aliases + 11 : end]))
    return Heads(np.array(source_starts, np.int64), *map(Texts.of, columns))


def _plain(text: bytes) -> bytes:
    """A text of JSON, without its quotation marks, as it is meant."""
    plain: str = json.loads(b'"%b"' % text)
    return plain.encode()
