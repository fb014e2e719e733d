"""Source files read by their syntax trees in a process of its own, which gets so much memory and no more.

To recover from errors a grammar may take memory that grows with the square of the rubbish: 30 KB of
`impl = >` take 5 GB, within one call of the library. Such a file ends the process and costs itself alone.
Warnings of style, which the parser of Python gives, are silenced for that process and no other.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...limits import limit_memory
from ...worker import end_worker, start_worker
from .python import PYTHON, Export, FileFacts, Import, python_facts
from .treesitter import SUFFIXES, tree_facts

if TYPE_CHECKING:
    import subprocess
    from typing import BinaryIO

MOST_MEMORY = 1 << 30
"""Bytes for a file; one of 2 MiB, the largest that is read, takes a quarter if it is code."""
_READY = b"ready\n"


class TreeReader:
    """`syntax_facts` in another process, which is started with the first file that needs it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __call__(self, suffix: str, text: str) -> FileFacts:
        """The facts of a file; none of one that no grammar is a match for."""
        if suffix not in PYTHON and (suffix not in SUFFIXES or find_spec("tree_sitter") is None):
            return FileFacts()
        process = self._process = self._process or _start(self)
        assert process.stdin is not None and process.stdout is not None
        data = text.encode()
        try:
            process.stdin.write(f"{suffix} {len(data)}\n".encode() + data)
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if answer.endswith(b"\n"):
            return _facts(json.loads(answer))
        end_worker(process)
        self._process = None
        return FileFacts()


def _start(owner: TreeReader) -> subprocess.Popen[bytes]:
    """Start the process, which ends with its owner. Raises `OSError` where it does not start."""
    process = start_worker(f"{__package__}.tree_worker", owner)
    assert process.stdout is not None
    if process.stdout.readline() != _READY:
        raise ChildProcessError("the reader of source files did not start; `ctx doctor` says more")
    return process


def _facts(fields: dict[str, Any]) -> FileFacts:
    """The facts in an answer."""
    for name, kind in (("exports", Export), ("members", Export), ("imports", Import)):
        fields[name] = tuple(kind(*item) for item in fields[name])
    public = fields["public"]
    fields["public"] = None if public is None else tuple(public)
    return FileFacts(**fields | {"environment": tuple(fields["environment"])})


def syntax_facts(suffix: str, text: str) -> FileFacts:
    """The facts of a file by its syntax tree; none of one in another language than those."""
    return python_facts(text) if suffix in PYTHON else tree_facts(suffix, text)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Say that it is ready; answer requests, a line with suffix and size and then the text."""
    limit_memory(MOST_MEMORY)
    warnings.simplefilter("ignore")
    answers.write(_READY)
    answers.flush()
    for line in requests:
        suffix, size = line.split()
        facts = syntax_facts(suffix.decode(), requests.read(int(size)).decode())
        answers.write(json.dumps(facts._asdict()).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
