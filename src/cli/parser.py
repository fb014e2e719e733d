"""The argument parser of a command, and the options that several commands share.

Only the parser of the called command is built, since each one costs start-up time.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentParser,
    Namespace,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)

from ..errors import UsageError
from .output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager
    from typing import Any, NoReturn

_HELP_WIDTH = 96
_MAY_BE_EMPTY = frozenset(("QUERY", "TOKENS", "CACHE", "A", "B", "ROOT", "ID", "SOURCES"))
"""Placeholders of arguments whose values are judged later, most with an exit code of their own."""
_INVALID_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")


class _NoColors:
    """A theme of argparse without colours."""

    def __getattr__(self, _: str) -> str:
        return ""


class _HelpFormatter(RawDescriptionHelpFormatter):
    """Formats help in a fixed width without colour: asking the terminal would load more of the library."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_HELP_WIDTH)

    def _set_color(self, *_: object, **__: object) -> None:
        """Set no colours; the base class imports `dataclasses` and `inspect` for this since CPython 3.14."""
        self._theme, self._decolor = _NoColors(), str


class Parser(ArgumentParser):
    """A parser that raises `UsageError`, and writes its help to standard output."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        options.setdefault("formatter_class", _HelpFormatter)
        super().__init__(**options)
        text = "tell nothing but results and errors"
        self.add_argument("--quiet", action="store_true", default=SUPPRESS, help=text)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the nearest choice and the command that shows the help."""
        choice = _INVALID_CHOICE.search(message)
        near = nearest(choice[1], re.findall(r"[\w.-]+", choice[2])) if choice else None
        if near:
            message = f"{message}; did you mean {near}?"
        raise UsageError(f"{message}; `{self.prog} --help` shows how")

    def options(self) -> set[str]:
        """The options of this parser and of its subparsers."""
        return {option for action in self.all_actions() for option in action.option_strings}

    def all_actions(self) -> Iterator[Action]:
        """The arguments of this parser and of its subparsers."""
        for action in self._actions:
            yield action
            if isinstance(action, _SubParsersAction):
                for parser in action.choices.values():
                    yield from parser.all_actions()

    def print_help(self, file: Any = None) -> None:
        """Write the help to standard output."""
        write(self.format_help())


class Command:
    """A command or subcommand: its help, its arguments and the function that runs it."""

    def __init__(  # a dataclass or a named tuple would import `typing` or more in a cold `ctx resolve`
        self,
        *,
        help: str,  # noqa: A002 - what argparse calls it
        examples: tuple[str, ...],
        arguments: Callable[[ArgumentParser], None],
        run: Callable[[Namespace], int | None],
    ) -> None:
        """`examples` are command lines that work in a project with a cache `handbook`.

        `arguments` adds the arguments to a parser. `run` returns the exit code, None for 0.
        """
        self.help = help
        self.examples = examples
        self.arguments = arguments
        self.run = run

    def add_to(self, parser: ArgumentParser) -> None:
        """Add the help, the examples and the arguments to a parser."""
        parser.description = self.help
        parser.epilog = "\n  ".join(("examples:" if len(self.examples) > 1 else "example:", *self.examples))
        self.arguments(parser)


def parser_of(command: Command, prog: str) -> Parser:
    """The parser of one command."""
    parser = Parser(prog=prog)
    command.add_to(parser)
    return parser


def parse(command: Command, prog: str, arguments: list[str]) -> Namespace:
    """Parse the arguments of one command. Raises `UsageError`."""
    parser = parser_of(command, prog)
    bound = _bind_queries(arguments)
    _require_known(parser, bound)
    options = parser.parse_args(bound)
    _require_values(parser, options)
    return options


def _require_known(parser: Parser, arguments: list[str]) -> None:
    """Raise `UsageError` for a misspelt option; argparse would report a missing argument instead."""
    options = parser.options()
    for argument in arguments:
        if argument == "--":
            return
        name = argument.partition("=")[0]
        if name.startswith("--") and name not in options and (near := nearest(name, options)):
            raise UsageError(f"there is no option {name}; did you mean {near}?")


