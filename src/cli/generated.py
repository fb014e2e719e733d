"""Texts generated from the parsers: completion scripts, with the names that these ask for, and the manual."""

from __future__ import annotations

import re
from argparse import SUPPRESS, Action, ArgumentParser, Namespace, _SubParsersAction
from itertools import islice

from .. import __version__
from ..errors import CtxError, UsageError
from .main import COMMANDS, ExitCode, command_of
from .output import write
from .parser import Command, Parser, parser_of
from .paths import cache_names, find_cache

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
_KINDS = {
    "CACHE": "caches", "A": "caches", "B": "caches", "NAME": "caches", "DOCUMENT": "documents",
    "ID": "documents", "CLIENT": "clients", "FILE": "FILE", "QUERIES": "FILE", "--explain": "FILE",
    "DIR": "DIRECTORY", "FOLDER": "DIRECTORY", "PATH": "DIRECTORY", "PROJECT": "DIRECTORY",
    "ROOT": "DIRECTORY", "SOURCES": "DIRECTORY", "--name": "",
}  # fmt: skip
"""What completes a value, by the name of the value or the option."""

_MOST_DOCUMENTS = 10_000
"""The most documents that a completion offers."""

_HARMLESS = re.compile(r"[\w/@.][\w./@%+=:,#-]*\Z")
"""Names that are offered. Shells expand completions: `$(…)` in the name of a document would be run."""


def _completion_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", nargs="?", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    text = "what the scripts ask for: the names of the project's caches, documents, clients, a line each"
    choices = ("caches", "documents", "clients")
    parser.add_argument("--names", choices=choices, metavar="KIND", help=text)


def _run_completion(options: Namespace) -> None:
    if options.names is not None:
        names = {"caches": cache_names, "documents": _documents, "clients": _clients}[options.names]()
        write("".join(f"{name}\n" for name in names if _HARMLESS.match(name)))
    elif options.shell is None:
        raise UsageError(f"name a shell: {', '.join(SHELLS)}")
    else:
        import shtab  # needed for scripts only

        scripts = [shtab.complete(whole_parser(name), options.shell) for name in ("ctx", "context")]
        write("\n".join(scripts))


def whole_parser(prog: str) -> ArgumentParser:
    """The parser of all commands, with shtab's completions of the values."""
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
    """The actions of a parser and of its subparsers."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)
        else:
            yield action


def _complete(action: Action) -> None:
    """Set shtab's completion of the value of an action."""
    import shtab

    by_name = _KINDS.get(str(action.metavar or action.dest).upper())
    kind = next((_KINDS[option] for option in action.option_strings if option in _KINDS), by_name)
    if not kind or action.choices or action.nargs == 0:
        return
    hooks = {"FILE": shtab.FILE, "DIRECTORY": shtab.DIRECTORY}
    action.complete = hooks.get(kind) or shtab.cmd(f"ctx completion --names {kind}")  # type: ignore[attr-defined]  # shtab's own way


def _documents() -> Iterable[str]:
    """The ids of the documents in the project's built caches, the first `_MOST_DOCUMENTS`."""
    from ..resolver.cache import open_cache

    def ids() -> Iterator[str]:
        for name in cache_names():
            try:
                cache = open_cache(find_cache(name, None))
                yield from (summary.id for summary in cache.summaries(0, _MOST_DOCUMENTS))
            except CtxError:  # not built yet, or damaged
                continue

    return dict.fromkeys(islice(ids(), _MOST_DOCUMENTS))


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


_DESCRIPTION = """\
ctx compiles folders of documents into caches, selects whole documents for a query within a token
budget, and says why.
Results go to standard output, everything else to standard error.
Run without arguments it lists its commands; context is the same program."""
_FILES = {
    "ctx.toml": "the caches of a project and its query tests; or [tool.ctx] of pyproject.toml",
    ".ctx/caches": "the caches of a project that says no other place for them",
    ".ctx/records": "what this machine remembers of builds; may be deleted",
    ".context.yaml": "the context of a directory",
    ".ctxignore": "patterns as in a .gitignore of what becomes no document",
}
_ENVIRONMENT = {
    "NO_COLOR": "no colours, unless --color always",
    "CTX_PAGER, PAGER": "what shows long texts on a terminal; less by default",
    "CONTEXT_CACHE_ROOT": "the caches that ctx serve serves without --cache-root",
}


def manual() -> str:
    """The manual page as roff."""
    return "".join(f"{line}\n" for line in _page())


def _page() -> Iterator[str]:
    yield f'.TH CTX 1 "" "ctxcache {__version__}" "User Commands"'
    yield from (
        ".SH NAME",
        "ctx \\- compile documents into caches and select from them within a token budget",
    )
    yield from (".SH SYNOPSIS", ".B ctx", ".I COMMAND", "[OPTIONS]")
    yield from (".SH DESCRIPTION", *map(_roff, _DESCRIPTION.splitlines()))
    yield ".SH COMMANDS"
    for name in COMMANDS:
        yield from _command(parser_of(command_of(name), f"ctx {name}"))
    statuses = {str(int(code)): code.meaning for code in ExitCode}
    for title, items in (("EXIT STATUS", statuses), ("FILES", _FILES), ("ENVIRONMENT", _ENVIRONMENT)):
        yield f".SH {title}"
        for term, text in items.items():
            yield from (".TP", f".B {_roff(term)}", _roff(text))


def _command(parser: ArgumentParser) -> Iterator[str]:
    """The lines of a command and of its subcommands."""
    yield f'.SS "{_roff(parser.prog)}"'
    for paragraph in (parser.description or "").split("\n\n"):
        is_table = "  " in paragraph  # its columns stay as they are
        begin, end = ((".EX",), (".EE",)) if is_table else ((), ())
        yield from (".PP", *begin, *map(_roff, paragraph.splitlines()), *end)
    actions: list[ArgumentParser] = []
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            actions += action.choices.values()
        elif action.dest not in ("help", "quiet"):
            yield from (".TP", f".B {_roff(_usage(action))}", _roff(_words(action)))
    yield from (".PP", ".EX", *(_roff(line) for line in (parser.epilog or "").splitlines()), ".EE")
    for inner in actions:
        yield from _command(inner)


def _usage(action: Action) -> str:
    """An argument as it is typed: `-c, --cache CACHE`."""
    value = str(action.metavar or "|".join(map(str, action.choices or (action.dest.upper(),))))
    value = {"*": f"[{value} ...]", "+": f"{value} ...", "?": f"[{value}]"}.get(str(action.nargs), value)
    if not action.option_strings:
        return value
    return ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {value}")


def _words(action: Action) -> str:
    """The help of an argument."""
    words = action.help if action.help not in (None, SUPPRESS) else ""
    return str(words) % {"default": action.default} if "%(" in str(words) else str(words)


def _roff(line: str) -> str:
    """A line with roff's special characters escaped."""
    line = line.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{line}" if line.startswith((".", "'")) else line
