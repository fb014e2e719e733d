"""Say what a cache is: its version, its size, and whether its structure holds.

`ctx verify` checks every byte.
"""

from __future__ import annotations

from ..cache.catalog import inspect_cache
from .output import write
from .parser import add_cache, add_format
from .paths import find_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..cache.catalog import Inspection

EXAMPLE = "ctx inspect --cache handbook --format table"


def add_arguments(parser: ArgumentParser) -> None:
    """`--cache`, `--cache-root`, `--format`."""
    add_cache(parser)
    add_format(parser, "json", "pretty", "table")


def run(options: Namespace) -> None:
    """Write the inspection."""
    inspection = inspect_cache(find_cache(options.cache, options.cache_root))
    if options.format == "json":
        write(inspection.to_json())
    elif options.format == "pretty":
        write(inspection.to_pretty())
    else:
        write(_in_words(inspection))


def _in_words(inspection: Inspection) -> str:
    from .tables import count, table  # people alone pay for what measures characters

    rows = [
        ("version", inspection.cache_version or "unknown"),
        ("documents", f"{inspection.document_count:,}"),
        ("size", count(inspection.total_bytes, "byte")),
        ("structure", "valid" if inspection.valid else "not valid; `ctx verify` says why"),
    ]
    return table(rows, "<<")
