"""Which files make a context stale.

A fingerprint says that something changed, not what. In a git work tree the
answer is exact: the directory as it was committed together with the context is
compared with what is there. Elsewhere the files that are younger than the
context's date are named.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .clock import parse_timestamp
from .fingerprint import digest
from .listing import CONTEXT_NAME, excluded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..builder.sources.gitignore import IgnoreRules
    from .listing import Listing
    from .model import ContextFile

_SECONDS = 20
_REGULAR = frozenset((b"100644", b"100755"))


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
    commits = _git(directory, "rev-list", "-n", "5", "HEAD", "--", CONTEXT_NAME)
    if commits is None:
        return None
    for commit in ["HEAD", *commits.decode().split()]:
        files = _files_at(directory, commit, rules)
        if files is not None and _fingerprint(files) == fingerprint:
            return files
    return None


def _files_at(directory: str, commit: str, rules: IgnoreRules) -> dict[str, bytes] | None:
    """Name and content of the files directly in a directory, as committed, but for ignored ones."""
    tree = _git(directory, "ls-tree", "-z", commit, "./")
    if tree is None:
        return None
    objects: dict[str, bytes] = {}
    for line in tree.split(b"\0"):
        about, _, path = line.partition(b"\t")
        name = os.fsdecode(path)
        if path and about.split()[0] in _REGULAR and name != CONTEXT_NAME and not excluded(rules, name):
            objects[name] = about.split()[2]
    contents = _git(directory, "cat-file", "--batch", given=b"".join(oid + b"\n" for oid in objects.values()))
    return None if contents is None else dict(zip(objects, _batch(contents), strict=False))


def _batch(output: bytes) -> Iterator[bytes]:
    """The contents in the output of `git cat-file --batch`: a line `OID blob SIZE`, the bytes, a newline."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        size = int(output[at:end].rsplit(b" ", 1)[-1])
        yield output[end + 1 : end + 1 + size]
        at = end + size + 2


def _fingerprint(files: dict[str, bytes]) -> str:
    """The fingerprint by content, of content in memory."""
    return digest(f"{name}:{hashlib.sha256(data).hexdigest()}" for name, data in files.items())


def _git(directory: str, *arguments: str, given: bytes = b"") -> bytes | None:
    """The output of a git command that only reads; None where it fails.

    A work tree's configuration may name programs; none is run, and nothing is fetched. What a
    git hook sets in the environment would point to another directory, so it is not passed on.
    """
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments],
            cwd=directory,
            env=plain | {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"},
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _read(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None
