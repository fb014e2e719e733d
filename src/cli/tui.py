"""The command `tui`: the inspector."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..arguments import DEFAULT_BUDGET
from ..cache.catalog import list_caches
from ..cache.manifest import MANIFEST
from ..errors import CacheMissing, OperationError, UsageError
from .parser import Command, query_of
from .paths import cache_names, find_cache, marked_root, project_caches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_SAMPLES = "sample_caches"


def _tui_arguments(parser: ArgumentParser) -> None:
    """PATH, and how the inspector begins."""
    add = parser.add_argument
    add("path", nargs="?", metavar="PATH", help="a directory of caches, or a cache, by path or name")
    add("-q", "--query", default="", metavar="QUERY", help="begin with this query")
    add(
        "-b",
        "--budget",
        default=str(DEFAULT_BUDGET),
        metavar="TOKENS",
        help="begin with this budget (%(default)s)",
    )
    add("--sources", metavar="DIR", help="the folder that the cache was built from, to edit its files")
    add("--theme", choices=("dark", "light"), help="(default: the one chosen last, else dark)")
    add("--web", action="store_true", help="serve it to a browser on this machine")
    add("--port", type=int, default=8000, metavar="N", help="with --web, the port (%(default)s)")


def _run_tui(options: Namespace) -> int:
    """Run the inspector, or serve it."""
    from ..arguments import checked_query, read_budget
    from ..project.project import find_configuration
    from ..tui.launch import Start, run, serve
    from ..tui.state import Question

    if not 0 < options.port < 1 << 16:
        raise UsageError(f"--port: {options.port} is not a port; 1 to 65535 are")
    question = Question(query=checked_query(query_of(options.query)), budget=read_budget(options.budget))
    root = place_of(options.path)
    start = Start(
        root=root,
        question=question,
        sources=options.sources,
        project=marked_root(),
        configuration=find_configuration(Path(root)) or find_configuration(),
        theme=options.theme or "",
    )
    return serve(start, options.port) if options.web else run(start)


def place_of(path: str | None) -> str:
    """Where to look for caches.

    What holds none is a name that is looked up as `--cache` does: a folder of documents is often
    called like its cache. A cache that is described and not built yet stands among the project's.
    Raises `CacheMissing` for an empty name.
    """
    caches = project_caches()
    if path is None:
        return caches if os.path.isdir(caches) else _only_cache() or caches
    if _holds_caches(path):
        return path
    try:
        return find_cache(path, None)
    except CacheMissing:
        if not path:
            raise
        return caches


def _only_cache() -> str:
    """The only cache of a project that keeps it elsewhere, else the samples; empty if neither is there."""
    names = cache_names()
    if len(names) == 1:
        with suppress(CacheMissing):  # not built yet
            return find_cache(names[0], None)
    return _SAMPLES if not names and os.path.isdir(_SAMPLES) else ""


def _holds_caches(path: str) -> bool:
    """Whether this is a cache, or a folder with one directly in it."""
    if os.path.lexists(f"{path}/{MANIFEST}"):
        return True
    try:
        return any(item.has_manifest for item in list_caches(path).caches)
    except OperationError:
        return False


TUI = Command(
    help="""Browse caches, ask while typing, see what an agent would get, and why.

PATH is a directory of caches, one cache, or the name of a cache of the current project, which
need not be built yet; without it the caches of the project are shown, wherever its only one lies,
else ./sample_caches.""",
    examples=('ctx tui sample_caches --query "how do we roll back a deployment"',),
    arguments=_tui_arguments,
    run=_run_tui,
)
