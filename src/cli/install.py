"""Configure a client to start `ctx serve`, in the client's own file; all else in it stays as it is.

CLIENT is one of claude-code, claude-desktop, cursor, vscode, codex, gemini, copilot, windsurf,
zed, opencode.
"""

from __future__ import annotations

import os
import re

from ..errors import UsageError
from .output import narrate, write
from .places import project_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..server.install.clients import Client
    from ..server.install.install import Installation

EXAMPLE = "ctx install claude-code --cache-root .ctx/caches"

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def add_arguments(parser: ArgumentParser) -> None:
    """CLIENT and what is written for it."""
    add = parser.add_argument
    add("client", metavar="CLIENT", help="the program that is to start the server")
    add("--print", action="store_true", help="show the configuration and write nothing")
    add("--remove", action="store_true", help="take the server out of the configuration again")
    add("--name", default="ctxcache", metavar="NAME", help="what the client calls it (default: ctxcache)")
    add("--cache-root", metavar="DIR", help="serve the caches in DIR (default: those of this project)")
    add("--project", metavar="DIR", help="serve the scopes of the project at DIR (default: this one)")
    words = "write the file for all projects (cursor, gemini, opencode)"
    add("--user", action="store_true", help=words)


def run(options: Namespace) -> None:
    """Write, show or remove the entry, and say which file holds it."""
    from ..server.install.install import program  # TOML and more, which no other command needs

    if not _NAME.fullmatch(options.name):
        raise UsageError("--name must be up to 64 letters, digits, `-` and `_`")
    client = _client(options.client)
    installation = _installation(client, options, program())
    if options.print:
        narrate(f"for {client.title}, in {installation.file}:")
        write(installation.fragment())
    elif options.remove:
        said = "removed from" if installation.remove() else "was not in"
        narrate(f"{options.name} {said} {installation.file}")
    elif installation.install():
        narrate(f"{options.name} written to {installation.file}; restart {client.title} to use it")
    else:
        narrate(f"{options.name} is in {installation.file} already; nothing was changed")


def _client(name: str) -> Client:
    from ..server.install.clients import CLIENTS

    if name not in CLIENTS:
        raise UsageError(f"there is no client `{name}`; there are {', '.join(CLIENTS)}")
    return CLIENTS[name]


def _installation(client: Client, options: Namespace, program: list[str]) -> Installation:
    from ..server.install.install import Installation
    from ..server.install.surroundings import Surroundings

    project = os.path.abspath(os.path.expanduser(options.project or project_root()))
    caches = os.path.abspath(os.path.expanduser(options.cache_root or f"{project}/.ctx/caches"))
    if options.cache_root is None and not options.remove:
        from .elsewhere import told_elsewhere

        remedy = f"`ctx install {options.client} --cache-root {{}}` serves it"
        for line in told_elsewhere(caches, remedy, project):
            narrate(line)
    command = [*program, "serve", "--cache-root", caches, "--project", project]
    if client.refuses_dots:
        command += ["--tool-names", "underscore"]
    if options.user and client.home_place is None:
        raise UsageError(f"--user: {client.title} has one file only")
    place = client.home_place if options.user and client.home_place else client.place
    file = place(Surroundings.here(project))
    return Installation(client=client, file=file, name=options.name, command=command)
