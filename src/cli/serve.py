"""The command `serve`: the MCP server on standard input and output."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext

from ..errors import UsageError
from .output import narrate
from .parser import Command
from .paths import project_caches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from subprocess import Popen
    from typing import NoReturn


_ENVIRONMENT = "CONTEXT_CACHE_ROOT"
_LONGEST_TIMEOUT = 86_400
_LARGEST_ADVICE = 1_000_000


def _serve_arguments(parser: ArgumentParser) -> None:
    """`--cache-root`, `--project` and what a client may need otherwise."""
    add = parser.add_argument
    add("--cache-root", metavar="DIR", help=f"serve the caches in DIR (default: ${_ENVIRONMENT} if set)")
    add("--project", metavar="DIR", help="serve the .context.yaml files of the project at DIR")
    add("--no-path-override", action="store_true", help="let no call name another project")
    words = "how tools are listed; both spellings are answered (default: dotted)"
    add("--tool-names", choices=("dotted", "underscore"), default="dotted", help=words)
    add("--timeout", type=float, default=30, metavar="SECONDS", help="end a longer call (default: 30)")
    words = "refuse a longer message (default: %(default)s)"
    add("--max-message-bytes", type=int, default=1 << 20, metavar="N", help=words)
    words = "the budget that tool description and instructions advise, for clients that cut long answers"
    add("--suggest-budget", type=int, metavar="N", help=words)
    add(
        "--watch",
        action="store_true",
        help="rebuild the caches of ctx.toml after each change of their sources",
    )
    words = "send results as text only, for clients that show both"
    add("--no-structured-content", action="store_true", help=words)


def _run_serve(options: Namespace) -> NoReturn:
    """Serve until the client leaves."""
    if not 0 < options.timeout <= _LONGEST_TIMEOUT:
        raise UsageError(f"--timeout must be above 0 and at most {_LONGEST_TIMEOUT} seconds")
    if options.suggest_budget is not None and not 0 < options.suggest_budget <= _LARGEST_ADVICE:
        raise UsageError(f"--suggest-budget must be from 1 to {_LARGEST_ADVICE}")
    if options.max_message_bytes < 1:
        raise UsageError("--max-message-bytes must be 1 or more")
    from ..server.serve import ServeOptions, run  # costs more than a whole resolve

    cache_root = options.cache_root or os.environ.get(_ENVIRONMENT)
    if os.isatty(0):
        narrate("an MCP client starts this and talks to it on standard input; Ctrl-C ends it")
    project = options.project
    if cache_root is None and project is None:
        cache_root, project = project_caches(), os.getcwd()
        from .paths import told_elsewhere  # TOML and its model, like the server itself not for `--help`

        for line in told_elsewhere(cache_root, "`ctx serve --cache-root {}` serves it"):
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
    """A process that does what `ctx build --watch` does, as long as the pipe to it is open."""
    from pathlib import Path
    from subprocess import DEVNULL, PIPE, Popen

    from ..project.project import find_configuration

    file = find_configuration(Path(project).expanduser() if project else None)
    if file is None:
        raise UsageError("--watch: there is no ctx.toml here; `ctx init` writes one")
    code = "import sys; from ctxcache.cli.update import watch_beside; watch_beside(sys.argv[1])"
    # In a session of its own: Ctrl-C ends the server, and its end lets the watch end between two rebuilds.
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
