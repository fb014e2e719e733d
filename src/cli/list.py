"""List the caches of a directory: those of the current project, or of ROOT."""

from __future__ import annotations

import os

from ..cache.catalog import list_caches
from ..cache.root import CacheRoot
from ..errors import CacheMissing
from .output import write
from .parser import add_format
from .places import project_caches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..cache.catalog import CacheList

EXAMPLE = "ctx list sample_caches --format table"


def add_arguments(parser: ArgumentParser) -> None:
    """ROOT, `--cache-root`, `--format`."""
    parser.add_argument("root", nargs="?", metavar="ROOT", help="a directory (default: .ctx/caches)")
    parser.add_argument("--cache-root", metavar="DIR", help="take ROOT as a name in this directory")
    add_format(parser, "json", "pretty", "table")


def run(options: Namespace) -> None:
    """Write the listing."""
    listing = _listing(options.root, options.cache_root)
    if options.format == "json":
        write(listing.to_json())
    elif options.format == "pretty":
        write(listing.to_pretty())
    else:
        write(_in_words(listing))


def _listing(root: str | None, cache_root: str | None) -> CacheList:
    if cache_root is not None:
        place, below = CacheRoot(cache_root).locate_root("." if root is None else root)
        return list_caches(place, prefix=below)
    if root is not None:
        return list_caches(root)
    place = project_caches()
    if not os.path.isdir(place):
        raise CacheMissing(f"{place}: no caches yet; `ctx build FOLDER` makes one")
    return list_caches(place)


def _in_words(listing: CacheList) -> str:
    from .tables import table  # people alone pay for what measures characters

    rows = [(each.path, "" if each.has_manifest else "no manifest: not a cache") for each in listing.caches]
    return table(rows, "<<") or "no caches here; `ctx build FOLDER` makes one\n"
