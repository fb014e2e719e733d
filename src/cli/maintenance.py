"""The commands that maintain caches and pack them into files: `clean`, `doctor`, `pack`, `unpack`."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from ..builder.verification import verify
from ..cache.catalog import inspect_cache
from ..cache.manifest import MANIFEST, read_manifest
from ..cache.pack import pack, unpack
from ..cache.publish import leftovers, remove_leftovers
from ..errors import CacheInvalid, CtxError, OperationError, UsageError
from ..project.caches import RECORDS
from ..project.project import Project, find_project
from ..safeio import exists
from ..text.display import escape_control, pluralize
from .main import ExitCode
from .output import narrate, write_as, write_json
from .parser import Command, add_cache, add_format
from .paths import cache_dir_of, project_caches, project_root, require_file, require_folder_of
from .terminal import table

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    Row = tuple[str, str, str]


def _clean_arguments(parser: ArgumentParser) -> None:
    add_format(parser, "table", "json", "pretty")
    parser.add_argument("--dry-run", action="store_true", help="name what would go, and remove nothing")


def _run_clean(options: Namespace) -> None:
    project = find_project()
    caches = _built_caches(project)
    records = _old_records(project, caches)
    left = [path for cache in caches for path in leftovers(cache)]
    if not options.dry_run:
        for cache in caches:
            remove_leftovers(cache)
        for record in records:
            record.unlink(missing_ok=True)
    if options.format != "table":
        names = {"leftovers": [*map(str, left)], "records": [*map(str, records)]}
        write_json(options.format, {"removed": not options.dry_run} | names)
        return
    for path in (*left, *records):
        narrate(str(path))
    verb = "would be removed" if options.dry_run else "removed"
    narrate(f"{pluralize(len(left), 'leftover')} and {pluralize(len(records), 'record')} {verb}")


def _built_caches(project: Project | None) -> list[Path]:
    """The directories of the caches that exist: those of the configuration, and those in .ctx/caches."""
    caches = {path.resolve() for path in _entries(Path(project_caches())) if exists(path / MANIFEST)}
    configured = project.caches.values() if project else ()
    return sorted(
        caches | {cache.directory.resolve() for cache in configured if exists(cache.directory / MANIFEST)}
    )


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, sorted, if there is one. Raises `OSError`, as `Path.glob` does not."""
    return sorted(folder.iterdir()) if exists(folder) else []


def _old_records(project: Project | None, caches: list[Path]) -> list[Path]:
    """The records of builds in `.ctx/records` whose cache is no longer in this project."""
    current = {cache.record_file.resolve() for cache in project.caches.values()} if project else set()
    names = {cache.name for cache in caches}
    records = [path for path in _entries(Path(project_root()) / RECORDS) if path.suffix == ".json"]
    return [
        record
        for record in records
        if record.resolve() not in current and record.name.rpartition("-")[0] not in names
    ]


def _count_leftovers(caches: list[Path]) -> int:
    """The number of files of killed builds in caches."""
    total = 0
    for cache in caches:
        with suppress(OperationError):  # `ctx doctor` has a row for a cache that cannot be read
            total += len(leftovers(cache))
    return total


CLEAN = Command(
    help="""Remove what builds have left behind: records of caches that are gone, files of killed builds.

No cache loses anything that belongs to it; a running build keeps what it has made.""",
    examples=("ctx clean --dry-run",),
    arguments=_clean_arguments,
    run=_run_clean,
)


_EXTRAS = {"code": "tree_sitter", "convert": "markitdown", "dask": "distributed", "fast": "toktok"}


def _doctor_arguments(parser: ArgumentParser) -> None:
    add_format(parser, "table", "json", "pretty")


def _run_doctor(options: Namespace) -> int:
    """Write a row (subject, state, remedy) for each check; the remedy is empty if there is nothing to do."""
    rows = [*_installation(), *_project()]
    remedies = sum(1 for _, _, remedy in rows if remedy)
    summary = f"{pluralize(remedies, 'thing')} to do\n" if remedies else "all is well\n"
    things = [dict(zip(("subject", "state", "remedy"), row, strict=True)) for row in rows]
    write_as(options.format, {"found": things}, lambda: table(rows, "<<<") + summary)
    return ExitCode.NOT_AS_IT_SHOULD_BE if remedies else 0


def _installation() -> Iterator[Row]:
    from .. import __version__

    yield "ctxcache", __version__, ""
    yield "python", f"{platform.python_version()} ({platform.machine()})", ""
    on_path = shutil.which("ctx")
    remedy = "" if on_path else "install it with pipx or uv tool install, so that clients find `ctx`"
    yield "ctx on PATH", on_path or "no", remedy
    for extra, module in _EXTRAS.items():
        yield f"extra {extra}", "installed" if find_spec(module) else "not installed", ""


