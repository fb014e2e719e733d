"""A process of its own that runs one of our modules: for what may hang, crash or take all memory.

A request is a line of JSON and the bytes that it is about, an answer a line of JSON; the first line from the
process says that it is ready.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
import weakref
from importlib import import_module
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO


class WorkerEnded(Exception):
    """The process ended instead of answering."""


class Worker:
    """The process as the one that asks sees it; it ends with this object at the latest."""

    def __init__(self, module: str) -> None:
        """Start `module`, which calls `serve`. Raises `WorkerEnded` when it does not come up."""
        self._process = subprocess.Popen(
            # -P: nothing is imported from the current directory, where documents and sources may be.
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        weakref.finalize(self, _end_own, self._process, os.getpid())
        self._answer()

    @property
    def is_running(self) -> bool:
        """Whether it waits for a request."""
        return self._process.poll() is None

    def ask(self, request: dict[str, Any], data: bytes) -> dict[str, Any]:
        """The answer to a request about `data`. Raises `WorkerEnded`."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(_line(request | {"size": len(data)}) + data)
            self._process.stdin.flush()
            return self._answer()
        except BrokenPipeError:
            self.end()
            raise WorkerEnded from None
        except BaseException:  # an answer that nobody read would be taken for the next one's
            self.end()
            raise

    def kill(self) -> None:
        """Let the system end it, whatever it does."""
        self._process.kill()

    def end(self) -> None:
        """The same, and wait for its end."""
        _end(self._process)

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            self.end()
            raise WorkerEnded
        return dict(json.loads(line))


def _end_own(process: subprocess.Popen[bytes], starter: int) -> None:
    """End a process that this one started; one that was forked meanwhile only has a copy."""
    if os.getpid() == starter:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def serve(
    answer: Callable[[dict[str, Any], bytes], dict[str, Any]], *, most_memory: int, loading: str = ""
) -> None:
    """Answer requests on standard input until there are no more; what `answer` raises ends the process.

    `loading` names a module that takes long to load: the process is ready, and its memory limited, when that
    is done. What a library prints goes to standard error.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this ends it
    warnings.simplefilter("ignore")  # of style, addressed to the author of what is read
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        if loading:
            import_module(loading)
        limit_memory(most_memory)
        _write(answers, {"ready": True})
        for line in sys.stdin.buffer:
            request = json.loads(line)
            _write(answers, answer(request, sys.stdin.buffer.read(request["size"])))


def _write(answers: BinaryIO, answer: dict[str, Any]) -> None:
    answers.write(_line(answer))
    answers.flush()


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def limit_memory(most: int) -> None:
    """Let the system refuse more than `most` bytes beyond what is loaded, where it can (Linux)."""
    try:
        import resource

        loaded = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = loaded + most if hard == resource.RLIM_INFINITY else min(loaded + most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    except (ImportError, OSError, ValueError):
        pass
