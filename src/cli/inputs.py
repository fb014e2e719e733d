"""Folders and files that a command line names: a mistyped one is wrong usage, told before the work."""

from __future__ import annotations

import os
from difflib import get_close_matches

from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def require_folder(name: str, *others: str) -> None:
    """Raise `UsageError` unless `name` is a folder; with the nearest of its neighbours and of `others`."""
    if os.path.isdir(name):
        return
    if os.path.exists(name):
        raise UsageError(f"{name}: a file; name the folder that it is in")
    raise UsageError(f"{name}: no such folder{_near(name, others)}")


def require_file(name: str) -> None:
    """Raise `UsageError` unless there is a file, or what can be read like one, of this name."""
    if os.path.isdir(name):
        raise UsageError(f"{name}: a folder; name a file")
    if not os.path.exists(name):
        raise UsageError(f"{name}: no such file")


def require_folder_of(name: str | None) -> None:
    """Raise `UsageError` unless the folder is there in which a result, if there is to be one, is written."""
    if name is None:
        return
    folder = os.path.dirname(name)
    if os.path.isdir(name):
        raise UsageError(f"{name}: a folder; name a file to write")
    if folder and not os.path.isdir(folder):
        raise UsageError(f"{name}: there is no folder {folder} to write it in; make it first")


def _near(name: str, others: Iterable[str]) -> str:
    """What may be meant by a name, as the end of a sentence."""
    parent, last = os.path.split(os.path.normpath(name))
    try:
        folders = [entry.name for entry in os.scandir(parent or ".") if entry.is_dir()]
    except OSError:
        folders = []
    near = get_close_matches(last, sorted({*folders, *others}), n=1)
    if not near:
        return ""
    return f"; did you mean {near[0] if near[0] in others else os.path.join(parent, near[0])}?"
