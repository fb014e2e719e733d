"""Command lines: the parser of one command, and the options that several share.

Only the command asked for is parsed for, because every parser costs start-up time.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter, _SubParsersAction

from ..errors import UsageError
from .output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager
    from typing import Any, NoReturn

_HELP_WIDTH = 96
_INVALID_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")


class _NoColors:
    """A theme whose every colour is none."""

    def __getattr__(self, _: str) -> str:
        return ""


class _HelpFormatter(RawDescriptionHelpFormatter):
    """Help of fixed width and no colour: argparse would load much to find out about the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_HELP_WIDTH)

    def _set_color(self, *_: object, **__: object) -> None:
        """From CPython 3.14 on the base class loads `dataclasses` and `inspect` for this, for each option."""
        self._theme, self._decolor = _NoColors(), str


class Parser(ArgumentParser):
    """A parser that reports wrong usage as an error of ours, and helps on standard output."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        options.setdefault("formatter_class", _HelpFormatter)
        super().__init__(**options)
        words = "tell nothing but results and errors"
        self.add_argument("--quiet", action="store_true", default=SUPPRESS, help=words)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the nearest choice, or the way to help."""
        choice = _INVALID_CHOICE.search(message)
        near = _nearest(choice[1], re.findall(r"[\w.-]+", choice[2])) if choice else None
        if near:
            message = f"{message}; did you mean {near}?"
        raise UsageError(f"{message}; `{self.prog} --help` shows how")

    def options(self) -> set[str]:
        """Every option, those of the parsers below it included."""
        options = set(self._option_string_actions)
        for action in self._actions:
            if isinstance(action, _SubParsersAction):
                options = options.union(*(parser.options() for parser in action.choices.values()))
        return options

    def print_help(self, file: Any = None) -> None:
        """Write the help as a result."""
        write(self.format_help())


class Command:
    """A command, or an action of one: what is said of it, how it is parsed, what it does."""

    def __init__(  # a dataclass or a named tuple would load `typing` or more in a cold `ctx resolve`
        self,
        *,
        help: str,  # noqa: A002 - what argparse calls it
        examples: tuple[str, ...],
        arguments: Callable[[ArgumentParser], None],
        run: Callable[[Namespace], int | None],
    ) -> None:
        """`examples` work in a project whose cache is `handbook`; `arguments` adds to a parser.

        `run` carries the command out; what it returns is the exit code, 0 if it is None.
        """
        self.help = help
        self.examples = examples
        self.arguments = arguments
        self.run = run

    def add_to(self, parser: ArgumentParser) -> None:
        """Make a parser that of this command."""
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
    return parser.parse_args(bound)


def _require_known(parser: Parser, arguments: list[str]) -> None:
    """Raise `UsageError` for an option that is a near miss: argparse would name what is missing instead."""
    options = parser.options()
    for argument in arguments:
        if argument == "--":
            return
        name = argument.partition("=")[0]
        if name.startswith("--") and name not in options and (near := _nearest(name, options)):
            raise UsageError(f"there is no option {name}; did you mean {near}?")


def _nearest(word: str, words: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # only a mistake pays for it

    return next(iter(get_close_matches(word, sorted(words), n=1)), None)


def add_workers(parser: ArgumentParser, does: str, sees: str) -> None:
    """`--jobs` and `--scheduler`: who `does` the work, and what the workers of a scheduler must see."""
    words = "worker processes (default: one a core where that pays); the result is the same"
    parser.add_argument("--jobs", type=int, metavar="N", help=words)
    words = f"{does} on the workers of a dask scheduler (tcp://HOST:PORT), which see the same {sees}"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=words)


def executor(options: Namespace) -> AbstractContextManager[Executor | None]:
    """The workers of a scheduler, if one is named."""
    from contextlib import nullcontext  # not for those who only resolve

    scratch = getattr(options, "scratch", None)  # of those commands that leave something there
    if options.scheduler is None:
        if scratch is not None:
            raise UsageError("--scratch: goes with --scheduler alone")
        return nullcontext()
    from ..builder.cluster import cluster

    return cluster(options.scheduler, scratch)


def require_positive(options: Namespace, *names: str) -> None:
    """Raise `UsageError` for a number that is given and is none from 1 on."""
    for name in names:
        if (value := getattr(options, name)) is not None and value < 1:
            raise UsageError(f"--{name.replace('_', '-')}: {value} is not a positive number")


def add_cache(parser: ArgumentParser, *, required: bool = True) -> None:
    """`--cache` and `--cache-root`: which cache to read."""
    words = "a directory, or the name of a cache in .ctx/caches"
    if not required:
        words += " (default: the only cache of the project)"
    parser.add_argument("-c", "--cache", required=required, metavar="CACHE", help=words)
    words = "take CACHE as a name in this directory, refuse what lies outside"
    parser.add_argument("--cache-root", metavar="DIR", help=words)


def add_query(parser: ArgumentParser) -> None:
    """`--query`."""
    parser.add_argument("-q", "--query", required=True, metavar="QUERY", help="words or a question")


def add_budget(parser: ArgumentParser, *, default: int | None = None) -> None:
    """`--budget`, kept as text: what is no number of tokens is the operation's to refuse."""
    words = "the most tokens that the chosen documents may have together: 4000, 4,000, 4k"
    if default is not None:
        words += f" (default: {default})"
    value = None if default is None else str(default)
    required = default is None
    parser.add_argument("-b", "--budget", required=required, default=value, metavar="TOKENS", help=words)


def add_format(parser: ArgumentParser, *choices: str) -> None:
    """`--format`, the first of `choices` by default."""
    words = f"{', '.join(choices)} (default: {choices[0]})"
    parser.add_argument("--format", choices=choices, default=choices[0], metavar="FORMAT", help=words)
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="--format json")


def add_html(parser: ArgumentParser) -> None:
    """`--html`."""
    words = "write a page for a browser too, one file that needs no other"
    parser.add_argument("--html", metavar="FILE", help=words)


def query_of(text: str) -> str:
    """The query as it was typed: command lines are UTF-8, whatever the locale made of them."""
    if sys.getfilesystemencoding() == "utf-8":
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def _bind_queries(arguments: list[str]) -> list[str]:
    """Write `-q TEXT` as `--query=TEXT`: a query may begin with a dash."""
    bound: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return [*bound, argument, *rest]
        if argument in ("-q", "--query") and (value := next(rest, None)) is not None:
            argument = f"--query={value}"
        bound.append(argument)
    return bound
