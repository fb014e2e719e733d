"""The documents of a cache that is being written, and where their lines lie.

Identical documents are one: the first id by order; the ids of the others are its aliases. Documents are
identical when content and title are. A copy of a folder for another version of a program brings many of
them, and an answer would say the same again and again.
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_right
from functools import lru_cache
from itertools import compress, islice, pairwise
from operator import eq
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..cache.documents import names_with_aliases, with_aliases
from ..errors import CacheInvalid
from .heads import GrowingHeads, Heads
from .report import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from .reuse import Reuse
    from .spool import Extent, Spool

Array = NDArray[np.int64]
CHUNK = 1 << 20  # bytes
PARTS_AT_ONCE = 4
"""Files of lines that are held while they are put in order, which are nearly in order when they come."""

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

    A line lies in the file that is reused or, behind that, in parts of a spool: offsets are those of all
    together, with gaps between. It is read once, when all are written.
    """

    def __init__(self, scratch: Path, spool: Spool) -> None:
        """The documents file is made in `scratch`; new lines are in the `spool`."""
        self._scratch = scratch
        self._spool = spool
        self._reuse: Reuse | None = None
        self._parts: list[Extent] = []
        self._part_starts = array("q")
        self._end = 0  # of all parts
        self._changed: dict[int, list[str]] = {}
        """Once sorted, the aliases of the documents whose lines have others."""
        self._heads = GrowingHeads()
        self._columns = {name: array("q") for name in (*COLUMNS, "starts", "lengths")}
        self._starts = np.zeros(0, np.int64)  # once sorted, of the line of each document
        self._stored = np.zeros(0, np.int64)  # its length there, before it gets other aliases
        self.columns: dict[str, Array] = {}
        """Once sorted, for each document what `COLUMNS` name, and the `lengths` of their lines."""

    def reuse(self, reuse: Reuse) -> None:
        """Take documents of another cache, before any others."""
        self._reuse = reuse
        self._end = reuse.size + 1
        self._heads.add(reuse.heads)
        self._extend(reuse.columns)

    def add(self, lines: Extent, heads: Heads, columns: Mapping[str, Any]) -> None:
        """Take new documents: where their lines are, how each begins, and its numbers, `lengths` included."""
        ends = np.cumsum([self._end, *columns["lengths"]])
        self._heads.add(heads)
        self._extend({**columns, "starts": ends[:-1]})
        self._parts.append(lines)
        self._part_starts.append(self._end)
        self._end = int(ends[-1]) + 1

    def _extend(self, columns: Mapping[str, Any]) -> None:
        for name, column in self._columns.items():
            column.frombytes(np.asarray(columns[name], np.int64).tobytes())

    def sort(self, *, unique: bool) -> Sorted:
        """Put the documents in the order of their ids; of identical ones the first stays where `unique`.

        Raises `SourceError` when two ids are equal, and where the document is gone that others are copies of.
        """
        heads, self._heads = self._heads.heads(), GrowingHeads()
        self.columns = {name: np.frombuffer(column, np.int64) for name, column in self._columns.items()}
        self.columns["stored"] = self.columns["lengths"].copy()
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
        self._starts, self._stored = self.columns.pop("starts"), self.columns.pop("stored")
        self._changed = {int(numbers[number]): ids for number, ids in self._changed.items()}
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
        identities: dict[int, bytes] = {}
        for number in (others.keys() | stored.keys()) - merged:
            group = [number, *others.get(number, [])]
            aliases = [heads.id(other).decode() for other in group[1:]]
            aliases += [alias for one in group for alias in stored.get(one, ())]
            all_aliases[number] = sorted(aliases, key=str.encode)
            if number in others or number in changed:
                names = names_with_aliases(heads.names(number), all_aliases[number])
                identities[number] = heads.renamed(number, names)
                self.columns["lengths"][number] += len(names) - len(heads.names(number))
                self._changed[number] = all_aliases[number]
        heads.identities = heads.identities.replaced(identities)
        return order, all_aliases

    def _part(self, number: int) -> bytes:
        """The lines of a part of the spool, checked."""
        return next(self._spool.read([self._parts[number]]))

    def _lines(self, start: int, length: int, read_part: Callable[[int], bytes]) -> memoryview:
        """Bytes of the lines that start there, none of them of two files."""
        if self._reuse is not None and start <= self._reuse.size:
            return memoryview(self._reuse.read(start, length))
        number = bisect_right(self._part_starts, start) - 1
        start -= self._part_starts[number]
        return memoryview(read_part(number))[start : start + length]

    def write(self) -> tuple[Path, str]:
        """Write the documents file, sorted; where it is, and its SHA-256.

        Only then `line_checksums` has those of the lines that get other aliases. Raises `IoError` when a part
        of the spool was changed by others, `CacheInvalid` when the file of reused lines was.
        """
        path = self._scratch / "lines"
        digest = hashlib.sha256()
        with path.open("wb") as file:
            for data in self._sorted_lines():
                digest.update(data)
                file.write(data)
        return path, digest.hexdigest()

    def _sorted_lines(self) -> Iterator[bytes | memoryview]:
        """The lines of all documents, some at a time, each checked."""
        starts, ends = self._starts, self._starts + self._stored
        is_changed = np.zeros(len(starts) + 1, np.bool_)
        is_changed[[*self._changed]] = True
        share = (np.cumsum(self._stored) - 1) // CHUNK
        is_first = (starts[1:] != ends[:-1]) | (share[1:] != share[:-1]) | is_changed[1:-1] | is_changed[:-2]
        firsts = [0, *(1 + np.flatnonzero(is_first)).tolist()] if len(starts) else []
        read_part = lru_cache(PARTS_AT_ONCE)(self._part)
        for first, last in pairwise([*firsts, len(starts)]):
            start, end = int(starts[first]), int(ends[last - 1])
            lines = self._lines(start, end - start, read_part)
            if self._reuse is not None and start <= self._reuse.size:
                self._require_unchanged(lines, first, last)
            if first in self._changed:
                line = with_aliases(bytes(lines), self._changed[first])
                if len(line) != self.columns["lengths"][first]:
                    raise CacheInvalid("a line of the cache is not as a build writes it")
                self.columns["line_checksums"][first] = crc32(line)
                yield line
            else:
                yield lines

    def _require_unchanged(self, lines: memoryview, first: int, last: int) -> None:
        """Raise unless these lines of some documents are those that were taken."""
        bounds = [0, *np.cumsum(self._stored[first:last]).tolist()]
        actual = [crc32(lines[start:end]) for start, end in pairwise(bounds)]
        if actual != self.columns["line_checksums"][first:last].tolist():
            raise CacheInvalid("the documents file of the cache has changed meanwhile")


def _order(ids: list[bytes]) -> Array:
    """The documents by id."""
    order = sorted(range(len(ids)), key=ids.__getitem__)
    ordered = [ids[number] for number in order]
    for one in compress(ordered, map(eq, ordered, islice(ordered, 1, None))):
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
