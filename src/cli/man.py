"""The manual page of the program, made from the parsers of its commands: `ctx --man`."""

from __future__ import annotations

from argparse import SUPPRESS, _SubParsersAction

from .. import __version__
from .main import COMMANDS, command_of
from .parser import parser_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action, ArgumentParser
    from collections.abc import Iterator

_DESCRIPTION = """\
ctx compiles folders of documents into caches, selects whole documents for a query within a token
budget, and says why.
Results go to standard output, everything else to standard error.
Run without arguments it lists its commands; context is the same program."""
_STATUS = {
    0: "success",
    1: "wrong usage, or a request that cannot be carried out as asked",
    2: "the query is invalid",
    3: "the budget is invalid",
    4: "there is no such cache",
    5: "the cache is invalid",
    6: "the system refused to read or write",
    7: "a fault of this program",
    8: "what was asked about is not as it should be: something stale, a test that fails",
    9: "a query test cannot be run",
}
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
    """The page as roff."""
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
    for title, items in (("EXIT STATUS", _STATUS), ("FILES", _FILES), ("ENVIRONMENT", _ENVIRONMENT)):
        yield f".SH {title}"
        for term, text in items.items():
            yield from (".TP", f".B {_roff(str(term))}", _roff(text))


def _command(parser: ArgumentParser) -> Iterator[str]:
    """A command, and below it its actions."""
    yield f'.SS "{_roff(parser.prog)}"'
    for paragraph in (parser.description or "").split("\n\n"):
        begin, end = ((".EX",), (".EE",)) if "  " in paragraph else ((), ())
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
    """What is said of an argument."""
    words = action.help if action.help not in (None, SUPPRESS) else ""
    return str(words) % {"default": action.default} if "%(" in str(words) else str(words)


def _roff(line: str) -> str:
    """A line that roff takes as it is."""
    line = line.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{line}" if line.startswith((".", "'")) else line
