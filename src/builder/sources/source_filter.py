"""What becomes of a name below the source folder: the walk and `--explain` ask the same filter.

`Rules` say what to take: patterns, formats, a size limit; and some names are left out unless asked for.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...cache.documents import file_of
from ...cache.publish import MANIFEST_START
from ...errors import IoError, UsageError
from ...patterns import Pattern, parse
from ...safeio import has_utf8_form
from ..report import Notice, Skipped
from ..splitting.formats import CONVERTED_FORMATS, TEXT_FORMATS, is_convertible, suffix_of
from .gitignore import IGNORE_FILES, IgnoreMatch, IgnoreRules, PatternList, UnreadableRules
from .tree import is_missing, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .tree import Entry

DEFAULT_EXCLUSIONS = (
    ".git/", ".hg/", ".svn/", ".jj/",  # history
    ".ctx/",  # our own caches
    "node_modules/", "bower_components/", "site-packages/",  # other people's documents
    ".venv/", ".tox/", ".nox/", ".eggs/", "*.egg-info/",
    "__pycache__/", ".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".hypothesis/",  # by-products
    ".ipynb_checkpoints/", ".gradle/", ".terraform/", ".next/", ".nuxt/", ".idea/", ".vscode/",
)  # fmt: skip
"""Folders that no one means when they name the folder around them.

