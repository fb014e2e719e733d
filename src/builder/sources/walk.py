"""From a folder to the list of files that become documents, and why each of the others does not.

The order is that of the ids' UTF-8 bytes, whatever order the file system has. Links are never
followed: what one leads to is either in the folder, and found there, or outside it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise

from ...errors import IoError
from ..report import Notice, Skipped, SourceError
from .beneath import is_unreadable, why_unreadable
from .rules import Rules
from .source_filter import OWN, Directory, SourceFile, SourceFilter, id_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Walk:
    """What a folder holds: each entry is in exactly one list; a skipped folder stands for its entries.

    Files that speak to this program, such as `ctx.toml`, are in none.
    """

    files: tuple[SourceFile, ...]
    """By id."""
    skipped: tuple[Skipped, ...]
    """By path."""
    warnings: tuple[Notice, ...]


def walk(root: Path, rules: Rules | None = None) -> Walk:
    """List the files of `root` that `rules` take; SourceError if there is no folder or two ids are equal."""
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder")
    rules = rules or Rules()
    for folder in rules.folders:
        if not (root / folder).is_dir():
            raise SourceError(f"{folder}: no such folder")
    source_filter = SourceFilter(os.fsencode(root.absolute()), rules)
    pending = source_filter.starts()
    problems = pending[0].ignore.problems
    files: list[SourceFile] = []
    skipped: list[Skipped] = []
    while pending:
        directory = pending.pop()
        for entry in entries(source_filter.root, directory, skipped):
            decision = source_filter.decide(directory, entry)
            if isinstance(decision, Directory):
                pending.append(decision)
            elif isinstance(decision, SourceFile):
                files.append(decision)
            elif decision.rule is not OWN:
                skipped.append(decision)
    files.sort(key=lambda file: (file.id, file.name))
    _check_distinct(files)
    warnings = (*sorted(problems), *source_filter.unused())
    return Walk(files=tuple(files), skipped=tuple(sorted(skipped)), warnings=warnings)


def entries(root: bytes, directory: Directory, skipped: list[Skipped]) -> list[os.DirEntry[bytes]]:
    """List a folder; one that cannot be listed is added to `skipped`, unless it is the root."""
    try:
        with os.scandir(os.path.join(root, directory.name)) as found:  # noqa: PTH118 - Path does not take bytes
            return list(found)
    except OSError as error:
        if not directory.name:
            kind = IoError if is_unreadable(error) else SourceError
            raise kind(f"{os.fsdecode(root)}: {why_unreadable(error)}") from error
        item = Skipped(
            id_path(directory.name), why_unreadable(error), fault=True, unreadable=is_unreadable(error)
        )
        skipped.append(item)
        return []


def _check_distinct(files: list[SourceFile]) -> None:
    """Refuse two files of one id, in sorted order."""
    for one, other in pairwise(files):
        if one.id == other.id:
            names = f"{one.name.decode()!a} and {other.name.decode()!a}"
            raise SourceError(f"{names} would both be the document {one.id!a}: rename or exclude one")
