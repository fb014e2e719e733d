"""What git knows, asked by commands that only read.

A work tree's configuration may name programs; none is run, and nothing is fetched. What a hook sets in the
environment would point to another repository, so it is not passed on.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

REGULAR = frozenset((b"100644", b"100755"))
"""The modes of files in a tree; links and submodules have others."""


class GitError(Exception):
    """Git is missing, or refuses; the text is its reason, empty if it gave none."""


def run_git(directory: str | Path, *arguments: str, stdin: bytes = b"", seconds: float = 20) -> bytes:
    """The output of a git command in a directory. Raises `GitError`."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ran = subprocess.run(
            ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments],
            cwd=directory,
            env=plain | {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"},
            input=stdin,
            capture_output=True,
            timeout=seconds,
            check=True,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except subprocess.CalledProcessError as error:
        raise GitError(error.stderr.decode("utf-8", "replace").strip().partition("\n")[0]) from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git took longer than {seconds:.0f} seconds") from None
    except OSError as error:
        raise GitError(error.strerror or str(error)) from None
    return ran.stdout


def read_tree(listing: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """The (mode, object id, path) of each entry in the output of `git ls-tree -z`."""
    for entry in listing.split(b"\0")[:-1]:
        about, _, path = entry.partition(b"\t")
        mode, _, id_ = about.split()
        yield mode, id_, path


def read_blobs(directory: str | Path, ids: Sequence[bytes], *, seconds: float = 20) -> Iterator[bytes | None]:
    """The contents of some objects, in their order; None for one that the store lacks. Raises `GitError`.

    A clone without blobs lacks most, and a damaged store some.
    """
    asked = b"".join(id_ + b"\n" for id_ in ids)
    output = run_git(directory, "cat-file", "--batch", stdin=asked, seconds=seconds)
    at = 0
    for _ in ids:
        end = output.find(b"\n", at)
        if end < 0:
            raise GitError("git ended before it had told all")
        about = output[at:end].split()
        at = end + 1
        if about[1:] == [b"missing"]:
            yield None
            continue
        if about[1:2] != [b"blob"]:
            raise GitError(f"{about[0].decode()} is not a file")
        size = int(about[2])
        yield output[at : at + size]
        at += size + 1
