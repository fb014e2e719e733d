"""A server from its options: which tools, over what, and the process around them."""

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

DEFAULT_TIMEOUT = 30.0  # seconds
DEFAULT_MAX_LINE = 1 << 20  # bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class ServeOptions:
    """What `ctx serve` was asked for."""

    cache_root: str | None = None
    """Directory of caches; None for no cache tools."""
    project: str | None = None
    """Root of the project; None for no scope tools."""
    path_override: bool = True
    """Whether the scope tools take the `path` of another project."""
    spelling: Spelling = "dotted"
    timeout: float = DEFAULT_TIMEOUT
    max_line: int = DEFAULT_MAX_LINE
    structured: bool = True
    """Whether results carry the object beside the text."""
    suggested_budget: int | None = None
    """The budget that is advised, where a client passes on no more."""


def run(options: ServeOptions) -> NoReturn:
    """Serve on standard input and output until the client leaves; ends the process."""
    end_at_once_on_signals()
    log_to_stderr()
    caches = RootedCaches(options.cache_root) if options.cache_root is not None else None
    introduce = partial(
        instructions,
        caches,
        has_project=options.project is not None,
        suggested_budget=options.suggested_budget,
    )
    serve_toolbox(
        toolbox_of(options, caches),
        introduce=introduce,
        options=options,
        resources=Resources(caches) if caches is not None else None,
    )


def serve_toolbox(
    toolbox: Toolbox,
    *,
    introduce: Callable[[], str],
    options: ServeOptions,
    resources: Resources | None = None,
) -> NoReturn:
    """Serve these tools; of `options` only what concerns the transport matters. Ends the process.

    `introduce` makes the instructions, anew for each client that asks.
    """
    import anyio

    from .protocol import ContextServer, Workers
    from .stdio.session import serve
    from .stdio.transport import StdioTransport

    workers = Workers(timeout=options.timeout)
    server = ContextServer(
        toolbox, workers, introduce=introduce, structured=options.structured, resources=resources
    )
    # Calls make many objects and few cycles; what was imported makes up most of each look for them.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        wire = StdioTransport.claim()
        ends = {"after_first": warm_up, "at_end": server.changes.close}
        anyio.run(partial(serve, server, wire, max_line=options.max_line, **ends))
    except IoError as error:
        log.error("%s", error)
        leave(1)
    except Exception:
        log.exception("the server failed")
        leave(1)
    leave(0)


def warm_up() -> None:
    """Load what ranks fastest: not worth its import to a command, but to a server."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads cost a start and have nothing to do
    import_module("..resolver.numpy_accumulator", __package__)


def toolbox_of(options: ServeOptions, caches: RootedCaches | None = None) -> Toolbox:
    """The tools that the options ask for, cache tools first."""
    tools: list[Tool] = []
    if options.cache_root is not None:
        caches = caches or RootedCaches(options.cache_root)
        if reason := caches.why_none():
            log.warning("%s", reason)
        tools += cache_tools(caches, suggested_budget=options.suggested_budget)
    if options.project is not None:
        from ..scopes.project import Project
        from .scope_tools import scope_tools

        project = Project(Path(options.project).expanduser())
        if not Path(project.root).is_dir():
            log.warning("there is no directory %s: no scope is found until there is", project.root)
        tools += scope_tools(project, path_override=options.path_override)
    return Toolbox(tools, spelling=options.spelling)


class OneLine(logging.Formatter):
    """`ctx serve: what went wrong`; of an exception the last line only."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f": {type(error).__name__}: {error}"
        return f"ctx serve: {escape_control(text)}"


def log_to_stderr() -> None:
    """Send warnings and errors of this program and its libraries to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def end_at_once_on_signals() -> None:
    """End the process in the handler of SIGINT and SIGTERM.

    A normal exit would wait for the thread that reads and for calls at work.
    """

    def handler(number: int, _: FrameType | None) -> NoReturn:
        os._exit(128 + number)

    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)


def leave(code: int) -> NoReturn:
    """End the process without waiting for threads; what was logged is written."""
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)
