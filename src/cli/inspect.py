"""The commands that read caches: `list`, `inspect`, `verify`, `show`, `tui`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ..arguments import DEFAULT_BUDGET
from ..cache.catalog import CacheList, CacheRoot, Inspection, inspect_cache, list_caches
from ..cache.manifest import MANIFEST
from ..errors import REBUILD, CacheInvalid, CacheMissing, CtxError, UsageError
from ..safeio import exists, is_directory
from .main import exit_code
from .output import narrate, write_as
from .parser import Command, add_cache, add_format, query_of, require_positive
from .paths import cache_dir_of, cache_names, elsewhere_notes, find_cache, marked_root, project_caches

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..builder.verification import Verification


def _list_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("root", nargs="?", metavar="ROOT", help="a directory (default: .ctx/caches)")
    parser.add_argument("--cache-root", metavar="DIR", help="take ROOT as a name in this directory")
    add_format(parser, "json", "pretty", "table")


def _run_list(options: Namespace) -> None:
    listing = _listing(options.root, options.cache_root)
    for item in listing.caches:
        if item.problem and options.format != "table":
            narrate(f"warning: {item.path}: {item.problem}, so whether it is a cache is not known")
    write_as(options.format, listing, lambda: _listing_in_words(listing))
    if options.format == "table" and options.root is None and options.cache_root is None:
        for line in _elsewhere(project_caches()):
            narrate(line)


def _listing(root: str | None, cache_root: str | None) -> CacheList:
    if cache_root is not None:
        directory, below = CacheRoot(cache_root).locate_root("." if root is None else root)
        return list_caches(directory, prefix=below)
    if root is not None:
        try:
            return list_caches(root)
        except CacheMissing:
            remedy = "`ctx list` alone lists the caches of this project"
            raise CacheMissing(f"{root}: no such directory; {remedy}") from None
    directory = project_caches()
    if not is_directory(directory):
        elsewhere = [line.removeprefix("note: ") for line in _elsewhere(directory)]
        raise CacheMissing([*elsewhere, f"{directory}: no caches yet; `ctx build FOLDER` makes one"][0])
    return list_caches(directory)


def _elsewhere(directory: str) -> list[str]:
    """A note for each cache of the project that is not in the listed directory."""
    return elsewhere_notes(directory, "`ctx list {}` lists it")


def _description(cache: str) -> str:
    """The description of a cache; empty if it does not open."""
    from ..cache.store import description_of, open_store

    try:
        return description_of(open_store(cache))
    except CtxError:
        return ""


def _listing_in_words(listing: CacheList) -> str:
    from .terminal import table  # JSON does not need it

    rows = [
        (
            item.path,
            _description(f"{listing.directory}/{os.path.basename(item.path)}")
            if item.has_manifest
            else item.problem or "no manifest: not a cache",
        )
        for item in listing.caches
    ]
    return table(rows, "<<") or "no caches here; `ctx build FOLDER` makes one\n"


LIST = Command(
    help="""List the caches of a directory: those of the current project, or of ROOT.""",
    examples=("ctx list sample_caches --format table",),
    arguments=_list_arguments,
    run=_run_list,
)


def _inspect_arguments(parser: ArgumentParser) -> None:
    add_cache(parser)
    add_format(parser, "json", "pretty", "table")


def _run_inspect(options: Namespace) -> None:
    inspection = inspect_cache(cache_dir_of(options))
    write_as(options.format, inspection, lambda: _inspection_in_words(inspection))


def _inspection_in_words(inspection: Inspection) -> str:
    from ..text.display import pluralize
    from .terminal import table  # JSON does not need it

    rows = [
        ("version", inspection.cache_version or "unknown"),
        ("documents", f"{inspection.document_count:,}"),
        ("size", pluralize(inspection.total_bytes, "byte")),
        ("structure", "valid" if inspection.valid else "not valid; `ctx verify` says why"),
    ]
    return table(rows, "<<")


INSPECT = Command(
    help="""Say what a cache is: its version, its size, and whether its structure holds.

