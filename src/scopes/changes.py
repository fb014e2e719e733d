"""Which files make a context stale.

A fingerprint says that something changed, not what. In a git work tree the
answer is exact: the directory as it was committed together with the context is
compared with what is there. Elsewhere the files that are younger than the
context's date are named.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..git import REGULAR, GitError, read_blobs, read_tree, run_git
from .clock import parse_timestamp
from .fingerprint import digest
from .listing import CONTEXT_NAME, excluded

if TYPE_CHECKING:
    from ..builder.sources.gitignore import IgnoreRules
    from .listing import Listing
    from .model import ContextFile


class Changes(NamedTuple):
    """Names of files, each list sorted."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    exact: bool = False
    """Whether this is known, not concluded from dates."""

    def lines(self) -> list[str]:
        """One line a file: `changed scan.py`."""
        groups = (("added", self.added), ("changed", self.changed), ("removed", self.removed))
        return [f"{word} {name}" for word, names in groups for name in names]


def find_changes(directory: str, listing: Listing, rules: IgnoreRules, context: ContextFile) -> Changes:
    """What happened in a directory, where `rules` are in force, since its context was written."""
    there = {file.name for file in listing.files if not file.ignored}
    committed = _committed(directory, rules, context.fingerprint)
    if committed is None:
        return _by_dates(listing, context)
    changed = [name for name in there & set(committed) if _read(f"{directory}/{name}") != committed[name]]
    return Changes(
        added=tuple(sorted(there - set(committed))),
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(set(committed) - there)),
        exact=True,
    )


def _by_dates(listing: Listing, context: ContextFile) -> Changes:
    """Files younger than the context, and those that it names but that are gone."""
    names = {file.name for file in listing.files}
    removed = tuple(sorted({entry.name for entry in context.files} - names))
    written = parse_timestamp(context.last_updated)
    if written is None:
        return Changes(removed=removed)
    since = int(written.timestamp() * 1000)
    younger = [f.name for f in listing.files if not f.ignored and f.mtime_ns // 1_000_000 > since]
    return Changes(changed=tuple(sorted(younger)), removed=removed)


def _committed(directory: str, rules: IgnoreRules, fingerprint: str) -> dict[str, bytes] | None:
    """The files of the commit in which the directory had this fingerprint; None if git does not know one.

    The candidates are the current commit and the last ones that touched the context.
    """
    try:
        commits = run_git(directory, "rev-list", "-n", "5", "HEAD", "--", CONTEXT_NAME)
    except GitError:
        return None
    for commit in ["HEAD", *commits.decode().split()]:
        files = _files_at(directory, commit, rules)
        if files is not None and _fingerprint(files) == fingerprint:
            return files
    return None


def _files_at(directory: str, commit: str, rules: IgnoreRules) -> dict[str, bytes] | None:
    """Name and content of the files directly in a directory, as committed, but for ignored ones.

    None if git lacks one of them.
    """
    try:
        tree = run_git(directory, "ls-tree", "-z", commit, "./")
        objects: dict[str, bytes] = {}
        for mode, id_, path in read_tree(tree):
            name = os.fsdecode(path)
            if mode in REGULAR and name != CONTEXT_NAME and not excluded(rules, name):
                objects[name] = id_
        contents = list(read_blobs(directory, list(objects.values())))
    except GitError:
        return None
    found = {name: data for name, data in zip(objects, contents, strict=True) if data is not None}
    return found if len(found) == len(objects) else None


def _fingerprint(files: dict[str, bytes]) -> str:
    """The fingerprint by content, of content in memory."""
    return digest(f"{name}:{hashlib.sha256(data).hexdigest()}" for name, data in files.items())


def _read(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None
