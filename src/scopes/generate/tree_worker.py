"""Parses source files in a process with limited memory.

Recovering from errors, a grammar may take memory that grows with the square of the file: 30 KB of `impl = >`
take 5 GB, within one call of the library. Such a file ends the process, and only its own facts are lost. The
warnings of Python's parser are disabled in this process only.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from ...worker import Worker, WorkerEnded, serve
from .python import PYTHON, Export, FileFacts, Import, python_facts
from .treesitter import SUFFIXES, tree_facts

MOST_MEMORY = 1 << 30
"""The limit in bytes; code of 2 MiB, the largest file that is read, takes a quarter of it."""


class TreeReader:
    """`syntax_facts` in another process, which is started for the first file that needs it."""

    def __init__(self) -> None:
        self._worker: Worker | None = None

    def __call__(self, suffix: str, text: str) -> FileFacts:
        """The facts of a file; empty for other languages, and if the file exceeds the limits.

        Raises `OSError` if the process does not start.
        """
        if suffix not in PYTHON and (suffix not in SUFFIXES or find_spec("tree_sitter") is None):
            return FileFacts()
        worker = self._worker = self._worker or _started()
        try:
            return _facts(worker.ask({"suffix": suffix}, text.encode()))
        except WorkerEnded:
            self._worker = None
            return FileFacts()


def _started() -> Worker:
    try:
        return Worker(f"{__package__}.tree_worker")
    except WorkerEnded:
        raise ChildProcessError("the reader of source files did not start; `ctx doctor` says more") from None


def _facts(fields: dict[str, Any]) -> FileFacts:
    """The facts in a worker's answer."""
    for name, kind in (("exports", Export), ("members", Export), ("imports", Import)):
        fields[name] = tuple(kind(*item) for item in fields[name])
    public = fields["public"]
    fields["public"] = None if public is None else tuple(public)
    return FileFacts(**fields | {"environment": tuple(fields["environment"])})


def syntax_facts(suffix: str, text: str) -> FileFacts:
    """The facts of a file from its syntax tree; empty for other languages."""
    return python_facts(text) if suffix in PYTHON else tree_facts(suffix, text)


def answer(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    """The facts of a file as JSON values."""
    return syntax_facts(request["suffix"], data.decode())._asdict()


if __name__ == "__main__":
    serve(answer, most_memory=MOST_MEMORY)
