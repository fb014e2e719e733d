"""Source files read by their syntax trees in a process of its own, which gets so much memory and no more.

To recover from errors a grammar may take memory that grows with the square of the rubbish: 30 KB of
`impl = >` take 5 GB, within one call of the library. Such a file ends the process and costs itself alone.
Warnings of style, which the parser of Python gives, are silenced for that process and no other.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from ...worker import Worker, WorkerEnded, serve
from .python import PYTHON, Export, FileFacts, Import, python_facts
from .treesitter import SUFFIXES, tree_facts

MOST_MEMORY = 1 << 30
"""Bytes for a file; one of 2 MiB, the largest that is read, takes a quarter if it is code."""


class TreeReader:
    """`syntax_facts` in another process, which is started with the first file that needs it."""

    def __init__(self) -> None:
        self._worker: Worker | None = None

    def __call__(self, suffix: str, text: str) -> FileFacts:
        """The facts of a file; none of one that no grammar is a match for.

        Raises `OSError` where the process does not start.
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
    """The facts in an answer."""
    for name, kind in (("exports", Export), ("members", Export), ("imports", Import)):
        fields[name] = tuple(kind(*item) for item in fields[name])
    public = fields["public"]
    fields["public"] = None if public is None else tuple(public)
    return FileFacts(**fields | {"environment": tuple(fields["environment"])})


def syntax_facts(suffix: str, text: str) -> FileFacts:
    """The facts of a file by its syntax tree; none of one in another language than those."""
    return python_facts(text) if suffix in PYTHON else tree_facts(suffix, text)


def answer(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    """The facts of a file as JSON values."""
    return syntax_facts(request["suffix"], data.decode())._asdict()


if __name__ == "__main__":
    serve(answer, most_memory=MOST_MEMORY)