def _require_values(parser: Parser, options: Namespace) -> None:
    """Raise `UsageError` for an empty value, as of a variable that is not set; few can be meant."""
    for action in parser.all_actions():
        value = getattr(options, action.dest, None)
        values = value if isinstance(value, list) else [value]
        if "" in values and action.const != "" and action.metavar not in _MAY_BE_EMPTY:
            raise UsageError(f"{'/'.join(action.option_strings) or action.metavar}: the value is empty")


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The one of some words that is most like a word, if one is like it: what a mistake may have meant."""
    from difflib import get_close_matches  # loaded for a mistake only

    return next(iter(get_close_matches(word, sorted(words), n=1)), None)


def add_workers(parser: ArgumentParser, does: str, sees: str) -> None:
    """Add `--jobs` and `--scheduler`; `does` and `sees` complete the help of the latter."""
    text = "worker processes (default: one a core where that pays); the result is the same"
    parser.add_argument("--jobs", type=int, metavar="N", help=text)
    text = f"{does} on the workers of a dask scheduler (tcp://HOST:PORT), which see the same {sees}"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=text)


def executor(options: Namespace) -> AbstractContextManager[Executor | None]:
    """The workers of the scheduler that `--scheduler` names; None without it. Raises `UsageError`."""
    from contextlib import nullcontext  # `ctx resolve` does not need it

    scratch = getattr(options, "scratch", None)  # not all of the commands have it
    if options.scheduler is None:
        if scratch is not None:
            raise UsageError("--scratch: goes with --scheduler alone")
        return nullcontext()
    from ..builder.cluster import cluster

    return cluster(options.scheduler, scratch)


def require_positive(options: Namespace, *names: str) -> None:
    """Raise `UsageError` for an option of these names whose value is below 1."""
    for name in names:
        if (value := getattr(options, name)) is not None and value < 1:
            raise UsageError(f"--{name.replace('_', '-')}: {value} is not a positive number")


def add_cache(parser: ArgumentParser, *, required: bool = True) -> None:
    """Add `--cache` and `--cache-root`."""
    text = "a directory, or the name of a cache in .ctx/caches"
    if not required:
        text += " (default: the only cache of the project)"
    parser.add_argument("-c", "--cache", required=required, metavar="CACHE", help=text)
    text = "take CACHE as a name in this directory, refuse what lies outside"
    parser.add_argument("--cache-root", metavar="DIR", help=text)


def add_query(parser: ArgumentParser) -> None:
    """Add `--query`."""
    parser.add_argument("-q", "--query", required=True, metavar="QUERY", help="words or a question")


def add_budget(parser: ArgumentParser, *, default: int | None = None) -> None:
    """Add `--budget`, whose value stays a string: `read_budget` parses it (exit code 3)."""
    text = "the most tokens that the chosen documents may have together: 4000, 4,000, 4k"
    if default is not None:
        text += f" (default: {default})"
    value = None if default is None else str(default)
    required = default is None
    parser.add_argument("-b", "--budget", required=required, default=value, metavar="TOKENS", help=text)


def add_format(parser: ArgumentParser, *choices: str) -> None:
    """Add `--format` with the first of `choices` as default, and `--json`."""
    text = f"{', '.join(choices)} (default: {choices[0]})"
    parser.add_argument("--format", choices=choices, default=choices[0], metavar="FORMAT", help=text)
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="--format json")


def add_html(parser: ArgumentParser) -> None:
    """Add `--html`."""
    text = "write a page for a browser too, one file that needs no other"
    parser.add_argument("--html", metavar="FILE", help=text)


def query_of(text: str) -> str:
    """A query argument decoded as UTF-8, whatever encoding the locale has."""
    if sys.getfilesystemencoding() == "utf-8":
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def _bind_queries(arguments: list[str]) -> list[str]:
    """The arguments with `-q TEXT` as `--query=TEXT`, since a query may begin with a dash."""
    bound: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return [*bound, argument, *rest]
        if argument in ("-q", "--query") and (value := next(rest, None)) is not None:
            argument = f"--query={value}"
        bound.append(argument)
    return bound
