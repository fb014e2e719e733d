"""Ignore files (`.gitignore`, `.ctxignore`, …) that decide exactly as git does.

The rules in force in a folder are a chain of lists: its own ignore files, those of its parents,
and so on up to the root of the git work tree that holds it. The deepest list with a pattern that
matches decides, by the last such pattern. What lies below an excluded folder is excluded with it,
so a walk must not enter one.

git also reads `core.excludesFile` and `.git/info/exclude`. They belong to a machine and not to
the folder, so they are left out: every machine builds the same.
"""

from __future__ import annotations

import errno
import os
import re
from typing import NamedTuple, TypeAlias

from ...patterns import Pattern, parse
from ...safeio import exists, is_unreadable, why_unreadable
from ..report import Notice
from .tree import is_missing, is_url, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

IGNORE_FILES = (".gitignore", ".ctxignore")
"""The ignore files of a build; of two at one level, the later name wins."""

_MAX_BYTES = 1 << 20
_MOST_JOINED = 128
_BOM = b"\xef\xbb\xbf"
_PAGE = re.compile(rb"\s*(?:<!--.*?-->\s*)?(?:<!doctype\s+html|<html)", re.DOTALL | re.IGNORECASE)
_NO_RULES = "the store answers with a page of HTML, so no rules apply; told once of all such answers"
_Level: TypeAlias = "tuple[int, PatternList]"  # where the path that it judges starts, below the top


class IgnoreMatch(NamedTuple):
    """The pattern that decides."""

    negated: bool
    """Whether it begins with `!`."""
    reason: str
    """Where it stands and how it reads: `.gitignore:4 build/`."""

    @property
    def excluded(self) -> bool:
        """What it decides as an ignore rule."""
        return not self.negated


class PatternList:
    """The patterns of one folder; of those that match, the last decides."""

    def __init__(self, patterns: Iterable[tuple[str, Pattern]]) -> None:
        """Take each pattern with its reason."""
        rules = list(patterns)
        self._rulings = [IgnoreMatch(pattern.negated, reason) for reason, pattern in rules]
        self._joined = {
            is_dir: [one for anywhere in (True, False) for one in _joined(rules, anywhere, is_dir)]
            for is_dir in (True, False)
        }

    def __bool__(self) -> bool:
        return bool(self._rulings)

    def speaks_of(self, is_dir: bool) -> bool:
        """Return whether there are patterns that folders, or that other entries, can match."""
        return bool(self._joined[is_dir])

    def match(self, path: bytes, name: bytes, is_dir: bool) -> IgnoreMatch | None:
        """Return what decides for a path below the folder, whose last component is `name`."""
        last = -1
        for joined in self._joined[is_dir]:
            match = joined.fullmatch(name if joined.anywhere else path)
            if match and match.lastindex:
                last = max(last, joined.numbers[match.lastindex - 1])
        return self._rulings[last] if last >= 0 else None


class _Joined(NamedTuple):
    """Patterns of one kind as one expression, the last one first: names are many and hits are few."""

    anywhere: bool
    numbers: Sequence[int]
    fullmatch: Callable[[bytes], re.Match[bytes] | None]


def _joined(rules: Sequence[tuple[str, Pattern]], anywhere: bool, is_dir: bool) -> Iterator[_Joined]:
    """Join patterns of one kind, a limited number at a time: a wildcard costs as much as there are groups."""
    numbers = [
        number
        for number, (_, pattern) in reversed(list(enumerate(rules)))
        if pattern.anywhere == anywhere and (is_dir or not pattern.folders_only)
    ]
    for start in range(0, len(numbers), _MOST_JOINED):
        some = numbers[start : start + _MOST_JOINED]
        expression = b"|".join(b"(" + rules[number][1].expression + b")" for number in some)
        yield _Joined(anywhere, some, re.compile(expression, re.DOTALL).fullmatch)


_OF_FOLDER = frozenset({errno.EACCES, errno.ENAMETOOLONG})
"""What is said of a file in a folder that cannot be entered: to list that fails as well."""


class UnreadableRules(OSError):
    """An ignore file is there and the system refuses to read it: what it keeps out is not known."""

    def __init__(self, file: str, error: OSError) -> None:
        """`file` as seen from where the walk begins."""
        super().__init__(error.errno, error.strerror, file)
        self.file = file
        self.why = why_unreadable(error)


