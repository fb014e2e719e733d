"""The operations on the caches of a server's root, which the tools and the resources call."""

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
    """The caches of one root. They stay open in a pool, and any number of threads may use them."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """`root` need not exist: then every cache is missing."""
        self.root = CacheRoot(root)
        self._pool: CachePool[Cache] = CachePool(lambda path: Cache(open_store(path, native=True)))

    @property
    def replacements(self) -> int:
        """The number of times that a call found a cache rebuilt."""
        return self._pool.replacements

    def names(self) -> Iterator[str]:
        """The names of the caches of the root, sorted; none if the root cannot be read."""
        try:
            items = list_caches(self.root.path).caches
        except CtxError:
            return
        yield from (item.path for item in items if item.has_manifest)

    def problem(self) -> str:
        """Why there is no cache to serve, and what to do; empty if there is one."""
        root = Path(self.root.path)
        makes_one = f"`ctx build FOLDER --cache {shlex.quote(str(root / 'NAME'))}` makes one"
        try:
            if any(item.has_manifest for item in list_caches(root).caches):
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
        """An open cache by its name in the root. Raises `CacheMissing`, `CacheInvalid`, `IoError`."""
        return self._pool.get(self.root.locate(cache))

    def resolve(self, cache: object, query: object, budget: object) -> SelectionResult:
        """Select documents of a cache within a budget; arguments are checked in the order of rule C3."""
        require_name(cache)
        text, tokens = checked_query(query), checked_budget(budget)
        return self.get(cache).resolve(text, tokens)

    def list_caches(self, root: object) -> CacheList:
        """The directories in `root`, a path below the server's root, with names for `resolve` (rule C6)."""
        directory, below = self.root.locate_root(root)
        listing = list_caches(directory, prefix=below)
        for item in filter(attrgetter("problem"), listing.caches):
            log.warning("%s: %s", item.path, item.problem)
        return listing

    def inspect_cache(self, cache: object) -> Inspection:
        """The version and size of a cache, and whether its structure is valid (rule C7)."""
        return inspect_cache(self.root.locate(cache))

    def read_document(self, cache: object, id_: object) -> ReadDocument:
        """One document of a cache; arguments are checked in the order of rule C18."""
        require_name(cache)
        document_id = checked_id(id_)
        return self.get(cache).read(document_id)
