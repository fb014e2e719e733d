"""The sources of a cache as git has them at some revision.

Blobs are written out as they are stored: no filter of the repository's runs, no link is made,
and nothing is checked out.
"""

from __future__ import annotations

import subprocess
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ..builder.build import build
from ..builder.sources import IGNORE_FILES
from ..errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .caches import ProjectCache

_REGULAR = ("100644", "100755")


class _Blob(NamedTuple):
    """A file of a tree."""

    id: str
    path: PurePosixPath


def build_revision(cache: ProjectCache, revision: str, scratch: Path) -> Path:
    """Build the cache that the sources at a revision make, in the empty folder `scratch`; where it is.

    Raises `UsageError` when git does not know the revision or it lacks the sources.
    """
    top = Path(_git(cache.root, "rev-parse", "--show-toplevel").decode().removesuffix("\n")).resolve()
    if not cache.sources.is_relative_to(top):
        raise UsageError(f"{cache.name}: its sources are not in the repository {top}")
    sources = PurePosixPath(cache.sources.relative_to(top).as_posix())
    tree = _git(cache.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    folders = [PurePosixPath(folder.relative_to(top).as_posix()) for folder in cache.folders]
    blobs = list(_wanted(_git(top, "ls-tree", "-r", "-z", "--full-tree", tree.decode().strip()), folders))
    if not any(blob.path.is_relative_to(folder) for blob in blobs for folder in folders):
        raise UsageError(f"{revision}: there is no {folders[0]} at this revision")
    files = scratch / "files"
    for folder in folders:
        (files / folder).mkdir(parents=True)
    (files / ".git").touch()  # where ignore rules begin
    for blob, data in zip(blobs, _contents(top, blobs), strict=True):
        path = files / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    build(files / sources, scratch / "cache", config=cache.config)
    return scratch / "cache"


def _wanted(listing: bytes, folders: list[PurePosixPath]) -> Iterator[_Blob]:
    """The files below the sources, and the ignore files above them."""
    for entry in listing.split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        mode, _, id_ = about.decode().split()
        path = PurePosixPath(name.decode("utf-8", "surrogateescape"))
        if mode not in _REGULAR or path.is_absolute() or ".." in path.parts:
            continue
        above = path.name in IGNORE_FILES and any(folder.is_relative_to(path.parent) for folder in folders)
        if above or any(map(path.is_relative_to, folders)):
            yield _Blob(id_, path)


def _contents(top: Path, blobs: list[_Blob]) -> Iterator[bytes]:
    """The bytes of some blobs, in their order."""
    wanted = "".join(f"{blob.id}\n" for blob in blobs)
    data = _git(top, "cat-file", "--batch", stdin=wanted.encode())
    at = 0
    for _ in blobs:
        end = data.index(b"\n", at)
        size = int(data[at:end].split()[2])
        yield data[end + 1 : end + 1 + size]
        at = end + size + 2


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """What git answers. Raises `UsageError` with its reason."""
    try:
        ran = subprocess.run(
            ["git", "-C", str(folder), *arguments], input=stdin, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise UsageError("git is not installed, and only git knows revisions") from None
    if ran.returncode:
        reason = ran.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise UsageError(reason or f"{arguments[-1].removesuffix('^{tree}')!a}: git knows no such revision")
    return ran.stdout
