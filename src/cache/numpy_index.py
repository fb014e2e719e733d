"""The sections of an index as numpy arrays in place, each part checked before it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..memo import BoundedMemo
from .format import BLOCK, OVERFLOW, TITLE

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .index import Index, Postings

Array = NDArray[Any]

_SECTIONS = (
    "posting_documents", "posting_impacts", "posting_occurrences", "dense_impacts", "dense_occurrences",
    "file_starts", "file_posting_files", "file_posting_impacts", "file_dense_impacts",
    "tokens", "overflow_keys", "overflow_titles",
)  # fmt: skip
REMEMBERED = 1 << 25
"""Bytes of what was made of postings for earlier queries, or an eighth of a large index."""
_ENTRY_BYTES = 1000  # that a key takes, and some arrays besides what they hold


class Arrays:
    """Arrays of an open index. They stay as long as anyone holds one."""

    def __init__(self, index: Index) -> None:
        """Nothing is read yet."""
        self._file = index.file
        self._postings = index.counts["postings"]
        self._checked = np.frombuffer(index.file.checked, np.uint8)
        self._all_tokens_checked = False
        self._least_tokens: Array | None = None
        self._made: BoundedMemo[Hashable, tuple[Array, ...]] = BoundedMemo(
            max(REMEMBERED, len(index.file.bytes) // 8)
        )
        self._offsets = {name: index.offset(name) for name in _SECTIONS}
        self._sections = {name: self._section(index, name) for name in _SECTIONS}

    def _section(self, index: Index, name: str) -> Array:
        form = f"<u{index.widths[name]}"
        return np.frombuffer(self._file.bytes, form, index.size(name), index.offset(name))

    def part(self, section: str, start: int, end: int) -> Array:
        """Items `start` to `end` of a section."""
        array = self._sections[section]
        if not start <= end <= len(array):
            raise self._file.fault("is damaged: it points where nothing is")
        first, width = self._offsets[section], array.itemsize
        self._file.check(first + start * width, first + end * width)
        return array[start:end]

    def remembered(self, key: Hashable, make: Callable[[], tuple[Array, ...]]) -> tuple[Array, ...]:
        """What is made of postings for a query, by what it is made for."""
        made = self._made.get(key)
        if made is None:
            made = make()
            self._made.keep(key, made, _ENTRY_BYTES + sum(array.nbytes for array in made))
        return made

    def posting_list(self, postings: Postings) -> tuple[Array, Array]:
        """The documents of a term that is not dense, and their impacts."""
        start, end = postings.start, postings.end
        documents, impacts = postings.list_sections
        return self.part(documents, start, end), self.part(impacts, start, end)

    def require_ascending(self, documents: Array, count: int) -> None:
        """Raise `CacheInvalid` unless each number is above the one before, and all are below `count`."""
        if len(documents) and (int(documents[-1]) >= count or np.any(documents[1:] <= documents[:-1])):
            raise self._file.fault("is damaged: a posting names no document")

    def column(self, postings: Postings) -> Array:
        """The impacts of a dense term, one a document."""
        return self.part(postings.column_section, postings.start, postings.end)

    def titled(self, postings: Postings) -> Array:
        """The documents whose title holds a term, ascending."""
        start, end = postings.start, postings.end
        occurrences = self.part(postings.occurrences_section, start, end)
        titled = occurrences & TITLE > 0
        over = np.flatnonzero(occurrences & OVERFLOW == OVERFLOW)
        if len(over):
            titled[over] = self._overflow_titles(over + start + (self._postings if postings.dense else 0)) > 0
        rows = np.flatnonzero(titled)
        return rows if postings.dense else self.part(postings.list_sections[0], start, end)[rows]

    def _overflow_titles(self, wanted: Array) -> Array:
        """How often titles hold a term, of postings whose occurrences do not fit in their byte."""
        keys, titles = (self._whole(name) for name in ("overflow_keys", "overflow_titles"))
        rows = np.searchsorted(keys, wanted)
        if not len(keys) or not np.array_equal(keys[np.minimum(rows, len(keys) - 1)], wanted):
            raise self._file.fault("is damaged: an occurrence is missing")
        return titles[rows]

    def _whole(self, section: str) -> Array:
        return self.part(section, 0, len(self._sections[section]))

    def file_starts(self) -> Array:
        """The first document of each file."""
        return self._whole("file_starts")

    def tokens(self, documents: Array) -> Array:
        """The tokens of some documents, numbered by signed integers."""
        try:
            if not self._all_tokens_checked:
                self._check_tokens(documents)
            return self._sections["tokens"][documents]
        except IndexError:
            raise self._file.fault("is damaged: a posting names no document") from None

    def all_tokens(self) -> Array:
        """The tokens of every document."""
        tokens = self._whole("tokens")
        self._all_tokens_checked = True
        return tokens

    def least_tokens(self, shape: tuple[int, ...]) -> Array:
        """The fewest tokens that a document of each block has, of blocks that are columns of this shape."""
        least = self._least_tokens
        if least is None:
            tokens = np.full(shape, np.iinfo(np.uint32).max, np.uint32)
            all_tokens = self.all_tokens()
            tokens.reshape(-1)[: len(all_tokens)] = all_tokens
            least = self._least_tokens = tokens.min(axis=0)
        return least

    def _check_tokens(self, documents: Array) -> None:
        """Check the blocks that hold the tokens of some documents; an item of 4 bytes lies in one block."""
        blocks = (self._offsets["tokens"] + 4 * documents) // BLOCK
        is_checked = self._checked[blocks]
        if not is_checked.all():
            for block in np.unique(blocks[is_checked == 0]).tolist():
                self._file.check(block * BLOCK, (block + 1) * BLOCK)
