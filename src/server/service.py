"""The cache operations of a server: the library's functions behind one cache root and one pool."""

from __future__ import annotations

import logging
import shlex
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import checked_budget, checked_query, require_name
from ..cache.catalog import CacheList, CacheRoot, Inspection, has_manifest, inspect_cache, list_caches
from ..cache.pool import CachePool
from ..cache.store import open_store
from ..errors import CacheMissing, CtxError, IoError
from ..resolver.cache import Cache
from ..resolver.reading import ReadDocument, checked_id
from ..safeio import translate_oserror

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from ..resolver.result import SelectionResult

log = logging.getLogger(__name__)


class RootedCaches:
    """The caches of one root, kept open; safe for any number of threads."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """`root` need not exist: then every cache is missing."""
        self.root = CacheRoot(root)
        self._pool: CachePool[Cache] = CachePool(lambda path: Cache(open_store(path, native=True)))

    @property
    def replacements(self) -> int:
        """How often a call found that a cache had been built anew."""
        return self._pool.replacements

    def names(self) -> Iterator[str]:
        """The caches of the root, sorted; none where it cannot be read."""
        try:
            listed = list_caches(self.root.path).caches
        except CtxError:
            return
        yield from (each.path for each in listed if each.has_manifest)

    def why_none(self) -> str:
        """Why no call can find a cache, and what to do; "" where there is one."""
        root = Path(self.root.path)
        makes_one = f"`ctx build FOLDER --cache {shlex.quote(str(root / 'NAME'))}` makes one"
        try:
            if any(each.has_manifest for each in list_caches(root).caches):
                return ""
            with translate_oserror(root):
                is_cache = has_manifest(str(root))
        except CacheMissing:
            return f"there is no directory {root}: every cache is missing until {makes_one}"
        except IoError as error:
            return f"{error}: no cache is found until the system lets it be read"
        if is_cache:
            return f"{root} is a cache itself, and what is served lies in a cache root: serve {root.parent}"
        return f"there is no cache in {root}; {makes_one}"

    def get(self, cache: object) -> Cache:
        """A cache by name, open; `CacheMissing`, `CacheInvalid`, `IoError`."""
        return self._pool.get(self.root.locate(cache))

    def resolve(self, cache: object, query: object, budget: object) -> SelectionResult:
        """The documents of `cache` that fit; arguments are judged in the order of rule C3."""
        require_name(cache)
        text, tokens = checked_query(query), checked_budget(budget)
        return self.get(cache).resolve(text, tokens)

    def list_caches(self, root: object) -> CacheList:
        """The caches directly below `root`, under names that `resolve` takes (rule C6)."""
        directory, below = self.root.locate_root(root)
        listing = list_caches(directory, prefix=below)
        for each in filter(attrgetter("problem"), listing.caches):
            log.warning("%s: %s", each.path, each.problem)
        return listing

    def inspect_cache(self, cache: object) -> Inspection:
        """What `cache` says of itself, and whether its structure holds (rule C7)."""
        return inspect_cache(self.root.locate(cache))

    def read_document(self, cache: object, id_: object) -> ReadDocument:
        """One document of `cache`; arguments are judged in the order of rule C18."""
        require_name(cache)
        wanted = checked_id(id_)
        return self.get(cache).read(wanted)
