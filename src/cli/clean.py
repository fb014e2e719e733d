"""Remove what builds have left behind: records of caches that are gone, files of builds that were killed.

No cache loses anything that belongs to it; a running build keeps what it has made.
"""

from __future__ import annotations

from pathlib import Path

from ..cache.manifest import MANIFEST
from ..cache.publish import leftovers, remove_leftovers
from ..errors import OperationError
from ..project.project import find_project
from .output import narrate
from .paths import project_caches, project_root
from .tables import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

EXAMPLE = "ctx clean --dry-run"


def add_arguments(parser: ArgumentParser) -> None:
    """`--dry-run`."""
    parser.add_argument("--dry-run", action="store_true", help="name what would go, and remove nothing")


def run(options: Namespace) -> None:
    """Remove, and tell what."""
    records = list(old_records())
    removed = 0
    for cache in caches():
        for path in leftovers(cache):
            narrate(str(path))
            removed += 1
        if not options.dry_run:
            remove_leftovers(cache)
    for record in records:
        narrate(str(record))
        if not options.dry_run:
            record.unlink(missing_ok=True)
    verb = "would be removed" if options.dry_run else "removed"
    narrate(f"{count(removed, 'leftover')} and {count(len(records), 'record')} {verb}")


def caches() -> list[Path]:
    """The caches of the project that are there."""
    found = {path.parent.resolve() for path in Path(project_caches()).glob(f"*/{MANIFEST}")}
    project = find_project()
    described = project.caches.values() if project else ()
    return sorted(found | {cache.place.resolve() for cache in described if (cache.place / MANIFEST).exists()})


def old_records() -> Iterator[Path]:
    """Records of builds (`.ctx/records`) whose cache is not in this project any more."""
    project = find_project()
    kept = {cache.record_file.resolve() for cache in project.caches.values()} if project else set()
    names = {cache.name for cache in caches()}
    for record in sorted((Path(project_root()) / ".ctx/records").glob("*.json")):
        if record.resolve() not in kept and record.name.rpartition("-")[0] not in names:
            yield record


def count_leftovers() -> int:
    """How many files of killed builds lie in the caches of the project."""
    total = 0
    for cache in caches():
        try:
            total += len(leftovers(cache))
        except OperationError:  # the cache cannot be read: `ctx doctor` says so by itself
            continue
    return total
