"""Starting a server: its tools and resources from the options, its log, its signals and its end."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ..errors import IoError
from ..text.display import escape_control
from .cache_tools import cache_tools
from .instructions import instructions
from .resources import Resources
from .service import RootedCaches
from .toolbox import Spelling, Tool, Toolbox

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class ServeOptions:
    """The options of `ctx serve`."""

    cache_root: str | None = None
    """The directory of the caches; None for no cache tools."""
    project: str | None = None
    """The root of the project; None for no scope tools."""
    path_override: bool = True
    """Whether the scope tools take the `path` of another project."""
    spelling: Spelling = "dotted"
    timeout: float = 30
    """In seconds, for one call."""
    max_line: int = 1 << 20
    """The most bytes of a message."""
    structured: bool = True
    """Whether results have their object as well as their text."""
    suggested_budget: int | None = None
    """The budget that the tools advise, for a client that cuts longer answers."""


def run(options: ServeOptions) -> NoReturn:
    """Serve on standard input and output until the client closes them, then end the process."""
    end_at_once_on_signals()
    log_to_stderr()
    caches = RootedCaches(options.cache_root) if options.cache_root is not None else None
    make_instructions = partial(
        instructions,
        caches,
        has_project=options.project is not None,
        suggested_budget=options.suggested_budget,
    )
    serve_toolbox(
        toolbox_of(options, caches),
        make_instructions=make_instructions,
        options=options,
        resources=Resources(caches) if caches is not None else None,
    )


def serve_toolbox(
    toolbox: Toolbox,
    *,
    make_instructions: Callable[[], str],
    options: ServeOptions,
    resources: Resources | None = None,
) -> NoReturn:
    """Serve tools until the client leaves, then end the process; `options` are those of the transport."""
    import anyio

    from .protocol import ContextServer, Workers
    from .stdio.session import serve
    from .stdio.transport import StdioTransport

    workers = Workers(timeout=options.timeout)
    server = ContextServer(
        toolbox,
        workers,
        make_instructions=make_instructions,
        structured=options.structured,
        resources=resources,
    )
    # Calls make many objects and few cycles, and the garbage collector would look at all imported modules.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        transport = StdioTransport.claim()
        callbacks = {"after_first": warm_up, "at_end": server.changes.close}
        anyio.run(partial(serve, server, transport, max_line=options.max_line, **callbacks))
    except IoError as error:
        log.error("%s", error)
        end_process(1)
    except Exception:
        log.exception("the server failed")
        end_process(1)
    end_process(0)


def warm_up() -> None:
    """Import the numpy accumulator: a server ranks often enough for that, a command does not."""
    import_module("..resolver.numpy_accumulator", __package__)


def toolbox_of(options: ServeOptions, caches: RootedCaches | None = None) -> Toolbox:
    """The tools that the options select, cache tools first."""
    tools: list[Tool] = []
    if options.cache_root is not None:
        caches = caches or RootedCaches(options.cache_root)
        if reason := caches.problem():
            log.warning("%s", reason)
        tools += cache_tools(caches, suggested_budget=options.suggested_budget)
    if options.project is not None:
        from ..scopes.project import ScopeProject
        from .scope_tools import scope_tools

        project = ScopeProject(Path(options.project).expanduser())
        if not Path(project.root).is_dir():
            log.warning("there is no directory %s: no scope is found until there is", project.root)
        tools += scope_tools(project, path_override=options.path_override)
    return Toolbox(tools, spelling=options.spelling)


class OneLine(logging.Formatter):
    """Formats a record as `ctx serve: MESSAGE`, with the type and text of an exception, on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, with control characters escaped."""
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f": {type(error).__name__}: {error}"
        return f"ctx serve: {escape_control(text)}"


def log_to_stderr() -> None:
    """Log the warnings and errors of this program and its libraries to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def end_at_once_on_signals() -> None:
    """End the process in the handler of SIGINT and SIGTERM.

    A normal exit would wait for the threads that read and that run calls.
    """

    def handler(number: int, _: FrameType | None) -> NoReturn:
        os._exit(128 + number)

    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)


def end_process(code: int) -> NoReturn:
    """End the process without waiting for its threads, after writing the log."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)