`ctx verify` checks every byte.""",
    examples=("ctx inspect --cache handbook --format table",),
    arguments=_inspect_arguments,
    run=_run_inspect,
)


def _verify_arguments(parser: ArgumentParser) -> None:
    from ..builder.verification import DEEP, QUICK, STRUCTURE  # numpy

    add_cache(parser)
    depth = parser.add_mutually_exclusive_group()
    text = "only compare sizes and digests of the files with the manifest"
    depth.add_argument("--quick", action="store_const", dest="depth", const=QUICK, help=text)
    text = "count tokens and words and analyse every text again"
    depth.add_argument("--deep", action="store_const", dest="depth", const=DEEP, help=text)
    parser.set_defaults(depth=STRUCTURE)
    text = "so many processes check documents (default: one for each core)"
    parser.add_argument("--jobs", type=int, metavar="N", help=text)
    add_format(parser, "table", "json", "pretty")


def _run_verify(options: Namespace) -> int:
    """Write the verification; a cache with faults has the exit code of `CacheInvalid`."""
    require_positive(options, "jobs")
    from ..builder.verification import verify  # numpy

    directory = cache_dir_of(options)
    verification = verify(directory, depth=options.depth, jobs=options.jobs)
    write_as(options.format, verification, lambda: _verification_in_words(verification))
    return 0 if verification.valid else exit_code(CacheInvalid)


def _verification_in_words(verification: Verification) -> str:
    from ..builder.verification import DEEP, QUICK
    from ..text.display import escape_control, pluralize

    again = " and analysed again" if verification.depth == DEEP else ""
    checked = f"{pluralize(verification.documents, 'document')} checked{again}"
    if verification.depth == QUICK and not verification.documents:
        checked = "files checked, not what is in them"
    notes = "".join(f"note: {escape_control(note)}\n" for note in verification.notes)
    if verification.valid:
        return f"{notes}valid · {checked}\n"
    faults = "".join(f"{fault.kind}: {escape_control(fault.detail)}\n" for fault in verification.faults)
    return f"{faults}{notes}not valid · {checked}; {REBUILD} makes it anew\n"


VERIFY = Command(
    help="""Check every byte of a cache: documents against versions, index against documents, stray files.

`--quick` only compares the files with the manifest, which finds all damage; `--deep` also analyses every text
again, as a build does. The first fault of each kind is named. A cache with faults is exit code 5.""",
    examples=("ctx verify --cache handbook",),
    arguments=_verify_arguments,
    run=_run_verify,
)


def _show_arguments(parser: ArgumentParser) -> None:
    add_cache(parser)
    parser.add_argument("id", metavar="ID", help="the document")
    add_format(parser, "json", "pretty", "text")


def _run_show(options: Namespace) -> None:
    from ..resolver.cache import open_cache  # `list` and `inspect` do not need these
    from ..resolver.reading import checked_id
    from ..text.display import escape_control

    wanted = checked_id(options.id)
    read = open_cache(cache_dir_of(options)).read(wanted)
    text = escape_control(read.document.content, newlines=True).rstrip("\n") + "\n"
    write_as(options.format, read, lambda: text)


SHOW = Command(
    help="""Print one document of a cache whole, and the ids of those before and after it in its file.

ID is an id as answers give it, or that of any heading inside a document.""",
    examples=("ctx show --cache handbook oncall/paging.md --format text",),
    arguments=_show_arguments,
    run=_run_show,
)


_SAMPLES = "sample_caches"


def _tui_arguments(parser: ArgumentParser) -> None:
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
    from ..arguments import checked_query, read_budget
    from ..project.project import find_configuration
    from ..tui.session import Question, Start

    if not 0 < options.port < 1 << 16:
        raise UsageError(f"--port: {options.port} is not a port; 1 to 65535 are")
    question = Question(query=checked_query(query_of(options.query)), budget=read_budget(options.budget))
    root = inspected_path(options.path)
    start = Start(
        root=root,
        question=question,
        sources=options.sources,
        project=marked_root(),
        configuration=find_configuration(Path(root)) or find_configuration(),
        theme=options.theme or "",
    )
    if options.web:
        from ..tui.web import serve  # aiohttp, which takes long to load

        serve(start.arguments(), options.port)
        return 0
    from ..tui.app import run  # Textual, which takes longer

    return run(start)


def inspected_path(path: str | None) -> str:
    """The cache or directory of caches that PATH of `ctx tui` means, by default that of the project.

    A path without caches is looked up as a name, as `--cache` does: a folder of documents often has the name
    of its cache. For a configured cache that is not built yet it is the project's directory of caches.
    Raises `CacheMissing` for an empty name.
    """
    caches = project_caches()
    if path is None:
        return caches if is_directory(caches) else _only_cache() or caches
    if _holds_caches(path):
        return path
    try:
        return find_cache(path, None)
    except CacheMissing:
        if not path:
            raise
        return caches


def _only_cache() -> str:
    """The only cache of a project, if it is built; without caches, the samples; empty if there are none."""
    names = cache_names()
    if len(names) == 1:
        with suppress(CacheMissing):  # not built yet
            return find_cache(names[0], None)
    return _SAMPLES if not names and is_directory(_SAMPLES) else ""


def _holds_caches(path: str) -> bool:
    """Whether a path is a cache, or a folder that directly contains one."""
    if exists(f"{path}/{MANIFEST}"):
        return True
    try:
        return any(item.has_manifest for item in list_caches(path).caches)
    except CacheMissing:
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
