"""A cache of texts that come from no files, such as the contexts of a project: bringing it up to date."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ..builder.build import build
from ..builder.incremental import Record, read_record, write_record
from ..cache.documents import version_of
from ..cache.publish import require_vacant
from ..cache.store import open_store
from ..errors import CacheInvalid, CacheMissing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..builder.build import Reporter
    from ..builder.compile import GivenText
    from ..builder.config import BuildConfig
    from ..builder.report import BuildReport


def update_texts(
    texts: Sequence[GivenText],
    place: Path,
    *,
    record_file: Path,
    config: BuildConfig,
    force: bool = False,
    always: bool = False,
    strict: bool = False,
    jobs: int | None = 1,
    progress: Reporter | None = None,
) -> BuildReport | None:
    """Build the cache of texts, which is kept whole; None when it was fresh and stayed as it was.

    Another cache that is there is replaced with `force` alone; `always` builds a fresh one too.
    Errors as in `build`.
    """
    versions = {text.id: version_of(text.content) for text in texts}
    configuration, documents = _stored(place)
    same = configuration == config.identity
    if same and documents == versions and not (force or always):
        return None
    shared = documents.keys() & versions.keys()
    is_own = read_record(record_file, place) is not None or (same and 2 * len(shared) >= len(documents) > 0)
    require_vacant(place, force=force or is_own)
    report = build(
        texts,
        place,
        config=config,
        force=True,
        strict=strict,
        allow_empty=False,
        jobs=jobs,
        progress=progress,
    )
    digests = {text.id: hashlib.sha256(text.content.encode()).hexdigest() for text in texts}
    write_record(record_file, place, report.cache_version, Record(documents=digests))
    return report


def _stored(place: Path) -> tuple[Mapping[str, Any], dict[str, str]]:
    """The `build_config` of the cache at `place`, and the versions of its documents and of their aliases."""
    try:
        store = open_store(str(place))
        summaries = [store.summary(number) for number in range(store.manifest.document_count)]
    except (CacheMissing, CacheInvalid):
        return {}, {}
    names = {id_: one.version for one in summaries for id_ in (one.id, *one.aliases)}
    return store.manifest.build_config, names