def _project() -> Iterator[Row]:
    """The rows of the project: its caches, the leftovers of builds, and the configured clients."""
    yield "project", os.path.relpath(project_root()), ""
    try:
        project = find_project()
    except CtxError as error:
        yield "configuration", escape_control(str(error)), "correct it"
        return
    configured = {} if project is None else project.caches
    for cache in configured.values():
        freshness = cache.freshness()
        remedy = "as it says" if freshness.is_blocked else f"`ctx build {cache.name}`"
        remedy = "" if freshness.fresh else remedy
        yield f"cache {cache.name}", f"{freshness.state} {escape_control(freshness.summary)}".strip(), remedy
    directories = {cache.directory.resolve() for cache in configured.values()}
    caches = _built_caches(project)
    for directory in (directory for directory in caches if directory not in directories):
        valid = inspect_cache(directory).valid
        name, remedy = directory.name, "" if valid else "build it again"
        if name in configured:
            name, remedy = os.path.relpath(directory), f"remove it: the configuration has {name} elsewhere"
        yield f"cache {escape_control(name)}", "valid" if valid else "invalid", remedy
    left = _count_leftovers(caches) + len(_old_records(project, caches))
    yield "leftovers of builds", f"{left:,}", "`ctx clean`" if left else ""
    clients = list(_clients())
    yield "clients", ", ".join(clients) or "none; `ctx install CLIENT` configures one", ""


def _clients() -> Iterator[str]:
    """The clients whose configuration of this project or this user names the server."""
    from ..server.install.clients import CLIENTS, Environment

    environment = Environment.here(os.path.abspath(project_root()))
    for name, client in CLIENTS.items():
        for file in client.files:
            with suppress(OSError), environment.path(file).open("rb") as text:
                if b"ctxcache" in text.read(1 << 20):
                    yield name
                    break


DOCTOR = Command(
    help="""Look at the installation and the project: versions, extras, caches, clients, and what to do.

Exit code 8 when there is something to do.""",
    examples=("ctx doctor",),
    arguments=_doctor_arguments,
    run=_run_doctor,
)


def _pack_arguments(parser: ArgumentParser) -> None:
    add_cache(parser, required=False)
    text = "the file to write (default: NAME.ctx.tar)"
    parser.add_argument("-o", "--output", metavar="FILE", help=text)
    add_format(parser, "text", "json", "pretty")


def _run_pack(options: Namespace) -> None:
    """Write the file, and its digest to standard output."""
    cache_dir = cache_dir_of(options)
    require_folder_of(options.output)
    verification = verify(cache_dir)
    if not verification.valid:
        why, remedy = verification.faults[0].detail, f"`ctx verify --cache {shlex.quote(cache_dir)}` says all"
        raise CacheInvalid(f"{cache_dir}: not valid ({why}); {remedy}")
    file = Path(options.output or f"{Path(cache_dir).resolve().name}.ctx.tar")
    digest = pack(cache_dir, file)
    write_as(options.format, {"file": str(file), "digest": digest}, lambda: f"{digest}\n")
    narrate(f"wrote {file}; `ctx unpack {shlex.quote(str(file))} --digest {digest}` gives the cache back")


PACK = Command(
    help="""Write a cache to one file, whose bytes are the same on every machine, and tell its digest.

The file is a tar archive without compression; publish it with a release, and the digest beside it.""",
    examples=("ctx pack --cache handbook --output handbook.ctx.tar",),
    arguments=_pack_arguments,
    run=_run_pack,
)


_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})\Z")


def _unpack_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what `ctx pack` wrote")
    text = "the SHA-256 that the file must have"
    parser.add_argument("--digest", metavar="SHA256", help=text)
    text = "the directory to write (default: .ctx/caches/NAME)"
    parser.add_argument("-c", "--cache", metavar="DIR", help=text)
    add_format(parser, "text", "json", "pretty")


def _run_unpack(options: Namespace) -> None:
    """Write the cache, unless it has faults."""
    require_file(options.file)
    digest = _digest(options.digest)
    name = os.path.basename(options.file).removesuffix(".tar").removesuffix(".ctx")
    if options.cache is None and name in ("", ".", ".."):
        raise UsageError(f"{options.file}: gives the cache no name; name its directory with --cache")
    target = Path(options.cache or f"{project_caches()}/{name}")
    unpack(Path(options.file), target, digest, _require_valid)
    documents = read_manifest(str(target))[1].document_count
    if options.format != "text":
        write_json(options.format, {"cache": str(target), "document_count": documents})
    narrate(f"unpacked {target}: {pluralize(documents, 'document')}")


def _require_valid(cache: Path) -> None:
    """Verify a cache; raise `CacheInvalid` with its first fault."""
    verification = verify(str(cache))
    if not verification.valid:
        raise CacheInvalid(f"the cache in the file is not valid: {verification.faults[0].detail}")


def _digest(text: str | None) -> str | None:
    """The hexadecimal digits of `--digest`, without `sha256:`; None without it. Raises `UsageError`."""
    if text is None:
        return None
    match = _DIGEST.match(text.lower())
    if match is None:
        raise UsageError("--digest: 64 hexadecimal digits, with or without sha256: before them")
    return match[1]


UNPACK = Command(
    help="""Write the cache in a file of `ctx pack` to a directory, once its digest and bytes are checked.""",
    examples=("ctx unpack handbook.ctx.tar --cache handbook-2",),
    arguments=_unpack_arguments,
    run=_run_unpack,
)
