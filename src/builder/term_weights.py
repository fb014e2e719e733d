"""What an index holds of all terms, left in a spool by whoever computes it: a range of terms at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cache.term_runs import Lengths, columns_of
from ..garbage import gc_paused
from ..parallel import Work
from ..scoring import SCORERS
from .inverter import inversion_of
from .spool import AT_ONCE, Extent, Piece, Spool, Spooled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..cache.postings import Inversion
    from .inverter import Processes

Array = NDArray[np.int64]
Run = dict[str, Extent]
"""Where each column of a run of terms is."""


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
    ranges: Sequence[Spooled],
    is_shared: NDArray[np.bool_],
    lengths: Lengths,
    scorer: str,
    processes: Processes,
) -> SpooledRuns:
    """The runs of ranges of terms that are in a spool; `is_shared` says it of each term."""
    bounds = np.cumsum([0, *(one.terms for one in ranges)])
    marks = spool.put_columns(
        {one.name: [is_shared[bounds[at] : bounds[at + 1]]] for at, one in enumerate(ranges)}
    )
    where = spool.put_columns({name: [column] for name, column in lengths._asdict().items()})
    items = [_Range(one.pieces(), marks[one.name]) for one in ranges]
    runs = processes.done(_Weigh(spool, where, scorer), items)
    return SpooledRuns(spool, [run for some in runs for run in some])


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


class _Weigh(Work[_Range, list[Run]]):
    """Computes what an index holds of a range of terms, from the spool into the spool."""

    def __init__(self, spool: Spool, lengths: Run, scorer: str) -> None:
        """The columns of `Lengths` are at `lengths`."""
        self._spool = spool
        self._lengths = lengths
        self._scorer = scorer

    @gc_paused()
    def __call__(self, one: _Range) -> list[Run]:
        """Weigh one range."""
        *columns, marks = self._spool.read([*self._lengths.values(), one.is_shared])
        lengths = Lengths(*(np.frombuffer(column, np.int64) for column in columns))
        is_shared = np.frombuffer(marks, np.bool_)
        runs = []
        for piece, postings in zip(one.pieces, self._spool.get(one.pieces), strict=True):
            terms = slice(piece.first[0], piece.last[0])
            columns_of_piece = columns_of(
                inversion_of(postings), is_shared[terms], lengths, SCORERS[self._scorer]
            )
            runs.append(self._spool.put_columns(columns_of_piece))
        return runs
