"""From a folder to the list of files that become documents, and why each of the others does not.

The order is that of the ids' UTF-8 bytes, whatever order the file system has. Links are never
followed: what one leads to is either in the folder, and found there, or outside it. `explain_path` says
of one path which rule decides: the answer of `ctx build --explain PATH`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ...errors import IoError
from ...safeio import is_unreadable, why_unreadable
from ..report import Notice, Skipped, SourceError
from ..splitting.formats import is_convertible
from .decode import read_bytes, text_of
from .source_filter import OWN, Directory, Rules, SourceFile, SourceFilter, id_path
from .tree import entries_of, is_folder, label_of, root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .tree import Entry

    Convert = Callable[[str, bytes], object]
    """Converts the bytes of a document of this id; where it cannot, it returns the reason as a text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Walk:
    """What a folder holds: an entry is in one list, a skipped folder for all of its entries.

    Files that configure this program, such as `ctx.toml`, are in neither.
    """

    files: tuple[SourceFile, ...]
    """By id."""
    skipped: tuple[Skipped, ...]
    """By path."""
    warnings: tuple[Notice, ...]


def walk(root: str | os.PathLike[str], rules: Rules | None = None) -> Walk:
    """List the files of a folder or a URL that `rules` take.

    Raises `SourceError` if there is no folder or two ids are equal.
    """
    tree = root_of(root)
    if not is_folder(tree):
        raise SourceError(f"{label_of(root)}: no such folder")
    rules = rules or Rules()
    for folder in rules.folders:
        if not is_folder(os.path.join(tree, os.fsencode(folder))):  # noqa: PTH118 - Path does not take bytes
            raise SourceError(f"{folder}: no such folder")
    source_filter = SourceFilter(tree, rules)
    pending = source_filter.starts()
    problems = pending[0].ignore.problems
    files: list[SourceFile] = []
    skipped: list[Skipped] = []
    while pending:
        directory = pending.pop()
        for entry in entries(source_filter.root, directory, skipped):
            decision = source_filter.decide(directory, entry)
            if isinstance(decision, SourceFile):
                files.append(decision)
            elif isinstance(decision, Directory):
                pending.append(decision)
            elif decision.rule is not OWN:
                skipped.append(decision)
    files.sort(key=attrgetter("id", "name"))
    _check_distinct(files)
    warnings = (*sorted(problems), *source_filter.unused())
    return Walk(files=tuple(files), skipped=tuple(sorted(skipped)), warnings=warnings)


def entries(root: bytes, directory: Directory, skipped: list[Skipped]) -> list[Entry]:
    """List a folder; one that cannot be listed is added to `skipped`, unless it is the root."""
    try:
        return entries_of(root, directory.name)
    except OSError as error:
        if not directory.name:
            kind = IoError if is_unreadable(error) else SourceError
            raise kind(f"{label_of(root)}: {why_unreadable(error)}") from error
        skipped.append(Skipped.refused(id_path(directory.name), error))
        return []


def _check_distinct(files: list[SourceFile]) -> None:
    """Refuse two files of one id, in sorted order."""
    for one, other in pairwise(files):
        if one.id == other.id:
            names = f"{one.name.decode()!a} and {other.name.decode()!a}"
            raise SourceError(f"{names} would both be the document {one.id!a}: rename or exclude one")


class Verdict(NamedTuple):
    """What becomes of a path."""

    path: str
    """The path that decides, below the root; a folder ends in `/` and may be above the path in question."""
    taken: bool
    rule: str


def explain_path(root: Path, rules: Rules, path: str | Path, *, convert: Convert | None = None) -> Verdict:
    """Say which rule decides for `path`: absolute, or relative to `root` or the current folder.

    A file is read, so that its bytes have their say too, those of a document that is no text
    where `convert` is given. SourceError if it is not there or not below `root`.
    """
    if not is_folder(os.fsencode(root)):
        raise SourceError(f"{root}: no such folder")
    source_filter = SourceFilter(root_of(root), rules)
    below = _below(root, Path(path))
    for directory in source_filter.starts():
        parts = tuple(os.fsdecode(directory.name).split("/")[:-1])
        if below[: len(parts)] == parts:
            below = below[len(parts) :]
            break
    else:
        return Verdict("/".join(below), False, f"in none of the folders {', '.join(rules.folders)}")
    for component in below:
        name = os.fsencode(component)
        skipped: list[Skipped] = []
        matching = [entry for entry in entries(source_filter.root, directory, skipped) if entry.name == name]
        if not matching:
            if skipped:
                return Verdict(skipped[0].path, False, skipped[0].rule)
            raise SourceError(f"{path}: no such file in {root}")
        decision = source_filter.decide(directory, matching[0])
        if isinstance(decision, Skipped):
            return Verdict(decision.path, False, decision.rule)
        if isinstance(decision, SourceFile):
            return _read(source_filter, directory, decision, matching[0], convert)
        directory = decision
    return Verdict(id_path(directory.name) or "./", True, "folder that is walked")


def _read(
    source_filter: SourceFilter,
    directory: Directory,
    file: SourceFile,
    entry: Entry,
    convert: Convert | None,
) -> Verdict:
    """Let the content of a file decide, and name the rules that took it."""
    data = read_bytes(file, max_file_bytes=source_filter.rules.max_file_bytes)
    if isinstance(data, Skipped):
        return Verdict(data.path, False, data.rule)
    if source_filter.rules.convert and is_convertible(file.id):
        problem = convert(file.id, data) if convert else None
        if isinstance(problem, str):
            return Verdict(file.id, False, problem)
        return Verdict(file.id, True, source_filter.why_taken(directory, entry))
    text = text_of(file, data)
    if isinstance(text, Skipped):
        return Verdict(text.path, False, text.rule)
    return Verdict(file.id, True, f"{source_filter.why_taken(directory, entry)}, {text.encoding}")


def _below(root: Path, path: Path) -> tuple[str, ...]:
    """Return the components of `path` below `root`."""
    inside = root / path
    absolute = Path(os.path.abspath(inside if os.path.lexists(inside) else path))  # noqa: PTH100 - keeps links
    for base in (Path(os.path.abspath(root)), root.resolve()):  # noqa: PTH100 - keeps links
        if absolute.is_relative_to(base):
            return absolute.relative_to(base).parts
    raise SourceError(f"{path}: {'not' if os.path.lexists(absolute) else 'no such file'} in {root}")
