"""Documents as MCP resources: `ctx:///CACHE/ID`, listed by cache and id, a page at a time.

The URI is percent-encoded UTF-8 but for unreserved characters and `/`, so that `#` is `%23`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from ..cache.catalog import has_manifest
from ..errors import CacheMissing, CtxError, InvalidQuery, IoError

if TYPE_CHECKING:
    from ..resolver.reading import ReadDocument
    from .service import RootedCaches

SCHEME = "ctx:///"
TEMPLATE = "ctx:///{+cache}/{+id}"
PAGE = 500  # resources of a page
COMPLETIONS = 100  # values: what the protocol allows
_CURSOR = re.compile(r"[0-9]{1,12}")


class Resource(NamedTuple):
    """A document in the list of resources."""

    uri: str
    name: str
    title: str


class UnknownResource(Exception):
    """There is no document of this URI."""


def uri_of(cache: str, id_: str) -> str:
    """The URI of a document."""
    return f"{SCHEME}{quote(cache, safe='/~')}/{quote(id_, safe='/~')}"


class Resources:
    """The documents of all caches of a root."""

    def __init__(self, caches: RootedCaches) -> None:
        self._caches = caches

    @property
    def changes(self) -> int:
        """The number of times that a request found a cache rebuilt."""
        return self._caches.replacements

    def page(self, cursor: str | None) -> tuple[list[Resource], str | None]:
        """At most `PAGE` resources from a cursor on, and the cursor of the next page, None after the last.

        Raises `ValueError` for a cursor that is none of this list.
        """
        if cursor is not None and not _CURSOR.fullmatch(cursor):
            raise ValueError("this cursor was not given by the list")
        first = int(cursor or 0)
        resources: list[Resource] = []
        offset = 0
        """The number of documents in the caches before this one."""
        for name in self._caches.names():
            try:
                cache = self._caches.get(name)
                count = cache.document_count
                start = min(max(0, first - offset), count)
                stop = min(count, start + PAGE + 1 - len(resources))
                resources += (
                    Resource(uri_of(name, document.id), document.id, document.title or document.id)
                    for document in cache.summaries(start, stop)
                )
            except CtxError:  # a cache that cannot be read has no resources
                continue
            offset += count
            if len(resources) > PAGE:
                return resources[:PAGE], str(first + PAGE)
        return resources, None

    def read(self, uri: str) -> ReadDocument:
        """The document of a URI. Raises `UnknownResource`, `CtxError`."""
        if not uri.startswith(SCHEME):
            raise UnknownResource(uri)
        try:
            return self._caches.read_document(*self._cache_and_id(uri.removeprefix(SCHEME)))
        except (CacheMissing, InvalidQuery):
            raise UnknownResource(uri) from None
        except OSError as error:
            raise IoError(f"{uri}: {error.strerror}") from None

    def _cache_and_id(self, path: str) -> tuple[str, str]:
        """A path split after the first directory with a manifest, since a cache may lie in a folder."""
        parts = unquote(path, errors="surrogateescape").split("/")
        for length in range(1, len(parts)):
            name = "/".join(parts[:length])
            if has_manifest(self._caches.root.locate(name)):
                return name, "/".join(parts[length:])
        raise CacheMissing(path)

    def complete(self, argument: str, value: str, cache: str) -> list[str]:
        """The first `COMPLETIONS` names of caches, or document ids of `cache`, with the prefix `value`."""
        if argument == "cache":
            return [name for name in self._caches.names() if name.startswith(value)][:COMPLETIONS]
        if argument != "id":
            return []
        try:
            return self._ids_from(cache, value)
        except CtxError:
            return []

    def _ids_from(self, cache: str, prefix: str) -> list[str]:
        """The first ids that begin with `prefix`. Raises `CtxError`."""
        opened = self._caches.get(cache)
        first = opened.store.position_of(prefix)
        ids = [document.id for document in opened.summaries(first, first + COMPLETIONS)]
        return [id_ for id_ in ids if id_.startswith(prefix)]
