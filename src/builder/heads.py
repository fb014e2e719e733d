"""How the lines of many documents begin, a column of each field: what a build holds of every document."""

from __future__ import annotations

import json
from array import array
from itertools import pairwise
from json.encoder import encode_basestring as quoted
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cache.manifest import document_identity, measured
from ..cache.texts import GrowingTexts, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..cache.documents import DocumentSummary

Array = NDArray[np.int64]

_OPENING = ord("[")
_SIZE = 8
_VERSION = len("sha256:") + 64
_BESIDE_ID_AND_NAMES = _SIZE + 1 + _VERSION + _SIZE
"""Bytes of a `document_identity` besides its id and its names."""


class Heads:
    """How the lines of documents begin, in UTF-8."""

    def __init__(
        self, source_starts: Array, id_sizes: Array, identities: Texts, titles: Texts, sources: Texts
    ) -> None:
        """A column of each field; `sources` has a source once for documents that follow each other."""
        self.source_starts = source_starts
        """The first of the documents of each of `sources`."""
        self.id_sizes = id_sizes
        """Bytes of the id of each."""
        self.identities = identities
        """Of each its `document_identity`: id, version, headings and aliases."""
        self.titles = titles
        """As JSON spells them."""
        self.sources = sources

    def __len__(self) -> int:
        return len(self.id_sizes)

    def chosen(self, numbers: Array) -> Heads:
        """Some of them, in this order."""
        runs = self.runs(numbers)
        starts = np.flatnonzero(np.diff(runs, prepend=-1))
        texts = (self.identities.chosen(numbers), self.titles.chosen(numbers))
        return Heads(starts, self.id_sizes[numbers], *texts, self.sources.chosen(runs[starts]))

    def runs(self, numbers: Array) -> Array:
        """For each of these documents which of `sources` is its own."""
        return np.searchsorted(self.source_starts, numbers, side="right") - 1

    def ids(self) -> list[bytes]:
        """The id of each."""
        data, starts = self.identities.data, self.identities.starts() + _SIZE
        ends = starts + self.id_sizes
        return [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

    def id(self, number: int) -> bytes:
        """The id of one."""
        return self.identities[number][_SIZE : _SIZE + int(self.id_sizes[number])]

    def versions(self, numbers: Array) -> list[bytes]:
        """The versions of some."""
        data, starts = self.identities.data, self._version_starts()[numbers].tolist()
        return [data[start : start + _VERSION] for start in starts]

    def version_beginnings(self) -> NDArray[np.uint64]:
        """The first hex digits of the digest of each, as a number."""
        at = self._version_starts() + len("sha256:")
        digits = np.frombuffer(self.identities.data, np.uint8)[at[:, None] + np.arange(8)]
        beginnings: NDArray[np.uint64] = digits.view(np.uint64)[:, 0]
        return beginnings

    def _version_starts(self) -> Array:
        return self.identities.starts() + _SIZE + self.id_sizes + 1

    def names(self, number: int) -> bytes:
        """The headings and aliases of one, as they enter the identity of a cache."""
        return self.identities[number][_BESIDE_ID_AND_NAMES + int(self.id_sizes[number]) :]

    def renamed(self, number: int, names: bytes) -> bytes:
        """The `document_identity` of one with other names."""
        before = _BESIDE_ID_AND_NAMES - _SIZE + int(self.id_sizes[number])
        return self.identities[number][:before] + measured(names)

    def with_aliases(self) -> list[int]:
        """The numbers of the documents that have aliases."""
        before_last = np.frombuffer(self.identities.data, np.uint8)[self.identities.ends - 3]
        return list(np.flatnonzero(before_last != _OPENING).tolist())

    def aliases(self, number: int) -> list[str]:
        """The aliases of one."""
        aliases: list[str] = json.loads(self.names(number))[1]
        return aliases


_TEXTS = ("identities", "titles", "sources")
_NUMBERS = ("source_starts", "id_sizes")


class GrowingHeads:
    """Heads that come some at a time."""

    def __init__(self) -> None:
        self._numbers = {name: array("q") for name in _NUMBERS}
        self._texts = {name: GrowingTexts() for name in _TEXTS}

    def add(self, heads: Heads) -> None:
        """Put some behind all others."""
        count = len(self._numbers["id_sizes"])
        self._numbers["source_starts"].frombytes((heads.source_starts + count).tobytes())
        self._numbers["id_sizes"].frombytes(heads.id_sizes.tobytes())
        for name, column in self._texts.items():
            column.add(getattr(heads, name))

    def heads(self) -> Heads:
        """All of them."""
        starts, id_sizes = (np.array(column, np.int64) for column in self._numbers.values())
        return Heads(starts, id_sizes, *(column.texts() for column in self._texts.values()))


def heads_of(documents: Sequence[DocumentSummary]) -> Heads:
    """The beginnings of the lines of documents."""
    sources = [document.source for document in documents]
    starts = [at for at, source in enumerate(sources) if not at or source != sources[at - 1]]
    ids = [document.id.encode() for document in documents]
    identities = [
        document_identity(id_, document.version.encode(), document.names)
        for id_, document in zip(ids, documents, strict=True)
    ]
    return Heads(
        np.array(starts, np.int64),
        np.array([*map(len, ids)], np.int64),
        Texts.of(identities),
        Texts.of([quoted(document.title).encode() for document in documents]),
        Texts.of([sources[at].encode() for at in starts]),
    )


def read_heads(data: bytes, starts: Iterable[int]) -> Heads:
    """The beginnings of the lines that start there, as `Document.line` writes them. Raises `ValueError`."""
    # A quotation mark inside a text is escaped, so no text looks like what is searched for.
    find, has_at = data.find, data.startswith
    parts, titles, sources = list[bytes](), list[bytes](), list[bytes]()
    source_starts, id_sizes, names_sizes = list[int](), list[int](), list[int]()
    source_field = b"\n"  # of the line before, which often is that of this one, too; of none at first
    for start, stop in pairwise([*starts, len(data)]):
        version = find(b'","version":"', start, stop) + 13
        after_version = version + _VERSION
        if not has_at(source_field, after_version):
            title = find(b',"title":', after_version, stop) + 9
            source_field = data[after_version:title]
            if not source_field.startswith(b'","source":"'):
                raise ValueError("not the line of a document")
            source_starts.append(len(titles))
            source = source_field[12:-10]
            sources.append(_plain(source) if b"\\" in source else source)
        title = after_version + len(source_field)
        headings = find(b',"headings":[', title, stop)
        end = find(b',"content":"', headings, stop)
        aliases = end - 13
        if not has_at(b',"aliases":[]', aliases):  # nearly all have none
            aliases = find(b',"aliases":[', headings, end)
        if headings < 0 or aliases < 0 or end < 0 or not has_at(b'{"id":"', start):
            raise ValueError("not the line of a document")
        id_ = data[start + 7 : version - 13]
        if b"\\" in id_:
            id_ = _plain(id_)
        names_size = end - headings - 20
        parts += (
            (len(id_) + 1 + _VERSION).to_bytes(_SIZE), id_, b":", data[version:after_version],
            names_size.to_bytes(_SIZE),
            b"[", data[headings + 12 : aliases], b",", data[aliases + 11 : end], b"]",
        )  # fmt: skip
        id_sizes.append(len(id_))
        names_sizes.append(names_size)
        titles.append(data[title:headings])
    ids, names = np.array(id_sizes, np.int64), np.array(names_sizes, np.int64)
    identities = Texts(b"".join(parts), np.cumsum(_BESIDE_ID_AND_NAMES + ids + names))
    return Heads(np.array(source_starts, np.int64), ids, identities, Texts.of(titles), Texts.of(sources))


def _plain(text: bytes) -> bytes:
    """A text of JSON, without its quotation marks, as it is meant."""
    plain: str = json.loads(b'"%b"' % text)
    return plain.encode()
