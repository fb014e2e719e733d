"""What lies directly in one directory: its regular files and the folders in it.

Symbolic links are neither: nothing is followed. Names that are not valid
UTF-8 cannot be named in an answer; such folders are left out, such files count.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ..builder.sources.gitignore import IgnoreRules, PatternList
from ..builder.sources.patterns import parse
from .kinds import is_source
from .memo import State, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable

CONTEXT_NAME = ".context.yaml"

IGNORE_FILES = (".gitignore", ".contextignore")
"""Of two at one level, the later name wins."""

SKIPPED_FOLDERS = (
    ".*/",  # hidden
    "node_modules/", "bower_components/", "jspm_packages/", "site-packages/", "vendor/", "venv/", "Pods/",
    "build/", "dist/", "target/", "out/", "obj/", "coverage/", "htmlcov/", "__pycache__/", "*.egg-info/",
)  # fmt: skip
"""Hidden, dependency and build folders. An ignore file takes one back with `!build/`."""


class FileInfo(NamedTuple):
    """A regular file of a directory, as the system reports it."""

    name: str
    size: int
    mtime_ns: int
    state: State
    ignored: bool
    """Whether an ignore file excludes it."""


class Listing(NamedTuple):
    """The files of a directory (without `.context.yaml`) and its folders that are not skipped, by name."""

    files: tuple[FileInfo, ...]
    folders: tuple[str, ...]
    has_context: bool
    sources: tuple[FileInfo, ...]
    """Those of the files that people write and no rule excludes."""

    @property
    def tokens(self) -> int:
        """Tokens of its sources: bytes by four, rounded up (rule C15)."""
        return -(-sum(file.size for file in self.sources) // 4)


EMPTY = Listing((), (), False, ())


def project_rules(root: str) -> IgnoreRules:
    """The ignore rules in force at the root of a project."""
    defaults = [parse(text.encode(), number) for number, text in enumerate(SKIPPED_FOLDERS, start=1)]
    last = PatternList([(f"skipped by default: {pattern.text}", pattern) for pattern in defaults if pattern])
    return IgnoreRules.at(os.fsencode(root), IGNORE_FILES, last=last)


def list_directory(path: str, rules: IgnoreRules) -> Listing:
    """What lies in the directory at `path`, where `rules` are in force. `OSError` if it cannot be listed."""
    return list_entries(entries_of(path), rules)


def entries_of(path: str) -> list[os.DirEntry[str]]:
    """The entries of a directory, in no order. `OSError` if it cannot be listed."""
    with os.scandir(path) as entries:
        return list(entries)


def list_entries(entries: Iterable[os.DirEntry[str]], rules: IgnoreRules) -> Listing:
    """What the entries of a directory are, where `rules` are in force."""
    files, folders, has_context = [], [], False
    for entry in entries:
        name = entry.name
        if name == CONTEXT_NAME:
            has_context = True
        elif entry.is_file(follow_symlinks=False):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # it vanished meanwhile
            files.append(
                FileInfo(name, status.st_size, status.st_mtime_ns, state_of(status), excluded(rules, name))
            )
        elif entry.is_dir(follow_symlinks=False) and _utf8(name) and not excluded(rules, name, is_dir=True):
            folders.append(name)
    files.sort()
    sources = tuple(file for file in files if not file.ignored and is_source(file.name))
    return Listing(tuple(files), tuple(sorted(folders)), has_context, sources)


def excluded(rules: IgnoreRules, name: str, *, is_dir: bool = False) -> bool:
    """Whether the rules of a directory exclude a file or a folder in it."""
    ruling = rules.decide(os.fsencode(name), is_dir)
    return ruling is not None and ruling.excluded


def _utf8(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)
