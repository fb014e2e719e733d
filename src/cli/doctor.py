"""Look at the installation and the project: versions, extras, caches, clients, and what to do.

Exit code 8 when there is something to do.
"""

from __future__ import annotations

import os
import platform
import shutil
from importlib.util import find_spec

from ..builder.freshness import FRESH
from ..cache.catalog import inspect_cache
from ..errors import CtxError
from ..project.project import find_project
from ..text.visible import visible
from .clean import caches, count_leftovers, old_records
from .main import NOT_AS_IT_SHOULD_BE
from .output import write
from .paths import project_root
from .tables import count, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    Row = tuple[str, str, str]

EXAMPLE = "ctx doctor"

_EXTRAS = {"code": "tree_sitter", "convert": "markitdown", "fast": "toktok"}


def add_arguments(_: ArgumentParser) -> None:
    """No arguments."""


def run(_: Namespace) -> int:
    """Write a row for each thing that was looked at, with what to do where something is."""
    rows = [*_installation(), *_project()]
    write(table(rows, "<<<"))
    remedies = sum(1 for _, _, remedy in rows if remedy)
    write(f"{count(remedies, 'thing')} to do\n" if remedies else "all is well\n")
    return NOT_AS_IT_SHOULD_BE if remedies else 0


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
    """The caches of the project, what builds have left in them, and the clients that know it."""
    yield "project", os.path.relpath(project_root()), ""
    try:
        project = find_project()
    except CtxError as error:
        yield "configuration", visible(str(error)), "correct it"
        return
    described = {} if project is None else project.caches
    for cache in described.values():
        found = cache.freshness()
        remedy = "" if found.state == FRESH else f"`ctx build {cache.name}`"
        yield f"cache {cache.name}", f"{found.state} {visible(found.summary)}".strip(), remedy
    places = {cache.place.resolve() for cache in described.values()}
    for place in (place for place in caches() if place not in places):
        valid = inspect_cache(place).valid
        yield (
            f"cache {visible(place.name)}",
            "valid" if valid else "invalid",
            "" if valid else "build it again",
        )
    lying = count_leftovers() + len(list(old_records()))
    yield "leftovers of builds", f"{lying:,}", "`ctx clean`" if lying else ""
    clients = list(_clients())
    yield "clients", ", ".join(clients) or "none; `ctx install CLIENT` configures one", ""


def _clients() -> Iterator[str]:
    """The clients whose configuration of this project or this user names the server."""
    from ..server.install.clients import CLIENTS, Environment

    environment = Environment.here(os.path.abspath(project_root()))
    for name, client in CLIENTS.items():
        files = [locate(environment) for locate in (client.project_file, client.user_file) if locate]
        if any(_names_the_server(str(file)) for file in files):
            yield name


def _names_the_server(file: str) -> bool:
    try:
        with open(file, "rb") as text:
            return b"ctxcache" in text.read(1 << 20)
    except OSError:
        return False
