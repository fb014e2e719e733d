"""What an index holds of all terms, left in a spool by whoever computes it: a range of terms at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.term_runs import Lengths, columns_of
from ..cache.texts import Texts
from ..garbage import gc_paused
from ..parallel import Work
from ..scoring import SCORERS
from .inverter import inversion_of
from .spool import AT_ONCE, Extent, Piece, Spool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from ..cache.postings import Inversion
    from .inverter import Merged, Processes

Array = NDArray[np.int64]
Run = dict[str, Extent]
"""Where each column of a run of terms is."""
_OTHERS = 0x80
"""What stands for the last byte of all letters that are not in ASCII, and come behind it."""


class SpooledRuns:
    """All terms in runs whose columns are in a spool."""

    def __init__(self, spool: Spool, runs: Sequence[Run]) -> None:
        """The `runs` follow each other."""
        self._spool = spool
        self._runs = runs

    def sizes(self, column: str) -> Array:
        """The bytes of a column of each run."""
        return np.array([run[column].end - run[column].start for run in self._runs], np.int64)

    def read(self, column: str) -> Iterator[bytes]:
        """That column of each run."""
        return self._spool.read([run[column] for run in self._runs])


def weighed(
    spool: Spool,
    merged: Merged,
    is_shared: NDArray[np.bool_],
    lengths: Lengths,
    scorer: str,
    processes: Processes,
) -> tuple[SpooledRuns, Array]:
    """The runs of merged terms and the order of those that are found by their ends.

    `is_shared` says of each term that its postings are those of another one.
    """
    names = [one.name for one in merged.ranges]
    bounds = np.cumsum([one.terms for one in merged.ranges])
    marks = _put_parts(spool, names, np.split(is_shared, bounds[:-1]))
    suffixes = _put_parts(spool, names, _by_last_letter(merged, len(names)))
    where = spool.put_columns(
        {
            "terms": [np.frombuffer(merged.terms.data, np.uint8)],
            "ends": [merged.terms.ends],
            **{name: [column] for name, column in lengths._asdict().items()},
        }
    )
    items = [_Range(one.pieces(), marks[one.name], suffixes[one.name]) for one in merged.ranges]
    done = processes.done(_Weigh(spool, where, scorer), items)
    parts = spool.read([suffixes for _, suffixes in done])
    suffix_order = np.frombuffer(b"".join(parts), np.int64)
    return SpooledRuns(spool, [run for runs, _ in done for run in runs]), suffix_order


def weighed_here(
    spool: Spool, inversion: Inversion, is_shared: NDArray[np.bool_], lengths: Lengths, scorer: str
) -> SpooledRuns:
    """The runs of terms whose postings this process has."""
    runs, done = [], 0
    for some in inversion.runs(AT_ONCE):
        end = done + len(some.terms)
        runs.append(spool.put_columns(columns_of(some, is_shared[done:end], lengths, SCORERS[scorer])))
        done = end
    return SpooledRuns(spool, runs)


class _Range(NamedTuple):
    """A range of terms."""

    pieces: list[Piece]
    is_shared: Extent
    suffixes: Extent
    """Some terms of any range, to be put in the order of their ends."""


def _put_parts(spool: Spool, names: list[str], parts: Iterable[NDArray[Any]]) -> Run:
    """Where these arrays are, by name."""
    return spool.put_columns({name: [part] for name, part in zip(names, parts, strict=False)})


def _by_last_letter(merged: Merged, count: int) -> list[Array]:
    """The terms that are found by their ends in about so many parts, each with all of some last letters."""
    letters = _last_letters(merged.terms, merged.suffixes)
    totals = np.cumsum(np.bincount(letters, minlength=_OTHERS + 1))
    wanted = np.arange(1, count) * len(letters) // max(1, count)
    order = np.argsort(letters, kind="stable")
    return np.split(merged.suffixes[order], totals[np.searchsorted(totals, wanted)])


def _last_letters(terms: Texts, numbers: Array) -> NDArray[np.uint8]:
    """The last byte of each of some terms, or `_OTHERS`."""
    return np.minimum(np.frombuffer(terms.data, np.uint8)[terms.ends[numbers] - 1], _OTHERS)


def _in_order_of_ends(terms: Texts, numbers: Array) -> Array:
    """Terms in the order of their ends; runs that are sorted take little."""
    letters = _last_letters(terms, numbers)
    ordered = [np.zeros(0, np.int64)]
    for letter in np.unique(letters):  # one at a time takes less memory
        group = sorted(numbers[letters == letter].tolist(), key=lambda number: terms[number].decode()[::-1])
        ordered.append(np.array(group, np.int64))
    return np.concatenate(ordered)


class _Weigh(Work[_Range, tuple[list[Run], Extent]]):
    """Computes what an index holds of a range of terms, from the spool into the spool."""

    def __init__(self, spool: Spool, where: Run, scorer: str) -> None:
        """All terms and the columns of `Lengths` are `where` that says."""
        self._spool = spool
        self._where = where
        self._scorer = scorer

    @gc_paused()
    def __call__(self, one: _Range) -> tuple[list[Run], Extent]:
        """Weigh one range, and put some terms in the order of their ends."""
        names, ends, *columns, marks, suffixes = self._spool.read(
            [*self._where.values(), one.is_shared, one.suffixes]
        )
        terms = Texts(names, np.frombuffer(ends, np.int64))
        in_order = _in_order_of_ends(terms, np.frombuffer(suffixes, np.int64))
        lengths = Lengths(*(np.frombuffer(column, np.int64) for column in columns))
        is_shared = np.frombuffer(marks, np.bool_)
        runs, done = [], 0
        for postings in self._spool.get(one.pieces):
            end = done + len(postings.vocabulary)
            columns_of_run = columns_of(
                inversion_of(postings), is_shared[done:end], lengths, SCORERS[self._scorer]
            )
            runs.append(self._spool.put_columns(columns_of_run))
            done = end
        return runs, self._spool.put_bytes(in_order.data)
