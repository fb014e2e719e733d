"""Asking the process that converts: started when a document needs it, ended with the work that did."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PROGRAM = f"{__package__}.converting"
_LOCK = Lock()
_running: dict[int, _Converter] = {}
"""The converter of this process, by its number: a forked one has none yet."""


class ConversionError(Exception):
    """A document was not converted; the text says why."""


def ask(extension: str, data: bytes, seconds: float) -> dict[str, str]:
    """`markdown` and `title` of a document. Raises `ConversionError`."""
    with _LOCK:
        process = _running.get(os.getpid())
        if process is None or not process.is_running:
            process = _running[os.getpid()] = _Converter()
        answer = process.ask({"extension": extension, "size": len(data), "seconds": seconds}, data)
    if "problem" in answer:
        raise ConversionError(f"cannot be converted ({answer['problem']})")
    return answer


@contextmanager
def conversions() -> Iterator[None]:
    """Whatever process was started to convert ends with this block."""
    try:
        yield
    finally:
        end()


def end() -> None:
    """End the process that converts, if there is one."""
    with _LOCK:
        if process := _running.pop(os.getpid(), None):
            process.end()


def kill() -> None:
    """End it in the middle of a document, whoever waits for that: for a process that is about to leave."""
    if process := _running.get(os.getpid()):
        process.kill()


atexit.register(end)


class _Converter:
    """The process; see `converting`."""

    def __init__(self) -> None:
        """Start it with the import path of this one. Raises `ConversionError`."""
        path = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            # -P: nothing is imported from the current directory, where documents may be.
            [sys.executable, "-P", "-m", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": path},
        )
        if not self._answer():
            self.end()
            raise ConversionError("cannot be converted (the converter does not start)")

    @property
    def is_running(self) -> bool:
        """Whether it waits for a request."""
        return self._process.poll() is None

    def ask(self, request: dict[str, Any], data: bytes) -> dict[str, str]:
        """The answer to a request. Raises `ConversionError` when the process ends instead."""
        assert self._process.stdin is not None
        began = time.monotonic()
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n" + data)
            self._process.stdin.flush()
            answer = self._answer()
        except BrokenPipeError:
            answer = {}
        except BaseException:  # an answer that nobody read would be taken for the next one's
            self.end()
            raise
        if answer:
            return answer
        self.end()
        if time.monotonic() - began >= request["seconds"]:
            raise ConversionError(f"conversion took longer than {request['seconds']} s")
        raise ConversionError("cannot be converted (the converter crashed)")

    def kill(self) -> None:
        """Let the system end it."""
        self._process.kill()

    def end(self) -> None:
        """End it, whatever it does, and take leave of it."""
        self._process.kill()
        self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        """What it says; nothing when it ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return dict(json.loads(line)) if line.endswith(b"\n") else {}
