"""Building a cache from its sources at a git revision.

Blobs are written as they are stored: no filter of the repository runs, no link is made, and the working tree
is not touched.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ..builder.build import build
from ..builder.sources.gitignore import IGNORE_FILES
from ..errors import UsageError
from ..git import REGULAR, GitError, blob_reader, read_tree, run_git
from ..safeio import translate_oserror

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .caches import ProjectCache

_SECONDS = 600  # a large tree on a slow disk
_FETCH = "`git fetch --refetch` brings it"


class _Blob(NamedTuple):
    """A file of a tree."""

    id: bytes
    path: PurePosixPath


def build_revision(cache: ProjectCache, revision: str, scratch: Path) -> Path:
    """Build a cache from its sources at a revision, in the empty folder `scratch`; returns its directory.

    Raises `UsageError` if git does not know the revision, or the revision lacks the sources.
    """
    top = Path(os.fsdecode(_git(cache.root, "rev-parse", "--show-toplevel").removesuffix(b"\n"))).resolve()
    if not cache.sources.is_relative_to(top):
        raise UsageError(f"{cache.name}: its sources are not in the repository {top}")
    sources = PurePosixPath(cache.sources.relative_to(top).as_posix())
    tree = _git(cache.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    folders = [PurePosixPath(folder.relative_to(top).as_posix()) for folder in cache.folders]
    listing = _git(top, "ls-tree", "-r", "-z", "--full-tree", tree.decode().strip())
    blobs = list(_source_blobs(listing, folders))
    if not any(blob.path.is_relative_to(folder) for blob in blobs for folder in folders):
        raise UsageError(f"{revision}: there is no {folders[0]} at this revision")
    files = scratch / "files"
    for folder in folders:
        (files / folder).mkdir(parents=True)
    (files / ".git").touch()  # ignore rules start at the root of a repository
    try:
        with translate_oserror(scratch):
            _write_out(top, blobs, files)
    except GitError as error:
        raise UsageError(f"{revision}: {error}; {_FETCH} if this is a partial clone") from None
    build(files / sources, scratch / "cache", config=cache.config)
    return scratch / "cache"


def _write_out(top: Path, blobs: list[_Blob], target: Path) -> None:
    """Write the contents of some blobs below a folder. Raises `GitError`, `OSError`."""
    with blob_reader(top, seconds=_SECONDS) as reader:
        for blob in blobs:
            pieces = reader.read(blob.id)
            if pieces is None:
                raise GitError(f"git lacks the content of {blob.path} here")
            path = target / blob.path
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.writelines(pieces)


def _source_blobs(listing: bytes, folders: list[PurePosixPath]) -> Iterator[_Blob]:
    """The files of a tree that are in the sources, and the ignore files above the sources."""
    for mode, id_, name in read_tree(listing):
        path = PurePosixPath(os.fsdecode(name))
        if mode not in REGULAR or path.is_absolute() or ".." in path.parts:
            continue
        above = path.name in IGNORE_FILES and any(folder.is_relative_to(path.parent) for folder in folders)
        if above or any(map(path.is_relative_to, folders)):
            yield _Blob(id_, path)


def _git(folder: Path, *arguments: str) -> bytes:
    """The output of git. Raises `UsageError` with git's message."""
    try:
        return run_git(folder, *arguments, seconds=_SECONDS)
    except GitError as error:
        reason = str(error).removeprefix("fatal: ")
        unknown = f"{arguments[-1].removesuffix('^{tree}')!a}: git knows no such revision"
        raise UsageError(f"git says of {folder}: {reason}" if reason else unknown) from None
