"""The commands about a whole project: `init`, `status`."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..builder.freshness import STATES, Freshness
from ..errors import UsageError
from ..project.initial import initial_configuration
from ..project.project import NAME, PYPROJECT, is_configured, require_project
from ..safeio import ChangedMeanwhile, exists, replace_bytes
from ..text.display import escape_control
from .main import ExitCode
from .output import narrate, write_as, write_json
from .parser import Command, add_format
from .paths import require_folder
from .terminal import left_out_words, table

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from ..project.caches import ProjectCache


def _init_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="the project (default: .)")
    add_format(parser, "text", "json", "pretty")


def _run_init(options: Namespace) -> None:
    require_folder(options.folder)
    folder = Path(options.folder)
    file = folder / NAME
    already = UsageError(f"{file}: is there already; `ctx status` says how its caches are")
    if exists(file):
        raise already
    if is_configured(folder / PYPROJECT):
        raise UsageError(f"{folder / PYPROJECT}: configures caches already, in [tool.ctx]")
    text, unreadable = initial_configuration(folder)
    for skipped in unreadable:
        narrate(f"note: {skipped.path}: {skipped.rule}, so nothing of it is proposed")
    try:
        replace_bytes(file, text.encode(), expected=b"")
    except ChangedMeanwhile:
        raise already from None
    if options.format != "text":
        write_json(options.format, {"file": str(file)})
    there = "" if folder.resolve() == Path.cwd() else f"`cd {shlex.quote(str(folder))}` and "
    narrate(f"wrote {file}; look it over, then {there}`ctx build`. Caches go to .ctx/, which git ignores")


INIT = Command(
    help="""Write a commented ctx.toml for the folder at hand, from the documents that are in it.

Nothing else is written, and nothing that is there is replaced.""",
    examples=("ctx init",),
    arguments=_init_arguments,
    run=_run_init,
)


_MOST_NAMES = 10  # names of one kind


def _status_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="a cache of ctx.toml (default: all)")
    add_format(parser, "table", "json", "pretty")


def _run_status(options: Namespace) -> int:
    caches = require_project().select(options.names)
    checked = [(cache, cache.freshness()) for cache in caches]
    values = [{"name": cache.name} | freshness.to_dict() for cache, freshness in checked]
    write_as(options.format, {"caches": values}, lambda: _status_in_words(checked))
    return 0 if all(freshness.fresh for _, freshness in checked) else ExitCode.NOT_AS_IT_SHOULD_BE


def _status_in_words(checked: list[tuple[ProjectCache, Freshness]]) -> str:
    if not checked:
        return "no caches are configured\n"
    rows = [(cache.name, freshness.state, _status_remark(cache, freshness)) for cache, freshness in checked]
    lines = table(rows, "<<<").splitlines()
    written = []
    for line, (_, freshness) in zip(lines, checked, strict=True):
        written += [line, *_details(freshness)]
    counts = {state: sum(freshness.state == state for _, freshness in checked) for state in STATES}
    states = " · ".join(f"{number} {state}" for state, number in counts.items() if number)
    behind = sum(not (freshness.fresh or freshness.is_blocked) for _, freshness in checked)
    remedy = f"; `ctx build` brings {'it' if behind == 1 else 'them'} up to date" if behind else ""
    return "".join(f"{line}\n" for line in (*written, states + remedy))


def _status_remark(cache: ProjectCache, freshness: Freshness) -> str:
    """The reason of the state; for a fresh cache, the number of files that are left out."""
    report = f"`ctx build {cache.name} --report FILE`"
    return left_out_words(freshness.left_out, report) if freshness.fresh else freshness.summary


def _details(freshness: Freshness) -> Iterator[str]:
    """The changes: the first few names of each kind, and the number of the others."""
    for mark, ids in (("+", freshness.added), ("-", freshness.removed), ("~", freshness.changed)):
        for id_ in ids[:_MOST_NAMES]:
            yield f"  {mark} {escape_control(id_)}"
        if len(ids) > _MOST_NAMES:
            yield f"  {mark} … and {len(ids) - _MOST_NAMES:,} more"
    for line in freshness.configuration:
        yield f"  {escape_control(line)}"
    if freshness.line_ends:
        yield "  line ends: git's core.autocrlf changes them; `* -text` in a .gitattributes forbids it"


STATUS = Command(
    help="""Say which caches of the project are fresh: those of ctx.toml against their sources, by content.

Exit code 0 when all are fresh, else 8: stale (and what was added, removed or changed, or is
configured otherwise), missing or invalid.""",
    examples=("ctx status --json",),
    arguments=_status_arguments,
    run=_run_status,
)
