"""The command `completion`: scripts for shells, and the names that these ask for."""

from __future__ import annotations

import re
from argparse import ArgumentParser, _SubParsersAction
from itertools import islice

from ..errors import CtxError, UsageError
from .output import write
from .parser import Command
from .paths import cache_names, find_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action, Namespace
    from collections.abc import Iterable, Iterator


SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
_KINDS = {
    "CACHE": "caches", "A": "caches", "B": "caches", "NAME": "caches", "DOCUMENT": "documents",
    "ID": "documents", "CLIENT": "clients", "FILE": "FILE", "QUERIES": "FILE", "--explain": "FILE",
    "DIR": "DIRECTORY", "FOLDER": "DIRECTORY", "PATH": "DIRECTORY", "PROJECT": "DIRECTORY",
    "ROOT": "DIRECTORY", "SOURCES": "DIRECTORY", "--name": "",
}  # fmt: skip
"""What a value of this name, or of this option, is."""

_MOST = 10_000
"""Documents that are offered."""

_HARMLESS = re.compile(r"[\w/@.][\w./@%+=:,#-]*\Z")
"""Shells expand the words that a completion offers: `$(…)` in the name of a document would be run."""


def _completion_arguments(parser: ArgumentParser) -> None:
    """SHELL, and what the scripts ask for."""
    parser.add_argument("shell", nargs="?", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    words = "what the scripts ask for: the names of the project's caches, documents, clients, a line each"
    choices = ("caches", "documents", "clients")
    parser.add_argument("--names", choices=choices, metavar="KIND", help=words)


def _run_completion(options: Namespace) -> None:
    """Write the script, or names."""
    if options.names is not None:
        names = {"caches": cache_names, "documents": _documents, "clients": _clients}[options.names]()
        write("".join(f"{name}\n" for name in names if _HARMLESS.match(name)))
    elif options.shell is None:
        raise UsageError(f"name a shell: {', '.join(SHELLS)}")
    else:
        import shtab  # where a script is written, and nowhere else

        scripts = [shtab.complete(whole_parser(name), options.shell) for name in ("ctx", "context")]
        write("\n".join(scripts))


def whole_parser(prog: str) -> ArgumentParser:
    """The parser of all commands, with what completes each value."""
    from .main import COMMANDS, command_of
    from .parser import Parser

    parser = Parser(prog=prog)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, does in COMMANDS.items():
        command = commands.add_parser(name, help=does)
        command_of(name).add_to(command)
        for action in _actions(command):
            _complete(action)
    helps = commands.add_parser("help", help="explain a command")
    helps.add_argument("command", choices=tuple(COMMANDS))
    return parser


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    """The actions of a parser and of those below it."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
        else:
            yield action


def _complete(action: Action) -> None:
    """Tell shtab what completes the value of an action."""
    import shtab

    by_name = _KINDS.get(str(action.metavar or action.dest).upper())
    kind = next((_KINDS[option] for option in action.option_strings if option in _KINDS), by_name)
    if not kind or action.choices or action.nargs == 0:
        return
    known = {"FILE": shtab.FILE, "DIRECTORY": shtab.DIRECTORY}
    action.complete = known.get(kind) or shtab.cmd(f"ctx completion --names {kind}")  # type: ignore[attr-defined]  # shtab's own way


def _documents() -> Iterable[str]:
    """The ids of the project's built caches, the first few thousand."""
    from ..resolver.cache import open_cache

    def ids() -> Iterator[str]:
        for name in cache_names():
            try:
                cache = open_cache(find_cache(name, None))
                yield from (summary.id for summary in cache.summaries(0, _MOST))
            except CtxError:  # not built yet, or damaged: nothing to offer
                continue

    return dict.fromkeys(islice(ids(), _MOST))


def _clients() -> Iterable[str]:
    from ..server.install.clients import CLIENTS

    return CLIENTS


COMPLETION = Command(
    help="""Write a script that completes command lines of ctx: for bash, zsh, fish, tcsh or PowerShell.

That for PowerShell has only been parsed, never tried; each of the others is tried in its shell.

bash:        echo 'eval "$(ctx completion bash)"' >> ~/.bashrc
zsh:         echo 'eval "$(ctx completion zsh)"' >> ~/.zshrc, below compinit
fish:        ctx completion fish > ~/.config/fish/completions/ctx.fish
tcsh:        ctx completion tcsh > ~/.ctx.tcsh; echo 'source ~/.ctx.tcsh' >> ~/.tcshrc
PowerShell:  ctx completion powershell | Out-String | Invoke-Expression, in $PROFILE""",
    examples=("ctx completion bash",),
    arguments=_completion_arguments,
    run=_run_completion,
)
