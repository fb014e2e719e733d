"""List the caches of a directory: those of the current project, or of ROOT."""

from __future__ import annotations

import os

from ..cache.catalog import CacheRoot, list_caches
from ..errors import CacheMissing, CtxError
from .output import narrate, write
from .parser import add_format
from .paths import project_caches

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
        if options.root is None and options.cache_root is None:
            for line in _elsewhere(project_caches()):
                narrate(line)


def _listing(root: str | None, cache_root: str | None) -> CacheList:
    if cache_root is not None:
        place, below = CacheRoot(cache_root).locate_root("." if root is None else root)
        return list_caches(place, prefix=below)
    if root is not None:
        try:
            return list_caches(root)
        except CacheMissing:
            remedy = "`ctx list` alone lists the caches of this project"
            raise CacheMissing(f"{root}: no such directory; {remedy}") from None
    place = project_caches()
    if not os.path.isdir(place):
        elsewhere = [line.removeprefix("note: ") for line in _elsewhere(place)]
        raise CacheMissing(*elsewhere[:1] or (f"{place}: no caches yet; `ctx build FOLDER` makes one",))
    return list_caches(place)


def _elsewhere(place: str) -> list[str]:
    """A line for each cache of the project that is not listed."""
    from .elsewhere import told_elsewhere  # pydantic: for people alone

    return told_elsewhere(place, "`ctx list {}` lists it")


def _described(cache: str) -> str:
    """What a cache says it is about; its faults are for other commands to tell."""
    from ..cache.store import description_of, open_store

    try:
        return description_of(open_store(cache))
    except CtxError:
        return ""


def _in_words(listing: CacheList) -> str:
    from .tables import table  # people alone pay for what measures characters

    rows = [
        (
            each.path,
            _described(f"{listing.directory}/{os.path.basename(each.path)}")
            if each.has_manifest
            else "no manifest: not a cache",
        )
        for each in listing.caches
    ]
    return table(rows, "<<") or "no caches here; `ctx build FOLDER` makes one\n"
