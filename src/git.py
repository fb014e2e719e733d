"""What git knows, asked by commands that only read.

A work tree's configuration may name programs; none is run, and nothing is fetched. What a hook sets in the
environment would point to another repository, so it is not passed on.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import contextmanager
from threading import Event, Timer
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

REGULAR = frozenset((b"100644", b"100755"))
"""The modes of files in a tree; links and submodules have others."""
LARGEST_OUTPUT = 256 << 20
"""Bytes that a command may print: a small store can hold a tree of any number of files."""
_CHUNK = 1 << 20


class GitError(Exception):
    """Git is missing, or refuses; the text is its reason, empty if it gave none."""


class _Cut(Exception):
    """The output of git ends where more has to follow."""


def run_git(directory: str | Path, *arguments: str, seconds: float = 20) -> bytes:
    """The output of a git command in a directory. Raises `GitError`."""
    with _running(directory, arguments, seconds) as (_, output):
        data = output.read(LARGEST_OUTPUT + 1)
        if len(data) > LARGEST_OUTPUT:
            raise GitError(f"git {arguments[0]} tells more than {LARGEST_OUTPUT >> 20} MiB")
    return data


@contextmanager
def _running(
    directory: str | Path, arguments: Sequence[str], seconds: float
) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Standard input and output of a git command, which ends with the block. Raises `GitError`."""
    is_cut = False
    with _error_file() as errors, _started(directory, arguments, errors, seconds) as (process, overdue):
        assert process.stdin is not None and process.stdout is not None
        try:
            with process.stdout, process.stdin:
                yield process.stdin, process.stdout
        except (_Cut, BrokenPipeError):
            is_cut = True
        process.wait()
        if overdue.is_set():
            raise GitError(f"git took longer than {seconds:.0f} seconds")
        if is_cut or process.returncode:
            raise GitError(_reason(errors))


@contextmanager
def _started(
    directory: str | Path, arguments: Sequence[str], errors: IO[bytes], seconds: float
) -> Iterator[tuple[subprocess.Popen[bytes], Event]]:
    """A git process that ends with the block, or after so many seconds: the event tells of these."""
    process = _start(directory, arguments, errors)
    overdue = Event()

    def end() -> None:
        overdue.set()
        process.kill()

    timer = Timer(seconds, end)
    timer.start()
    try:
        yield process, overdue
    finally:
        timer.cancel()
        process.kill()
        process.wait()


def _start(directory: str | Path, arguments: Sequence[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start git, unable to run other programs. Raises `GitError`."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.Popen(
            ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments],
            cwd=directory,
            env=plain | {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed" if error.filename == "git" else str(error)) from None
    except OSError as error:
        raise GitError(error.strerror or str(error)) from None


def _error_file() -> IO[bytes]:
    """A file for what git says on standard error: a pipe that nobody reads meanwhile could fill."""
    try:
        return tempfile.TemporaryFile()
    except OSError as error:
        raise GitError(f"no temporary file: {error.strerror}") from None


def _reason(errors: IO[bytes]) -> str:
    """The first line of what git said."""
    errors.seek(0)
    return errors.read(_CHUNK).decode("utf-8", "replace").strip().partition("\n")[0]


def read_tree(listing: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """The (mode, object id, path) of each entry in the output of `git ls-tree -z`."""
    for entry in listing.split(b"\0")[:-1]:
        about, _, path = entry.partition(b"\t")
        mode, _, id_ = about.split()
        yield mode, id_, path


class BlobReader:
    """Reads objects of a store one after the other."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests = requests
        self._answers = answers

    def read(self, id_: bytes) -> Iterator[bytes] | None:
        """The content of a file in pieces, to be read to its end; None if the store lacks it.

        A clone without blobs lacks most, and a damaged store some.
        """
        self._requests.write(id_ + b"\n")
        self._requests.flush()
        about = self._answers.readline().split()
        if about[1:] == [b"missing"]:
            return None
        if len(about) < 3:
            raise _Cut
        if about[1] != b"blob":
            raise GitError(f"{about[0].decode()} is not a file")
        return self._pieces(int(about[2]))

    def _pieces(self, size: int) -> Iterator[bytes]:
        while size > 0:
            piece = self._answers.read(min(size, _CHUNK))
            if not piece:
                raise _Cut
            size -= len(piece)
            yield piece
        self._answers.read(1)  # the newline behind it


@contextmanager
def blob_reader(directory: str | Path, *, seconds: float = 20) -> Iterator[BlobReader]:
    """A reader of the objects of a repository, for the time of the block. Raises `GitError`."""
    with _running(directory, ("cat-file", "--batch"), seconds) as (requests, answers):
        yield BlobReader(requests, answers)