class IgnoreRules:
    """The rules in force in one folder; `enter` gives those of a folder in it."""

    __slots__ = ("_chain", "_files", "_path")

    def __init__(self, files: _IgnoreFiles, path: bytes, chain: _Chain) -> None:
        """Take the path of a folder and what decides there."""
        self._files = files
        self._path = path
        self._chain = chain

    @classmethod
    def at(
        cls,
        root: bytes,
        names: Sequence[str] = IGNORE_FILES,
        *,
        first: PatternList | None = None,
        last: PatternList | None = None,
    ) -> IgnoreRules:
        """Return the rules of `root`, where a walk begins, with those of its parents up to a git root.

        `first` decides before any ignore file and `last` after all of them; their patterns are
        relative to `root`. The root itself is never judged: it was named, so it is wanted.
        Raises `UnreadableRules`.
        """
        top, between = _work_tree(root)
        start = b"".join(name + b"/" for name in between)
        files = _IgnoreFiles(top, start, tuple(names), [])
        rules = cls(files, b"", _Chain((), files.own(b"")))
        for name in between:
            rules = rules.enter(name)
        levels = rules._chain.levels + _level(start, last)
        return cls(files, start, _Chain(_level(start, first), levels))

    @property
    def problems(self) -> list[Notice]:
        """Ignore files that could not be read, in this folder and those entered so far, and why."""
        return self._files.problems

    def enter(self, name: bytes, holds: Container[str] | None = None) -> IgnoreRules:
        """Return the rules of the folder `name` in this one.

        With the names of what it `holds`, if they are known, only ignore files among them are looked
        for: most folders have none, and to find that out takes 20 µs, more than to list them. They are
        given in lower case, since to some systems a name in capitals is the same. Raises `UnreadableRules`.
        """
        path = self._path + name + b"/"
        own = self._files.own(path, holds)
        chain = _Chain(self._chain.first, own + self._chain.levels) if own else self._chain
        return IgnoreRules(self._files, path, chain)

    def decide(self, name: bytes, is_dir: bool) -> IgnoreMatch | None:
        """Return the pattern that decides for an entry of this folder, None if no pattern matches."""
        path = self._path + name
        for start, patterns in self._chain.deciding[is_dir]:
            ruling = patterns.match(path[start:], name, is_dir)
            if ruling:
                return ruling
        return None


class _Chain:
    """The lists of patterns in force, in the order in which they decide."""

    __slots__ = ("deciding", "first", "levels")

    def __init__(self, first: tuple[_Level, ...], levels: tuple[_Level, ...]) -> None:
        """Take what precedes all ignore files, and the levels from the nearest one on."""
        self.first = first
        self.levels = levels
        self.deciding = {
            is_dir: [level for level in first + levels if level[1].speaks_of(is_dir)]
            for is_dir in (True, False)
        }


class _IgnoreFiles(NamedTuple):
    """What the rules of all folders of a walk share."""

    top: bytes
    """Where the rules begin; all paths are below it, empty there, else with a `/` at their end."""
    root: bytes
    """The path where the walk begins."""
    names: tuple[str, ...]
    problems: list[Notice]

    def own(self, path: bytes, holds: Container[str] | None = None) -> tuple[_Level, ...]:
        """Read the ignore files of a folder into one level, none if it has no patterns."""
        names = [name for name in self.names if holds is None or name in holds]
        patterns = [pair for name in names for pair in self._read(path, name)]
        return _level(path, PatternList(patterns)) if patterns else ()

    def _read(self, path: bytes, name: str) -> list[tuple[str, Pattern]]:
        """Read one ignore file: each pattern with its reason. Raises `UnreadableRules`."""
        folder = os.path.join(self.top, path)  # noqa: PTH118 - Path does not take bytes
        if is_missing(folder, name.encode()):
            return []
        label = self._label(path) + name
        try:
            data = read(folder, name.encode(), _MAX_BYTES + 1)
        except OSError as error:
            there = os.path.lexists(os.path.join(folder, name.encode()))  # noqa: PTH118 - as above
            if is_unreadable(error) and (there or error.errno not in _OF_FOLDER):
                raise UnreadableRules(label, error) from None
            if there:
                self.problems.append(Notice(label, f"{why_unreadable(error)}: its rules do not apply"))
            return []
        if len(data) > _MAX_BYTES:
            self.problems.append(Notice(label, f"larger than {_MAX_BYTES} bytes: its rules do not apply"))
            return []
        if is_url(self.top) and _PAGE.match(data):  # what many a host sends for a page that it lacks
            if not any(problem.message == _NO_RULES for problem in self.problems):
                self.problems.append(Notice(label, _NO_RULES))
            return []
        lines = enumerate(data.removeprefix(_BOM).split(b"\n"), start=1)
        patterns = (parse(line.removesuffix(b"\r"), number) for number, line in lines)
        return [(f"{label}:{pattern.line} {pattern.text}", pattern) for pattern in patterns if pattern]

    def _label(self, path: bytes) -> str:
        """A path as seen from where the walk begins; `../` above it."""
        if path.startswith(self.root):
            return path[len(self.root) :].decode("utf-8", "backslashreplace")
        return "../" * (self.root.count(b"/") - path.count(b"/"))


def _level(path: bytes, patterns: PatternList | None) -> tuple[_Level, ...]:
    return ((len(path), patterns),) if patterns else ()


def _work_tree(root: bytes) -> tuple[bytes, list[bytes]]:
    """Return the folder where the rules begin and the names that lead from there to `root`.

    Raises `UnreadableRules` where the system does not say whether a folder above is that of a repository.
    """
    if is_url(root):
        return root, []
    top = os.path.realpath(root)
    between: list[bytes] = []
    while not _is_top(top, len(between)):
        parent, name = os.path.split(top)
        if parent == top:
            return root, []
        between.insert(0, name)
        top = parent
    return top, between


def _is_top(folder: bytes, above: int) -> bool:
    """Whether a folder, so many above the one where a walk begins, is that of a repository."""
    try:
        return exists(os.path.join(folder, b".git"))  # noqa: PTH118 - Path does not take bytes
    except OSError as error:
        if not above and error.errno in _OF_FOLDER:
            return False
        raise UnreadableRules("../" * above + ".git", error) from None
