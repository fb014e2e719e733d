"""A server with tools that block, fail and shout: `slow_server.py GATE [TIMEOUT]`.

GATE is a FIFO; `wait` returns once somebody has it open for writing.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from ctxcache.jsonio import compact
from ctxcache.server.serve import ServeOptions, end_at_once_on_signals, log_to_stderr, serve_toolbox
from ctxcache.server.toolbox import TEXT, Arguments, Reply, Tool, Toolbox, object_of

if TYPE_CHECKING:
    from collections.abc import Callable

GATE = sys.argv[1]


def wait(_: Arguments) -> Reply:
    """Block until the gate is open."""
    os.close(os.open(GATE, os.O_RDONLY))
    return Reply(compact({"text": "waited"}))


def fail(_: Arguments) -> Reply:
    """Raise what no client may see."""
    raise RuntimeError("/a/secret/path\n\x1b[2J is missing")


def shout(_: Arguments) -> Reply:
    """Write to standard output by all ways that there are."""
    print("from Python", flush=True)
    os.write(1, b"from the descriptor\n")
    ctypes.CDLL(None).puts(b"from C")
    ctypes.CDLL(None).fflush(None)
    subprocess.run(["echo", "from a child"], check=True)
    return Reply(compact({"text": repr(sys.stdin.read())}))


def echo(arguments: Arguments) -> Reply:
    """Return the text that came, and how it looks to Python."""
    return Reply(compact({"text": arguments.get("text")}))


def tool(name: str, answer: Callable[[Arguments], Reply]) -> Tool:
    """A tool of this server."""
    shape = object_of({"text": TEXT}, optional=("text",))
    return Tool(
        name=name, title=name, description=name, input_schema=shape, output_schema=shape, answer=answer
    )


end_at_once_on_signals()
log_to_stderr()
serve_toolbox(
    Toolbox([tool("wait", wait), tool("fail", fail), tool("shout", shout), tool("echo", echo)]),
    make_instructions=lambda: "",
    options=ServeOptions(timeout=float(sys.argv[2]) if len(sys.argv) > 2 else 30),
)
