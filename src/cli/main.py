"""Run one command line and return its exit code (rule C8)."""

from __future__ import annotations

import os
import sys
from enum import IntEnum
from importlib import import_module

from ..errors import CtxError, InternalError, IoError, OperationError, UsageError
from .output import hold_channels, narrate, quiet, write

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .parser import Command

COMMANDS = {
    "init": "write a ctx.toml for the folder at hand",
    "build": "compile a folder of documents into a cache",
    "status": "say which caches of the project are fresh, stale, missing or invalid",
    "ask": "ask the caches of the project, and read what was chosen",
    "resolve": "select documents for a query within a token budget",
    "why": "explain a selection: what was chosen, what was not, and the arithmetic",
    "show": "print one document of a cache, whole",
    "tui": "inspect: browse caches, ask while typing, see why",
    "inspect": "say what a cache is and whether its structure holds",
    "list": "list the caches of a directory",
    "verify": "check every byte of a cache and name its faults",
    "diff": "compare two caches: documents, and what that does to queries",
    "test": "run the query tests of the project",
    "eval": "measure how well a cache answers judged queries",
    "scope": "write, check and read the contexts of a project's directories",
    "serve": "serve caches and scopes to agents over MCP",
    "install": "configure an agent to start the server",
    "pack": "write a cache to one file with a digest",
    "unpack": "write the cache in such a file to a directory",
    "doctor": "look at the installation and the project, and say what to do",
    "clean": "remove what builds have left behind",
    "completion": "write a script that completes command lines in a shell",
}
"""The commands with their descriptions, in the order of `ctx --help`."""

MODULES = {
    "status": "project", "init": "project", "why": "ask", "list": "inspect", "show": "inspect",
    "verify": "inspect", "tui": "inspect", "eval": "test", "install": "serve", "completion": "generated",
    "pack": "maintenance", "unpack": "maintenance", "doctor": "maintenance", "clean": "maintenance",
}  # fmt: skip
"""The modules of the commands that have none of their own name. A command is a constant in capitals."""


class ExitCode(IntEnum):
    """The exit codes (rule C8). The code of an `OperationError` has the name of its `code`, in capitals."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """A number, and its meaning in the manual."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    SUCCESS = 0, "success"
    WRONG_USAGE = 1, "wrong usage, or a request that cannot be carried out as asked"
    INVALID_QUERY = 2, "the query is invalid"
    INVALID_BUDGET = 3, "the budget is invalid"
    CACHE_MISSING = 4, "there is no such cache"
    CACHE_INVALID = 5, "the cache is invalid"
    IO_ERROR = 6, "the system refused to read or write"
    INTERNAL_ERROR = 7, "a fault of this program"
    NOT_AS_IT_SHOULD_BE = 8, "what was asked about is not as it should be: something stale, a test that fails"
    CANNOT_BE_RUN = 9, "a query test cannot be run"
    INTERRUPTED = 130, "ended by Ctrl-C"
    READER_LEFT = 141, "whoever read the results has left"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `ctx` with these arguments (those of the process by default) and return the exit code.

    A failure prints nothing on standard output and one `error: …` line on standard error.
    """
    hold_channels()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads do nothing here, and cost 0.1 s
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return ExitCode.READER_LEFT
    except OperationError as error:
        return _fail(str(error), exit_code(type(error)))
    except CtxError as error:
        for note in getattr(error, "__notes__", ()):
            narrate(note)
        return _fail(str(error), ExitCode.WRONG_USAGE)
    except OSError as error:
        name = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return _fail(f"{name}{error.strerror or error}", exit_code(IoError))
    except Exception as error:  # the last resort: a fault of this program still ends in one line
        return _fail(f"internal error: {type(error).__name__}: {error}", exit_code(InternalError))


def exit_code(failure: type[OperationError]) -> ExitCode:
    """The exit code of a class of failures."""
    return ExitCode[failure.code.upper()]


def _fail(line: str, code: int) -> int:
    narrate(f"error: {line}")
    return code


def _run(arguments: list[str]) -> int:
    """Run the command that the first argument names."""
    if arguments[:1] == ["help"]:  # `ctx help build` is `ctx build --help`
        arguments = [*arguments[1:2], "--help"]
    name = arguments[0] if arguments else ""
    if name in ("", "-h", "--help"):
        write(_overview())
    elif name in ("-V", "--version", "version"):
        from .. import __version__

        write(f"{_program()} {__version__}\n")
    elif name == "--man":
        from .generated import manual

        write(manual())
    elif name in COMMANDS:
        from .parser import parse

        command = command_of(name)
        options = parse(command, f"{_program()} {name}", arguments[1:])
        with quiet(getattr(options, "quiet", False)):
            return command.run(options) or 0
    else:
        raise UsageError(_unknown(name))
    return 0


def command_of(name: str) -> Command:
    """The command of a name; imports its module."""
    module = import_module(f".{MODULES.get(name, name)}", __package__)
    command: Command = getattr(module, name.upper())
    return command


def _program() -> str:
    """The name by which the program was called, `ctx` or `context`."""
    return "context" if os.path.basename(sys.argv[0]) == "context" else "ctx"


def _overview() -> str:
    width = max(map(len, COMMANDS))
    return (
        f"usage: {_program()} COMMAND [OPTIONS]\n\n"
        "Compile folders of documents into caches; select whole documents within a token budget,\n"
        "and say why.\n\n"
        "commands:\n"
        + "".join(f"  {name:{width}}  {does}\n" for name, does in COMMANDS.items())
        + f"\n`{_program()} COMMAND --help` explains a command; `{_program()} --version` tells the version,\n"
        f"`{_program()} --man | man -l -` is the manual.\n"
    )


def _unknown(name: str) -> str:
    """The error message for an unknown command."""
    from .parser import nearest

    near = nearest(name, COMMANDS)
    hint = f"did you mean `{near}`?" if near else f"`{_program()} --help` lists them"
    return f"there is no command `{name}`; {hint}"
