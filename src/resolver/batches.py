"""Many queries to caches: asked here, by worker processes, or on an executor, with answers in order.

A batch of queries is a task. Whoever does one opens the caches by their paths, once.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..errors import CacheInvalid
from ..parallel import ordered_map, processes
from ..text.display import escape_control
from .cache import Cache, open_cache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor

    from ..parallel import Work

QUERIES = 16
"""In a batch."""
ALONE = 1_000_000
"""Up to so many documents, looked at by all queries, one process is done before others have started."""
_QUERY = 1000
"""What a query costs beside the documents of its cache, in documents."""

Query = TypeVar("Query")
Answer = TypeVar("Answer")


class CacheReference(NamedTuple):
    """A cache that another process opens for itself."""

    path: str
    version: str

    @classmethod
    def of(cls, cache: Cache) -> CacheReference:
        """The reference to an open cache."""
        return cls(str(Path(cache.path).absolute()), cache.manifest.cache_version)

    def open(self) -> Cache:
        """Open it. Raises `CacheInvalid` when another one is there, and as `open_cache`."""
        cache = open_cache(self.path)
        if cache.manifest.cache_version != self.version:
            name = escape_control(self.path)
            raise CacheInvalid(f"{name}: a worker sees another cache there than this machine")
        return cache


def answers(
    work: Work[Sequence[Query], list[Answer]],
    queries: Sequence[Query],
    *,
    documents: int,
    jobs: int | None,
    executor: Executor | None,
) -> Iterator[Answer]:
    """What `work` makes of each query, in their order; a cache has so many `documents`."""
    pays = len(queries) * (_QUERY + documents) > ALONE
    batches = [queries[at : at + QUERIES] for at in range(0, len(queries), QUERIES)]
    with closing(ordered_map(work, batches, jobs=processes(jobs, pays=pays), executor=executor)) as outcomes:
        for outcome in outcomes:
            yield from outcome
