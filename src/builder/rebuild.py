"""A build that keeps what has not changed of the cache that it replaces, to the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .kept import kept_batches
from .record import Record, write_record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..cache.store import Store
    from .compile import Batch, Source
    from .writing import CacheWriter


class Rebuild:
    """What one build keeps of a cache, and learns for the next one."""

    def __init__(
        self, record_file: Path, store: Store | None = None, unchanged: Mapping[str, str] | None = None
    ) -> None:
        """`unchanged` sources of the cache `store`, each with the digest that its bytes have now."""
        self._file = record_file
        self._store = store
        self._unchanged = unchanged or {}
        self._documents: dict[str, str] = {}
        self._skipped: dict[str, str] = {}
        self._told: set[str] = set()

    def take(self, sources: Sequence[Source], writer: CacheWriter) -> list[Source]:
        """Give the writer what is kept; the sources that are left to compile."""
        kept = {source.id: self._unchanged[source.id] for source in sources if source.id in self._unchanged}
        if kept and self._store is not None:
            for batch in kept_batches(self._store, kept):
                writer.add(batch)
        self._documents.update(kept)
        return [source for source in sources if source.id not in kept]

    def learn(self, batch: Batch) -> None:
        """Note what was compiled."""
        skipped = {item.path for item in batch.skipped}
        for id_, digest in batch.digests.items():
            (self._skipped if id_ in skipped else self._documents)[id_] = digest
        self._told.update(notice.path for notice in batch.warnings)

    def remember(self, place: Path) -> None:
        """Write the record of the cache that is now at `place`."""
        record = Record(documents=self._documents, skipped=self._skipped, told=frozenset(self._told))
        write_record(self._file, place, record)
