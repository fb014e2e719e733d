"""Say which caches of the project are fresh: those of ctx.toml against their sources, by content.

Exit code 0 when all are fresh, else 8: stale (and what was added, removed or changed, or is
configured otherwise), missing or invalid.
"""

from __future__ import annotations

from .. import jsonio
from ..builder.freshness import STATES
from ..project.project import require_project
from ..text.visible import visible
from .main import NOT_AS_IT_SHOULD_BE
from .output import write
from .parser import add_format
from .tables import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from ..builder.freshness import Freshness
    from ..project.caches import ProjectCache

EXAMPLE = "ctx status --json"

_MOST = 10  # names of one kind


def add_arguments(parser: ArgumentParser) -> None:
    """NAME and `--format`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="a cache of ctx.toml (default: all)")
    add_format(parser, "table", "json", "pretty")


def run(options: Namespace) -> int:
    """Judge, and write the judgement."""
    caches = require_project().chosen(options.names)
    found = [(cache, cache.freshness()) for cache in caches]
    if options.format != "table":
        written = jsonio.compact if options.format == "json" else jsonio.pretty
        write(written({"caches": [_as_dict(*each) for each in found]}))
    else:
        write(_in_words(found))
    return 0 if all(freshness.fresh for _, freshness in found) else NOT_AS_IT_SHOULD_BE


def _as_dict(cache: ProjectCache, freshness: Freshness) -> dict[str, object]:
    return {"name": cache.name} | freshness.to_dict()


def _in_words(found: list[tuple[ProjectCache, Freshness]]) -> str:
    if not found:
        return "no caches are configured\n"
    rows = [(cache.name, freshness.state, freshness.summary) for cache, freshness in found]
    lines = table(rows, "<<<").splitlines()
    written = []
    for line, (_, freshness) in zip(lines, found, strict=True):
        written += [line, *_details(freshness)]
    counts = {state: sum(freshness.state == state for _, freshness in found) for state in STATES}
    told = " · ".join(f"{number} {state}" for state, number in counts.items() if number)
    behind = sum(not (freshness.fresh or freshness.is_blocked) for _, freshness in found)
    remedy = f"; `ctx build` brings {'it' if behind == 1 else 'them'} up to date" if behind else ""
    return "".join(f"{line}\n" for line in (*written, told + remedy))


def _details(freshness: Freshness) -> Iterator[str]:
    """What changed: the first few names of each kind, and how many more."""
    for mark, ids in (("+", freshness.added), ("-", freshness.removed), ("~", freshness.changed)):
        for id_ in ids[:_MOST]:
            yield f"  {mark} {visible(id_)}"
        if len(ids) > _MOST:
            yield f"  {mark} … and {len(ids) - _MOST:,} more"
    for line in freshness.configuration:
        yield f"  {visible(line)}"
