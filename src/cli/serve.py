"""The commands for agents: `serve` starts the server, `install` configures a client to start it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from contextlib import nullcontext

from ..errors import UsageError
from .output import narrate, write, write_json
from .parser import Command, add_format
from .paths import project_caches, project_root

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from subprocess import Popen
    from typing import NoReturn

    from ..server.install.clients import Client
    from ..server.install.install import Installation

_ENVIRONMENT = "CONTEXT_CACHE_ROOT"
_LONGEST_TIMEOUT = 86_400
_LARGEST_ADVICE = 1_000_000


def _serve_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--cache-root", metavar="DIR", help=f"serve the caches in DIR (default: ${_ENVIRONMENT} if set)")
    add("--project", metavar="DIR", help="serve the .context.yaml files of the project at DIR")
    add("--no-path-override", action="store_true", help="let no call name another project")
    text = "how tools are listed; both spellings are answered (default: dotted)"
    add("--tool-names", choices=("dotted", "underscore"), default="dotted", help=text)
    add("--timeout", type=float, default=30, metavar="SECONDS", help="end a longer call (default: 30)")
    text = "refuse a longer message (default: %(default)s)"
    add("--max-message-bytes", type=int, default=1 << 20, metavar="N", help=text)
    text = "the budget that tool description and instructions advise, for clients that cut long answers"
    add("--suggest-budget", type=int, metavar="N", help=text)
    add(
        "--watch",
        action="store_true",
        help="rebuild the caches of ctx.toml after each change of their sources",
    )
    text = "send results as text only, for clients that show both"
    add("--no-structured-content", action="store_true", help=text)


def _require_limits(options: Namespace) -> None:
    """Raise `UsageError` for a number that is out of range."""
    if not 0 < options.timeout <= _LONGEST_TIMEOUT:
        raise UsageError(f"--timeout must be above 0 and at most {_LONGEST_TIMEOUT} seconds")
    if options.suggest_budget is not None and not 0 < options.suggest_budget <= _LARGEST_ADVICE:
        raise UsageError(f"--suggest-budget must be from 1 to {_LARGEST_ADVICE}")
    if options.max_message_bytes < 1:
        raise UsageError("--max-message-bytes must be 1 or more")


def _run_serve(options: Namespace) -> NoReturn:
    """Serve until the client closes standard input."""
    _require_limits(options)
    from ..server.serve import ServeOptions, run  # takes longer to load than a whole resolve

    cache_root = options.cache_root or os.environ.get(_ENVIRONMENT)
    if os.isatty(0):
        narrate("an MCP client starts this and talks to it on standard input; Ctrl-C ends it")
    project = options.project
    if cache_root is None and project is None:
        cache_root, project = project_caches(), os.getcwd()
        from .paths import elsewhere_notes  # TOML and its model, like the server itself not for `--help`

        for line in elsewhere_notes(cache_root, "`ctx serve --cache-root {}` serves it"):
            narrate(line)
    with _watching(project) if options.watch else nullcontext():
        run(
            ServeOptions(
                cache_root=cache_root,
                project=project,
                path_override=not options.no_path_override,
                spelling=options.tool_names,
                timeout=options.timeout,
                max_line=options.max_message_bytes,
                structured=not options.no_structured_content,
                suggested_budget=options.suggest_budget,
            ),
        )


def _watching(project: str | None) -> Popen[bytes]:
    """Start a process that rebuilds caches like `ctx build --watch`, until the pipe to it is closed."""
    from pathlib import Path
    from subprocess import DEVNULL, PIPE, Popen

    from ..project.project import find_configuration

    file = find_configuration(Path(project).expanduser() if project else None)
    if file is None:
        raise UsageError("--watch: there is no ctx.toml here; `ctx init` writes one")
    code = "import sys; from ctxcache.cli.update import watch_beside; watch_beside(sys.argv[1])"
    # In a session of its own: Ctrl-C ends the server only; the closed pipe ends the watch after a rebuild.
    return Popen(
        [sys.executable, "-P", "-c", code, str(file)], stdin=PIPE, stdout=DEVNULL, start_new_session=True
    )


SERVE = Command(
    help="""Serve caches and the scopes of a project to agents, over MCP on standard input and output.

With neither --cache-root nor --project: the caches of the current project, and the current
directory as project. `ctx install` configures a client to start this.""",
    examples=("ctx serve --cache-root .ctx/caches --project .",),
    arguments=_serve_arguments,
    run=_run_serve,
)


_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _install_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("client", metavar="CLIENT", nargs="?", help="the program that is to start the server")
    text = "show the configuration and write nothing; FORMAT (json, toml, yaml) is for clients not listed"
    add("--print", nargs="?", const="", metavar="FORMAT", help=text)
    add("--remove", action="store_true", help="take the server out of the configuration again")
    add("--name", default="ctxcache", metavar="NAME", help="what the client calls it (default: ctxcache)")
    add("--cache-root", metavar="DIR", help="serve the caches in DIR (default: those of this project)")
    add("--project", metavar="DIR", help="serve the scopes of the project at DIR (default: this one)")
    text = "write your own file for all projects, where the client also has one for each project"
    add("--user", action="store_true", help=text)
    add_format(parser, "text", "json", "pretty")


def _run_install(options: Namespace) -> None:
    """Write, show or remove the entry of the server in the client's file."""
    if not _NAME.fullmatch(options.name):
        raise UsageError("--name must be up to 64 letters, digits, `-` and `_`")
    if options.print is not None and options.format != "text":
        raise UsageError(f"--format {options.format}: goes with no --print, which writes as the client reads")
    client = _client(options)
    installation = _installation(client, options)
    if options.print is not None:
        where = f", in {installation.file}" if client.files else ""
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
    if not client.files and options.print is None:
        raise UsageError(f"{client.title}: configured by hand; --print shows the entry")
    return client


def _installation(client: Client, options: Namespace) -> Installation:
    from ..server.install.clients import Environment
    from ..server.install.install import Installation, serve_command

    project = os.path.abspath(os.path.expanduser(options.project or project_root()))
    caches = os.path.abspath(os.path.expanduser(options.cache_root or f"{project}/.ctx/caches"))
    if options.cache_root is None and not options.remove:
        from .paths import elsewhere_notes

        remedy = f"`ctx install {options.client or '--print FORMAT'} --cache-root {{}}` serves it"
        for line in elsewhere_notes(caches, remedy, project):
            narrate(line)
    if not options.remove:
        from ..server.service import RootedCaches

        if reason := RootedCaches(caches).problem():
            narrate(f"note: {reason}")
    is_shared = bool(client.project_file) and not options.user
    location = client.project_file if is_shared else client.user_file
    file = Environment.here(project).path(location or "no file")
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
