"""Why one path is, or is not, a document: the answer of `ctx build --explain PATH`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from ..report import Skipped, SourceError
from .decode import read_bytes, text_of
from .rules import is_convertible
from .source_filter import Directory, SourceFile, SourceFilter, id_path
from .walk import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .rules import Rules

    Convert = Callable[[str, bytes], object]
    """What converts the bytes of a document of this id; a text that it returns says why it cannot."""


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
    if not root.is_dir():
        raise SourceError(f"{root}: no such folder")
    source_filter = SourceFilter(os.fsencode(root.absolute()), rules)
    directory, below = source_filter.start(), _below(root, Path(path))
    for start in source_filter.starts() if rules.folders else ():
        parts = tuple(os.fsdecode(start.name).rstrip("/").split("/"))
        if below[: len(parts)] == parts:
            directory, below = start, below[len(parts) :]
            break
    else:
        if rules.folders:
            return Verdict("/".join(below), False, f"in none of the folders {', '.join(rules.folders)}")
    for component in below:
        name = os.fsencode(component)
        skipped: list[Skipped] = []
        found = [entry for entry in entries(source_filter.root, directory, skipped) if entry.name == name]
        if not found:
            if skipped:
                return Verdict(skipped[0].path, False, skipped[0].rule)
            raise SourceError(f"{path}: no such file in {root}")
        decision = source_filter.decide(directory, found[0])
        if isinstance(decision, Skipped):
            return Verdict(decision.path, False, decision.rule)
        if isinstance(decision, SourceFile):
            return _read(source_filter, directory, decision, found[0], convert)
        directory = decision
    return Verdict(id_path(directory.name) or "./", True, "folder that is walked")


def _read(
    source_filter: SourceFilter,
    directory: Directory,
    file: SourceFile,
    entry: os.DirEntry[bytes],
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
    raise SourceError(f"{path}: not in {root}")
