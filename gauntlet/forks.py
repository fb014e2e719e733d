"""A process that has loaded the program, and forks itself for each run of a command: a tenth of the time.

What is forked is the program with a directory, an environment and standard streams of its own, and the faults
of the shim, if it is given one. It ends as the command does.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import threading
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

REPO = Path(__file__).parents[1]
HEAVY = ("ctxcache.tui", "ctxcache.server.protocol", "ctxcache.server.stdio", "ctxcache.server.serve")
"""What is loaded by the command that needs it, as ever: it starts threads, or takes long."""
LIBRARIES = ("numpy", "pydantic", "tomlkit", "watchfiles", "yaml", "tempfile", "tarfile")


class Forks:
    """That process; it ends with this object."""

    def __init__(self, scratch: Path, shim: Path | None = None) -> None:
        """Start it; `scratch` gets what commands write to their standard streams."""
        self._streams = [scratch / "stdout", scratch / "stderr"]
        environment = {**os.environ, "PYTHONPATH": str(REPO)}
        if shim is not None:
            environment["LD_PRELOAD"] = str(shim)
        code = "from gauntlet.forks import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, command: tuple[str, ...], directory: Path, environment: dict[str, str], seconds: int
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of this Python in a directory; it is killed by SIGALRM after so many seconds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        request = {
            "arguments": command[2:],
            "directory": str(directory),
            "environment": environment,
            "seconds": seconds,
            "streams": [str(stream) for stream in self._streams],
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        written = [stream.read_text("utf-8", "replace") for stream in self._streams]
        return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), *written)

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def serve() -> None:
    """In that process: fork for each request, and say how what was forked has ended."""
    _load()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        print(os.waitpid(child, 0)[1], flush=True)


def _load() -> None:
    """Load the program, and what it loads where it needs it."""
    import ctxcache

    for module in pkgutil.walk_packages(ctxcache.__path__, "ctxcache."):
        if not module.name.startswith(HEAVY) and not module.name.endswith(("__main__", "_worker")):
            import_module(module.name)
    for name in LIBRARIES:
        import_module(name)
    gc.freeze()


def _become(request: dict[str, Any]) -> NoReturn:
    """Be the program that was asked for, until it ends."""
    signal.alarm(request["seconds"])
    for number, stream in enumerate(["/dev/null", *request["streams"]]):
        file = os.open(stream, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["directory"])
    option, what, *arguments = request["arguments"]
    sys.argv = [option, *arguments]
    if "LD_PRELOAD" in os.environ:
        ctypes.CDLL(os.environ["LD_PRELOAD"]).fault_begin()
    code = 1
    try:
        if option == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(what, {"__name__": "__main__"})
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:  # as an interpreter does, whatever ends a command
        traceback.print_exc()
    # To end as an interpreter does, which clears every module, takes three times as long as the command.
    threading._shutdown()  # type: ignore[attr-defined]  # there is no public way
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)
