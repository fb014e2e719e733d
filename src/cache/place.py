"""Where a build may write: at no file of anybody else.

A name proves little, since people have folders called `documents` too. What a build has made
is known by its exact form, and by what lies beside it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ..errors import UsageError
from .locks import locked
from .manifest import MANIFEST
from .refusals import refusals

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MANIFEST_START = b'{\n  "cache_version": "sha256:'
"""How the manifest of either format begins."""
DOCUMENTS, INDEX = "documents", "index.json"
"""What format 1 has beside its manifest."""
DOCUMENT = re.compile(r"[0-9a-f]{12}\.json")
"""A file in the documents folder of format 1."""
ATTRIBUTES, ATTRIBUTES_CONTENT = ".gitattributes", b"* -text\n"
"""A file of every cache of format 2, so that git never changes the line ends of one that is committed."""
SCRATCH, LOCK = ".build-", "lock"
"""How the scratch directory of a build begins, and the file in it that the build holds."""
_DATA = re.compile(r"documents-[0-9a-f]{12}\.jsonl|index-[0-9a-f]{12}\.bin")
_SCRATCH = re.compile(re.escape(SCRATCH) + r"[a-z0-9_]{8}")


def require_place(directory: Path, *, force: bool) -> None:
    """Raise `UsageError` unless a cache may be written at `directory`.

    An existing cache needs `force`; a directory that holds anything else is never touched.
    Raises `IoError` when the system will not say.
    """
    with refusals(directory):
        if not directory.exists() and not directory.is_symlink():
            return
        if not directory.is_dir():
            raise UsageError(f"{directory}: exists and is no directory; name another place with --cache")
        with locked(directory):
            names = {path.name for path in directory.iterdir()}
            foreign = _still_there(directory, names - made_by_builds(directory))
    if foreign:
        raise UsageError(
            f"{directory}: holds files that are no cache ({foreign[0]!a}); name another place with --cache"
        )
    if MANIFEST in names and not force:
        raise UsageError(f"{directory}: there is a cache already; --force replaces it")


def made_by_builds(directory: Path) -> set[str]:
    """The names directly in `directory` that builds have made, whole or killed. Raises `OSError`.

    A manifest that is damaged counts where data files or documents of a cache lie beside it.
    """
    with os.scandir(directory) as scanned:
        entries = list(scanned)
    files = {entry.name for entry in entries if entry.is_file(follow_symlinks=False)}
    folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
    data = {name for name in files if _DATA.fullmatch(name)}
    scratch = {name for name in folders if _is_scratch(directory, name)}
    genuine = MANIFEST in files and _begins_with(directory / MANIFEST, MANIFEST_START)
    listed = _documents(directory) if DOCUMENTS in folders else None
    of_format1 = listed is not None and bool(listed or genuine or scratch)
    made = data | scratch
    if of_format1:
        made.add(DOCUMENTS)
    if ATTRIBUTES in files and holds(directory / ATTRIBUTES, ATTRIBUTES_CONTENT):
        made.add(ATTRIBUTES)
    if genuine or of_format1:
        made.add(INDEX)
    if genuine or data or listed:
        made.add(MANIFEST)
    return made & (files | (folders - {INDEX, MANIFEST}))


def _documents(directory: Path) -> list[str] | None:
    """The files in the documents folder; None when one is not of format 1."""
    with os.scandir(directory / DOCUMENTS) as entries:
        files = [(entry.name, entry.is_file(follow_symlinks=False)) for entry in entries]
    if all(is_file and DOCUMENT.fullmatch(name) for name, is_file in files):
        return [name for name, _ in files]
    return None


def _is_scratch(directory: Path, name: str) -> bool:
    """Whether this is the scratch directory of a build: made with its lock, emptied before it."""
    if not _SCRATCH.fullmatch(name):
        return False
    try:
        names = [path.name for path in (directory / name).iterdir()]
    except FileNotFoundError:  # that build has ended meanwhile
        return True
    return not names or LOCK in names


def _begins_with(path: Path, data: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(data)) == data


def holds(path: Path, data: bytes) -> bool:
    """Whether a file holds exactly these bytes."""
    with path.open("rb") as file:
        return file.read(len(data) + 1) == data


def _still_there(directory: Path, names: Iterable[str]) -> list[str]:
    """Those of `names` that are no leavings of a build that ended while the directory was read."""
    return sorted(name for name in names if os.path.lexists(directory / name))
