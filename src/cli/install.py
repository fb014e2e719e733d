"""The command `install`: the entry of the server in a client's configuration."""

from __future__ import annotations

import os
import re
import shutil

from ..errors import UsageError
from .output import narrate, write, write_json
from .parser import Command, add_format
from .paths import project_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..server.install.clients import Client
    from ..server.install.install import Installation


_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _install_arguments(parser: ArgumentParser) -> None:
    """CLIENT and what is written for it."""
    add = parser.add_argument
    add("client", metavar="CLIENT", nargs="?", help="the program that is to start the server")
    words = "show the configuration and write nothing; FORMAT (json, toml, yaml) is for clients not listed"
    add("--print", nargs="?", const="", metavar="FORMAT", help=words)
    add("--remove", action="store_true", help="take the server out of the configuration again")
    add("--name", default="ctxcache", metavar="NAME", help="what the client calls it (default: ctxcache)")
    add("--cache-root", metavar="DIR", help="serve the caches in DIR (default: those of this project)")
    add("--project", metavar="DIR", help="serve the scopes of the project at DIR (default: this one)")
    words = "write your own file for all projects, where the client also has one for each project"
    add("--user", action="store_true", help=words)
    add_format(parser, "text", "json", "pretty")


def _run_install(options: Namespace) -> None:
    """Write, show or remove the entry, and say which file holds it."""
    if not _NAME.fullmatch(options.name):
        raise UsageError("--name must be up to 64 letters, digits, `-` and `_`")
    if options.print is not None and options.format != "text":
        raise UsageError(f"--format {options.format}: goes with no --print, which writes as the client reads")
    client = _client(options)
    installation = _installation(client, options)
    if options.print is not None:
        where = f", in {installation.file}" if not client.is_by_hand else ""
        narrate(f"for {client.title}{where}:")
        write(installation.fragment())
        return
    changed = installation.remove() if options.remove else installation.install()
    if options.format != "text":
        fields = {"client": client.title, "name": options.name, "file": str(installation.file)}
        write_json(options.format, fields | {"installed": not options.remove, "changed": changed})
    elif options.remove:
        narrate(f"{options.name} {'removed from' if changed else 'was not in'} {installation.file}")
    elif changed:
        narrate(f"{options.name} written to {installation.file}; restart {client.title} to use it")
    else:
        narrate(f"{options.name} is in {installation.file} already; nothing was changed")


def _client(options: Namespace) -> Client:
    from ..server.install.clients import ANY, CLIENTS

    name = options.client
    if name is None and options.print:  # `--print zed`, `--print json`
        name, options.print = options.print, ""
        if name in ANY:
            return ANY[name]
    if name is None:
        raise UsageError(f"name a client: {', '.join(CLIENTS)}; or --print json, toml or yaml")
    if name not in CLIENTS:
        raise UsageError(
            f"there is no client `{name}`; there are {', '.join(CLIENTS)}, and --print json, toml or yaml"
        )
    client = CLIENTS[name]
    if client.is_by_hand and options.print is None:
        raise UsageError(f"{client.title}: is configured by hand; --print shows the entry")
    return client


def _installation(client: Client, options: Namespace) -> Installation:
    from ..server.install.clients import Environment
    from ..server.install.install import Installation, serve_command

    project = os.path.abspath(os.path.expanduser(options.project or project_root()))
    caches = os.path.abspath(os.path.expanduser(options.cache_root or f"{project}/.ctx/caches"))
    if options.cache_root is None and not options.remove:
        from .paths import told_elsewhere

        remedy = f"`ctx install {options.client or '--print FORMAT'} --cache-root {{}}` serves it"
        for line in told_elsewhere(caches, remedy, project):
            narrate(line)
    is_shared = client.project_file is not None and not options.user
    locate = client.project_file if is_shared else client.user_file
    environment = Environment.here(project)
    file = locate(environment) if locate else environment.project / "no file"
    command = serve_command(client, project=project, cache_root=caches, is_shared=is_shared)
    if is_shared and not options.remove and shutil.which("ctx") is None:
        narrate(
            "`ctx` is not on your PATH, and this file names it so: install it with pipx or uv tool install"
        )
    return Installation(client=client, file=file, name=options.name, command=command)


INSTALL = Command(
    help="""Configure a client to start `ctx serve`, in the client's own file; all else in it stays as it is.

CLIENT is one of claude-code, claude-desktop, cursor, vscode, codex, gemini, qwen, copilot, windsurf,
zed, opencode, cline, roo, kilo, kiro, lmstudio, antigravity; with --print also goose, jetbrains.
For any other client: ctx install --print json, toml or yaml.""",
    examples=("ctx install claude-code --cache-root .ctx/caches",),
    arguments=_install_arguments,
    run=_run_install,
)
