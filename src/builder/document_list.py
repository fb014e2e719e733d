"""The documents of a cache that is being written, and where their lines lie.

Identical documents are one: the first id by order; the ids of the others are its aliases. Documents are
identical when content and title are. A copy of a folder for another version of a program brings many of
them, and an answer would say the same again and again.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from contextlib import nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import with_aliases
from ..cache.texts import consecutive
from ..errors import SCRATCH_CHANGED, CacheInvalid, IoError
from .heads import GrowingHeads, Heads, read_heads
from .report import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from ..cache.publish import Staging
    from .reuse import Reuse

Array = NDArray[np.int64]
CHUNK = 1 << 20  # bytes
LINES = "lines"
"""The scratch file of new lines."""

COLUMNS = ("tokens", "words", "title_words", "line_checksums")
"""What an index holds of each document besides the end of its line."""


class Sorted(NamedTuple):
    """What is known of all documents once they are in the order of their ids."""

    numbers: Array
    """For each document that came its number, -1 for one that did not stay."""
    heads: Heads
    """How the lines of those that stayed begin."""
    aliases: dict[int, list[str]]
    """The ids of the documents that are identical to one that stays, by its number."""
    same_content: list[tuple[int, int]]
    """The documents that have the content of another, each with the first that has it."""


class DocumentList:
    """The documents of a cache: in the order in which they come, after `sort` by id.

    A line lies in the file that is reused or, behind that, in a new one: offsets are those of both
    together, with a gap between.
    """

    def __init__(self, staging: Staging) -> None:
        """New lines are kept in the scratch directory of `staging`."""
        self._scratch = staging.scratch
        self._lines = staging.open(LINES)
        self._reuse: Reuse | None = None
        self._base = 0
        self._heads = GrowingHeads()
        self._columns = {name: array("q") for name in (*COLUMNS, "starts", "lengths")}
        self._starts = np.zeros(0, np.int64)  # once sorted, of the line of each document
        self.columns: dict[str, Array] = {}
        """Once sorted, for each document what `COLUMNS` name, and the `lengths` of their lines."""

    def reuse(self, reuse: Reuse) -> None:
        """Take documents of another cache, before any others."""
        self._reuse = reuse
        self._base = reuse.size + 1
        self._heads.add(reuse.heads)
        self._extend(reuse.columns)

    def add(self, lines: bytes, heads: Heads, columns: Mapping[str, Any]) -> None:
        """Take new documents: their lines, how each begins, and its numbers, `lengths` included."""
        ends = np.cumsum([self._base + self._lines.tell(), *columns["lengths"]])
        self._heads.add(heads)
        self._extend({**columns, "starts": ends[:-1]})
        self._lines.write(lines)

    def _extend(self, columns: Mapping[str, Any]) -> None:
        for name, column in self._columns.items():
            column.frombytes(np.asarray(columns[name], np.int64).tobytes())

    def sort(self, *, unique: bool) -> Sorted:
        """Put the documents in the order of their ids; of identical ones the first stays where `unique`.

        Raises `SourceError` when two ids are equal, and where the document is gone that others are copies of.
        """
        heads, self._heads = self._heads.heads(), GrowingHeads()
        self.columns = {name: np.frombuffer(column, np.int64) for name, column in self._columns.items()}
        self._columns.clear()
        order = _order(heads.ids())
        alike = _alike(heads, order)
        merged: dict[int, list[str]] = {}
        if unique:
            order, merged = self._merged(heads, order, alike)
        numbers = np.full(len(heads), -1)
        numbers[order] = np.arange(len(order))
        for name, column in self.columns.items():
            self.columns[name] = column[order]
        self._starts = self.columns.pop("starts")
        aliases = {int(numbers[number]): ids for number, ids in merged.items()}
        same_content = []
        for group in alike:
            first, *others = (number for number in numbers[group].tolist() if number >= 0)
            same_content += [(other, first) for other in others]
        return Sorted(numbers, heads.chosen(order), aliases, same_content)

    def _merged(
        self, heads: Heads, order: Array, alike: list[list[int]]
    ) -> tuple[Array, dict[int, list[str]]]:
        """Of identical documents only the first, with the ids of the others as aliases."""
        titles = heads.titles
        others: dict[int, list[int]] = {}
        for group in alike:
            first: dict[bytes, int] = {}
            for number in group:
                same = first.setdefault(titles[number], number)
                if same != number:
                    others.setdefault(same, []).append(number)
        merged = {number for numbers in others.values() for number in numbers}
        order = order[~np.isin(order, list(merged))]
        if not self.columns["lengths"][order].all():  # a copy of what was then compiled again from other text
            raise SourceError("a source has changed while it was read: build again")
        stored = self._reuse.aliases if self._reuse is not None else {}
        changed = self._reuse.changed_aliases if self._reuse is not None else set()
        all_aliases: dict[int, list[str]] = {}
        rewritten: dict[int, bytes] = {}
        for number in (others.keys() | stored.keys()) - merged:
            group = [number, *others.get(number, [])]
            aliases = [heads.id(other).decode() for other in group[1:]]
            aliases += [alias for one in group for alias in stored.get(one, ())]
            all_aliases[number] = sorted(aliases, key=str.encode)
            if number in others or number in changed:
                rewritten[number] = self._rewrite(number, all_aliases[number])
        heads.identities = heads.identities.replaced(rewritten)
        return order, all_aliases

    def _rewrite(self, number: int, aliases: list[str]) -> bytes:
        """Put the line of a document with these aliases behind all lines; the identity that it has then."""
        line = with_aliases(self._line(number), aliases)
        columns = self.columns
        columns["starts"][number] = self._base + self._lines.seek(0, os.SEEK_END)
        self._lines.write(line)
        columns["lengths"][number] = len(line)
        columns["line_checksums"][number] = crc32(line)
        return read_heads(line, [0]).identities[0]

    def _line(self, number: int) -> bytes:
        start, length, checksum = (
            int(self.columns[name][number]) for name in ("starts", "lengths", "line_checksums")
        )
        line = self._read(start, length)
        self._require_unchanged(start, crc32(line) == checksum)
        return line

    def _require_unchanged(self, start: int, is_same: bool) -> None:
        """Raise unless lines that start there are the same as when they were taken."""
        if not is_same and start < self._base:
            raise CacheInvalid("the documents file of the cache has changed meanwhile")
        if not is_same:
            raise IoError(f"{self._scratch / LINES} {SCRATCH_CHANGED}")

    def _read(self, start: int, length: int) -> bytes:
        """Bytes of one of both files."""
        if start < self._base and self._reuse is not None:
            return self._reuse.read(start, length)
        self._lines.seek(start - self._base)
        return self._lines.read(length)

    def write(self) -> tuple[Path, str]:
        """Write the documents file, sorted; where it is, and its SHA-256.

        Raises `IoError` when the file of new lines was changed by others, `CacheInvalid` when that of reused
        lines was.
        """
        ends = self._starts + self.columns["lengths"]
        is_sorted = self._reuse is None and consecutive(self._starts, ends) == [(0, self._lines.tell())]
        path = self._scratch / (LINES if is_sorted else "sorted-lines")
        digest = hashlib.sha256()
        with nullcontext() if is_sorted else path.open("wb") as file:
            for data in self._sorted_lines(ends):
                digest.update(data)
                if file is not None:
                    file.write(data)
        self._lines.close()
        return path, digest.hexdigest()

    def _sorted_lines(self, ends: Array) -> Iterator[bytes]:
        """The lines of all documents, some at a time, each checked."""
        starts, checksums = self._starts, self.columns["line_checksums"]
        share = (np.cumsum(self.columns["lengths"]) - 1) // CHUNK
        is_first = (starts[1:] != ends[:-1]) | (share[1:] != share[:-1])
        firsts = [0, *(1 + np.flatnonzero(is_first)).tolist()] if len(starts) else []
        for first, last in pairwise([*firsts, len(starts)]):
            start = int(starts[first])
            data = self._read(start, int(ends[last - 1]) - start)
            lines = memoryview(data)
            bounds = [0, *(ends[first:last] - start).tolist()]
            actual = [crc32(lines[begin:end]) for begin, end in pairwise(bounds)]
            self._require_unchanged(start, actual == checksums[first:last].tolist())
            yield data


def _order(ids: list[bytes]) -> Array:
    """The documents by id."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    ordered = [ids[number] for number in order]
    for one, other in pairwise(ordered):
        if one == other:
            raise SourceError(f"two documents have the id {one.decode()!a}: rename a source")
    return np.array(order, np.int64)


def _alike(heads: Heads, order: Array) -> list[list[int]]:
    """The documents of equal content, by the first, each in order."""
    beginnings = heads.version_beginnings()
    ordered = np.sort(beginnings)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]  # nearly all that are not are told apart so
    first: dict[bytes, int] = {}
    alike: dict[int, list[int]] = {}
    some = order[np.isin(beginnings[order], repeated)]
    for number, version in zip(some.tolist(), heads.versions(some), strict=True):
        other = first.setdefault(version, number)
        if other != number:
            alike.setdefault(other, [other]).append(number)
    return list(alike.values())
