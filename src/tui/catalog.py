"""The caches of a root: the figures of each, or the reason why it does not open."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..cache.catalog import inspect_cache, list_caches
from ..cache.manifest import MANIFEST, Manifest, manifest_stamp
from ..errors import CtxError
from ..resolver.cache import Cache, open_cache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_HASHED_BYTES = 64 << 20
"""The size of a cache, in bytes, up to which its files are hashed when it is listed: 35 ms in a thread."""

SUGGESTIONS = 4
MOST_READ = 24  # documents whose titles are read for suggestions

Stamp = tuple[int, int, int]
"""Changes when the manifest is replaced; see `manifest_stamp`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CacheInfo:
    """One cache of a root."""

    name: str
    path: str
    documents: int = 0
    tokens: int | None = None
    """None in format 1, whose manifest has no such count."""
    size: int = 0
    """Bytes of the files of the directory."""
    fault: str = ""
    """Why the cache does not open; empty if it does."""
    stamp: Stamp | None = None
    is_built: bool = True
    """False for a configured cache that was not built yet."""

    @property
    def opens(self) -> bool:
        """Whether the cache can be opened."""
        return not self.fault


@dataclass(frozen=True, kw_only=True, slots=True)
class CacheCatalog:
    """The caches of a root; if the root is itself a cache, this cache."""

    caches: tuple[CacheInfo, ...] = ()
    fault: str = ""
    """Why there are no caches; empty if there are some."""

    def find(self, name: str) -> CacheInfo | None:
        """The cache of a name; None if there is none."""
        return next((cache for cache in self.caches if cache.name == name), None)

    def first_to_open(self, order: Sequence[str] = ()) -> CacheInfo | None:
        """The first cache that opens and has documents, else the first that opens; None if none does.

        The caches named in `order` come first, in that order.
        """
        positions = {name: position for position, name in enumerate(order)}
        return min(
            (cache for cache in self.caches if cache.opens),
            key=lambda cache: (not cache.documents, positions.get(cache.name, len(positions))),
            default=None,
        )


def read_catalog(
    root: str, before: CacheCatalog = CacheCatalog(), described: Mapping[str, str] | None = None
) -> CacheCatalog:
    """List the caches of a root. Errors are not raised; they become the `fault` of the result or of a cache.

    The entries of `before` are reused for caches that open and whose manifest is unchanged. `described` maps
    the names of configured caches to their paths, which need not exist nor lie below the root.
    """
    if os.path.lexists(Path(root, MANIFEST)):
        return CacheCatalog(caches=(_read_or_reuse(root, before),))
    paths = dict(described or {})
    try:
        listed = list_caches(root).caches
    except CtxError as error:
        if not paths:
            return CacheCatalog(fault=str(error))
    else:
        paths |= {
            item.path: str(Path(root, item.path)) for item in listed if item.has_manifest or item.problem
        }
    if not paths:
        words = "holds no cache yet; `ctx build FOLDER` makes one, and it appears here"
        return CacheCatalog(fault=f"{root}: {words}")
    return CacheCatalog(
        caches=tuple(_read_or_reuse(path, before, name) for name, path in sorted(paths.items()))
    )


def _read_or_reuse(path: str, before: CacheCatalog, name: str = "") -> CacheInfo:
    """The entry of a cache, reused from `before` if the cache opens and its manifest is unchanged."""
    if not os.path.lexists(path):
        fault = f"{name} is not built yet: ^r builds it"
        return CacheInfo(name=name, path=path, fault=fault, is_built=False)
    earlier = next((cache for cache in before.caches if cache.path == path), None)
    return earlier if earlier and earlier.opens and earlier.stamp == stamp_of(path) else read_info(path, name)


def read_info(path: str, name: str = "") -> CacheInfo:
    """The entry of the cache at a path; its name is that of the directory unless `name` is given."""
    info = CacheInfo(name=name or Path(path).name or path, path=path)
    try:
        inspection, stamp = inspect_cache(path), manifest_stamp(path)
        info = replace(info, documents=inspection.document_count, size=inspection.total_bytes, stamp=stamp)
        manifest = open_cache(path).manifest
        fault = _first_fault(path, manifest) if info.size <= MAX_HASHED_BYTES else ""
    except CtxError as error:
        return replace(info, fault=str(error))
    tokens = None if manifest.format == "1" else manifest.total_tokens
    return replace(info, tokens=tokens, fault=fault)


def _first_fault(path: str, manifest: Manifest) -> str:
    """The first fault that the hashes of a cache's files show; empty if there is none."""
    from ..builder.verification import fault_of_file  # the whole builder, not for a first screen

    faults = (fault_of_file(path, file) for file in manifest.files.values())
    return next(filter(None, faults), "")


class OpenedCache(NamedTuple):
    """A cache that was opened."""

    info: CacheInfo
    cache: Cache
    titles: tuple[str, ...]
    """Titles of documents, as suggestions for a first query."""


def open_info(info: CacheInfo) -> OpenedCache:
    """Open a cache. Raises what `open_cache` raises."""
    import numpy  # noqa: F401 - the resolver ranks with numpy if it is loaded already

    # Read before the cache is opened: if a new build is published in between, the next poll notices it.
    now = read_info(info.path, info.name)
    cache = open_cache(info.path)
    return OpenedCache(now, cache, suggestions(cache))


def suggestions(cache: Cache) -> tuple[str, ...]:
    """Titles of a few documents, spread evenly over a cache, as first questions. Raises `CacheInvalid`."""
    names: list[str] = []
    for part in range(MOST_READ):
        number = part * cache.document_count // MOST_READ
        for summary in cache.summaries(number, min(number + 1, cache.document_count)):
            name = summary.title.partition(" > ")[0].strip()
            if 3 <= len(name.split()) <= 8 and name not in names:
                names.append(name)
    return tuple(names[:SUGGESTIONS])


def stamp_of(path: str) -> Stamp | None:
    """The current stamp of a cache; None if it cannot be read."""
    try:
        return manifest_stamp(path)
    except (CtxError, OSError):
        return None


def build_facts(cache: Cache) -> list[tuple[str, str]]:
    """(name, value) of the build configuration of a cache, for people."""
    manifest = cache.manifest
    config = manifest.build_config
    split = config.get("split")
    rows = [("format", manifest.format), ("tokenizer", manifest.tokenizer)]
    rows += [(name, str(config[name])) for name in ("analyzer", "scorer") if name in config]
    if isinstance(split, dict):
        most = f", above {split['max_tokens']:,} tokens" if isinstance(split.get("max_tokens"), int) else ""
        rows.append(("split", f"{split.get('mode', '')}{most}"))
    fields = {"version", "tokenizer", "analyzer", "scorer", "split", "hash_algorithm"}
    rows += [(name, str(value)) for name, value in config.items() if name not in fields]
    rows.append(("version", manifest.cache_version.removeprefix("sha256:")[:12]))
    return rows