They come after every other rule, so `!node_modules/` in an ignore file or an exclude pattern takes
one back, and so does an include pattern with that name in it (`node_modules/lib/**/*.md`). Names such
as `build`, `dist` or `target` are absent: they are common among documents, and git ignores them where
they are by-products.
"""

CONFIGURATION = "ctx.toml"
"""The file that says what is built."""

OWN_FILES = (CONFIGURATION, ".context.yaml", ".ctxignore", ".contextignore")
"""Files that speak to this program: among the sources they are no input that was left out."""

MAX_FILE_BYTES = 8 << 20

CONVERSION_HINT = "conversion reads it, with the extra `convert`: pip install 'ctxcache[convert]'"
OWN = "a file that speaks to this program, never a document"
"""The rule for one of `OWN_FILES`, whatever the patterns say."""
_NO_NAMES = frozenset((b"", b".", b".."))  # which a store behind a URL may list
_OWN_NAMES = frozenset(map(str.encode, OWN_FILES))
_IGNORE_NAMES = frozenset(map(str.encode, IGNORE_FILES))
_KINDS = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """What to take from a folder. Patterns are written as in a `.gitignore` at its root."""

    include: tuple[str, ...] = ()
    """If any: a file is taken only if the last one that matches it, or else a folder above it, is not a `!`.

    A pattern that matches the file itself (`*.py`) takes it in whatever format; one that matches
    only a folder above it (`guide/`) takes what is in a text format there.
    """
    folders: tuple[str, ...] = ()
    """If any: only what lies in these folders below the root is looked at; ids begin with their paths."""
    exclude: tuple[str, ...] = ()
    """These decide before any ignore file; `!` takes back what one of those excludes."""
    max_file_bytes: int = MAX_FILE_BYTES
    format1: bool = False
    """Format 1: only `.md` files, ids in lower case."""
    convert: bool = False
    """Whether files of the converted formats are taken like those of the text formats."""

    def __post_init__(self) -> None:
        """Refuse what is no list of patterns: a text is a sequence too, of letters. Raises `UsageError`."""
        for name, patterns in (("include", self.include), ("exclude", self.exclude)):
            if isinstance(patterns, str):
                raise UsageError(
                    f"{name}: {patterns!a} is one text; write a list of patterns, [{patterns!a}]"
                )
            if not isinstance(patterns, (tuple, list)):
                raise UsageError(f"{name}: {type(patterns).__name__} is no list of patterns")
            for number, pattern in enumerate(patterns):
                if not isinstance(pattern, str):
                    raise UsageError(
                        f"{name}[{number}]: {type(pattern).__name__} is no pattern; write a text"
                    )
        if type(self.max_file_bytes) is not int or self.max_file_bytes < 1:
            raise UsageError(f"max_file_bytes: {self.max_file_bytes!a} is not a positive number")


class SourceFile(NamedTuple):
    """A regular file that a walk took; its text is not read yet."""

    id: str
    """Path below the root: `/`, NFC, case kept (format 1: lower case)."""
    root: bytes
    name: bytes
    """Path below the root as the file system has it."""
    size: int
    """Bytes."""
    mtime_ns: int

    @property
    def path(self) -> Path:
        """Where the file is."""
        return Path(os.fsdecode(os.path.join(self.root, self.name)))  # noqa: PTH118 - these are bytes


class Directory(NamedTuple):
    """A folder that is walked."""

    name: bytes
    """Path below the root; empty for the root, else with a `/` at its end."""
    ignore: IgnoreRules
    included: bool
    """Whether the include patterns take what no pattern of theirs matches here."""


class SourceFilter:
    """Rules, compiled for one root."""

    def __init__(self, root: bytes, rules: Rules) -> None:
        """`root` is a path or a URL, as `tree.root_of` gives it."""
        self.root = root
        self.rules = rules
        self._include = _patterns("include pattern", rules.include)
        self._exclude = _patterns("exclude pattern", rules.exclude)
        self._included = PatternList(self._include)
        formats = TEXT_FORMATS | CONVERTED_FORMATS if rules.convert else TEXT_FORMATS
        self._formats = frozenset((".md",)) if rules.format1 else formats
        self._unused = {
            reason: PatternList([(reason, pattern)]) for reason, pattern in (*self._include, *self._exclude)
        }

    def start(self) -> Directory:
        """Return the root as a directory. Raises `IoError` where its ignore rules cannot be read."""
        wanted = {part for pattern in self.rules.include for part in pattern.split("/")}
        defaults = [text for text in DEFAULT_EXCLUSIONS if text.rstrip("/") not in wanted]
        with _rules_read():
            ignore = IgnoreRules.at(
                self.root,
                first=PatternList(self._exclude),
                last=PatternList(_patterns("default exclusion", defaults)),
            )
        return Directory(b"", ignore, all(pattern.negated for _, pattern in self._include))

    def starts(self) -> list[Directory]:
        """Where a walk begins: the folders of the rules, else the root. None of them is judged."""
        root = self.start()
        with _rules_read():
            return [self._folder(root, folder) for folder in self.rules.folders] or [root]

    def _folder(self, root: Directory, path: str) -> Directory:
        """A folder below the root, whatever the rules say of it: it was named, so it is wanted."""
        directory = root
        for part in os.fsencode(path).split(b"/"):
            name = directory.name + part
            self._note_use(name, part, True)
            chosen = self._included.match(name, part, True)
            included = not chosen.negated if chosen else directory.included
            directory = Directory(name + b"/", directory.ignore.enter(part), included)
        return directory

    def decide(self, directory: Directory, entry: Entry) -> Directory | SourceFile | Skipped:
        """Decide for one entry of a folder."""
        name = directory.name + entry.name
        path = id_path(name)
        try:
            is_dir = entry.is_dir(follow_symlinks=False)
            path += "/" * is_dir
            if not (entry.name.isascii() or has_utf8_form(entry.name.decode("utf-8", "surrogateescape"))):
                return Skipped(path, "name is not UTF-8", fault=True)
            if entry.name in _NO_NAMES or b"\0" in entry.name:
                return Skipped(path, "not a name that a file can have", fault=True)
            self._note_use(name, entry.name, is_dir)
            if entry.name in _OWN_NAMES and not is_dir:
                return Skipped(path, OWN)
            match = directory.ignore.decide(entry.name, is_dir)
            if match and match.excluded:
                return Skipped(path, match.reason)
            chosen = self._included.match(name, entry.name, is_dir)
            if is_dir:
                if _is_cache(self.root, name):
                    return Skipped(path, "a cache, not a source")
                included = not chosen.negated if chosen else directory.included
                return Directory(name + b"/", directory.ignore.enter(entry.name), included)
            return self._file(directory, entry, path, chosen)
        except UnreadableRules as error:  # a folder without the rules that keep contents out of a cache
            return Skipped(path, f"{error.file}: {error.why}", fault=True, unreadable=True)
        except OSError as error:
            return Skipped.refused(path, error)

    def why_taken(self, directory: Directory, entry: Entry) -> str:
        """Name the rules that take a file: what took it back, what included it, else its format."""
        match = directory.ignore.decide(entry.name, is_dir=False)
        chosen = self._included.match(directory.name + entry.name, entry.name, is_dir=False)
        reasons = [rule.reason for rule in (match, chosen) if rule]
        if not chosen:
            path = id_path(entry.name)
            reasons.append(f"{'converted' if is_convertible(path) else 'text'} format {suffix_of(path)}")
        return ", ".join(reasons)

    def unused(self) -> list[Notice]:
        """Return a warning for each include and exclude pattern that has matched nothing so far."""
        return [Notice("", f"{reason} matches nothing that other rules leave") for reason in self._unused]

    def _file(
        self, directory: Directory, entry: Entry, path: str, chosen: IgnoreMatch | None
    ) -> SourceFile | Skipped:
        """Decide for what is no folder and not ignored; `chosen` is the include pattern that decides."""
        if not entry.is_file(follow_symlinks=False):
            return Skipped(path, _kind(entry), fault=True)
        if chosen.negated if chosen else not directory.included:
            return Skipped(path, chosen.reason if chosen else "no include pattern matches")
        extension, format1 = suffix_of(path), self.rules.format1
        # Extensions are read in any case, except by format 1, which knows `.md` alone.
        folded = extension if format1 else extension.lower()
        if (format1 or not chosen) and folded not in self._formats:
            if entry.name in _IGNORE_NAMES:  # read as rules
                return Skipped(path, OWN)
            hint = f"; {CONVERSION_HINT}" if is_convertible(path) and not format1 else ""
            return Skipped(path, f"not a text format ({extension or 'no extension'}){hint}")
        if file_of(path) != path:
            return Skipped(path, "named as a sheet of a workbook is: rename its folder", fault=True)
        status = entry.stat(follow_symlinks=False)
        if status.st_size > self.rules.max_file_bytes:
            return Skipped(path, too_large(self.rules.max_file_bytes, status.st_size), fault=True)
        return SourceFile(
            path.lower() if format1 else path,
            self.root,
            directory.name + entry.name,
            status.st_size,
            status.st_mtime_ns,
        )

    def _note_use(self, name: bytes, last: bytes, is_dir: bool) -> None:
        """Strike the patterns that match off the list of those that match nothing."""
        if not self._unused:
            return
        for reason in [reason for reason, one in self._unused.items() if one.match(name, last, is_dir)]:
            del self._unused[reason]


@contextmanager
def _rules_read() -> Iterator[None]:
    """Tell of an ignore file, on the way to where a walk begins, that cannot be read."""
    try:
        yield
    except UnreadableRules as error:
        raise IoError(f"{error.file}: {error.why}, so what it keeps out is not known") from None


def id_path(name: bytes) -> str:
    """Return a path as ids are: UTF-8 and NFC; bytes that are not UTF-8 are spelled `\\xe9`."""
    text = name.decode("utf-8", "backslashreplace")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def too_large(limit: int, size: int | None = None) -> str:
    """Return the rule for a file above the limit."""
    return f"larger than {limit} bytes" + (f" ({size})" if size else "")


def _is_cache(root: bytes, folder: bytes) -> bool:
    """Whether a cache of either format lies here, such as the one that is being rebuilt."""
    name = folder + b"/manifest.json"
    try:
        return not is_missing(root, name) and read(root, name, len(MANIFEST_START)) == MANIFEST_START
    except OSError:
        return False


def _kind(entry: Entry) -> str:
    """Name what is neither a folder nor a regular file."""
    if entry.is_symlink():
        return "symbolic link, not followed"
    kind = _KINDS.get(stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode), "unknown kind")
    return f"not a regular file ({kind})"


def _patterns(label: str, texts: Sequence[str]) -> list[tuple[str, Pattern]]:
    """Compile patterns of the user's, each with its reason."""
    parsed = (parse(text.encode("utf-8", "surrogateescape"), number) for number, text in enumerate(texts, 1))
    return [(f"{label} {pattern.text}", pattern) for pattern in parsed if pattern]
