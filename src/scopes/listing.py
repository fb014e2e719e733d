"""Listing a directory: its files, folders and context, by the ignore rules and settings of the project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..builder.sources.decode import decode
from ..builder.sources.gitignore import IgnoreRules, PatternList
from ..builder.splitting.formats import FORMATS, TEXT_FORMATS, suffix_of
from ..errors import IoError, UsageError
from ..patterns import parse
from ..safeio import has_utf8_form, is_unfinished, is_unreadable, read_bytes
from ..tomlio import own_words, read_table
from .fingerprint import State, state_of
from .model import CONTEXT_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable

_LANGUAGES = {
    "Ada": ".adb .ads", "Assembly": ".asm .s", "Astro": ".astro", "C": ".c .h", "C#": ".cs",
    "C++": ".cc .cpp .cxx .hh .hpp .hxx", "Clojure": ".clj .cljs", "CUDA": ".cu", "D": ".d", "Dart": ".dart",
    "Elixir": ".ex .exs", "Elm": ".elm", "Erlang": ".erl", "F#": ".fs", "Fortran": ".f90", "GDScript": ".gd",
    "Go": ".go", "Groovy": ".gradle .groovy", "Haskell": ".hs", "Java": ".java",
    "JavaScript": ".cjs .js .jsx .mjs", "Julia": ".jl", "Jupyter": ".ipynb", "Kotlin": ".kt .kts",
    "Lisp": ".lisp", "Lua": ".lua", "Nim": ".nim", "Nix": ".nix", "Objective-C": ".m .mm",
    "OCaml": ".ml .mli", "Perl": ".pl .pm", "PHP": ".php", "PowerShell": ".ps1 .psm1",
    "Python": ".py .pyi .pyx", "R": ".r", "Racket": ".rkt", "Ruby": ".rb", "Rust": ".rs", "Scala": ".scala",
    "Scheme": ".scm",
    "shell": ".bash .fish .sh .zsh", "Solidity": ".sol", "SQL": ".sql", "Svelte": ".svelte",
    "Swift": ".swift", "SystemVerilog": ".sv", "Tcl": ".tcl", "Terraform": ".hcl .tf",
    "TypeScript": ".cts .mts .ts .tsx",
    "Verilog": ".v", "VHDL": ".vhd .vhdl", "Vim script": ".vim", "Visual Basic": ".vb", "Vue": ".vue",
    "Zig": ".zig",
}  # fmt: skip

_MARKUP = {
    "CSS": ".css .less .sass .scss .tcss", "GraphQL": ".gql .graphql", "HTML": ".htm .html",
    "INI": ".cfg .ini", "Protocol Buffers": ".proto", "TOML": ".toml", "YAML": ".yaml .yml", "batch": ".bat",
    "CMake": ".cmake", "awk": ".awk",
}  # fmt: skip

_DOCUMENT_FORMATS = {
    "asciidoc": "AsciiDoc", "markdown": "Markdown", "mdx": "Markdown", "org": "Org",
    "rst": "reStructuredText", "text": "text",
}  # fmt: skip
"""The names of the document formats that a build reads."""


def _by_suffix(table: dict[str, str]) -> dict[str, str]:
    return {suffix: name for name, suffixes in table.items() for suffix in suffixes.split()}


LANGUAGES = _by_suffix(_LANGUAGES)
"""Programming language by extension, in lower case."""

DOCUMENTS = {suffix: _DOCUMENT_FORMATS[FORMATS[suffix].kind] for suffix in TEXT_FORMATS} | {".tex": "LaTeX"}
"""Document format by extension, in lower case."""

_SUFFIXES = frozenset(LANGUAGES) | frozenset(DOCUMENTS) | frozenset(_by_suffix(_MARKUP))
_NAMES = frozenset((
    "BUILD", "Containerfile", "Dockerfile", "Gemfile", "Jenkinsfile", "Justfile", "Makefile", "Procfile",
    "Rakefile", "WORKSPACE", "justfile", "makefile",
))  # fmt: skip


def extension_of(name: str) -> str:
    """The suffix of a file name, in lower case."""
    return suffix_of(name).lower()


def is_source(name: str) -> bool:
    """Whether a file is written by people: source, markup, configuration, document; not data (JSON, CSV)."""
    return extension_of(name) in _SUFFIXES or name in _NAMES


MAX_BYTES = 2 << 20
"""The size of the largest file that is read."""


def read_source(path: str) -> str | None:
    """The text of a file; None if it is too large, no text or gone.

    Raises `OSError`, with the path, if the system refuses to read it.
    """
    try:
        data = read_bytes(Path(path), limit=MAX_BYTES)
    except ValueError:
        return None
    except OSError as error:
        if is_unreadable(error):
            raise
        return None
    source = decode(data)
    return None if isinstance(source, str) else source.text


MIN_TOKENS = 4096
"""The default of the least tokens of a scope's own sources (rule C15)."""


class ScopeSettings(BaseModel):
    """The table `[scopes]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    min_tokens: Annotated[int, Field(ge=0)] = MIN_TOKENS


def read_settings(root: Path) -> ScopeSettings:
    """The settings in `ctx.toml`, else those in `pyproject.toml`. Raises `UsageError`, `IoError`."""
    for name, keys in (("ctx.toml", ("scopes",)), ("pyproject.toml", ("tool", "ctx", "scopes"))):
        table = _table(root / name, keys)
        if table is None:
            continue
        try:
            return ScopeSettings.model_validate(table)
        except ValidationError as error:
            fault = error.errors()[0]
            key = ".".join(str(part) for part in (*keys, *fault["loc"]))
            raise UsageError(f"{name}: {key}: {own_words(fault['type'], fault['msg'])}") from None
    return ScopeSettings()


def _table(path: Path, keys: tuple[str, ...]) -> object:
    """The value at a path of keys; None if there is no such file or table. Raises `UsageError`, `IoError`."""
    try:
        return read_table(path, keys)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IoError(f"{path}: {error.strerror}; make it readable: it may set what is a scope") from None
    except ValueError as error:
        raise UsageError(f"{path.name}: cannot be read as TOML ({error})") from None


IGNORE_FILES = (".gitignore", ".contextignore")
"""The names of ignore files; in one directory, the second one takes precedence."""

SKIPPED_FOLDERS = (
    ".*/",  # hidden
    "node_modules/", "bower_components/", "jspm_packages/", "site-packages/", "vendor/", "venv/", "Pods/",
    "build/", "dist/", "target/", "out/", "obj/", "coverage/", "htmlcov/", "__pycache__/", "*.egg-info/",
)  # fmt: skip
"""Hidden, dependency and build folders. An ignore file includes one again with `!build/`."""


class FileInfo(NamedTuple):
    """A regular file of a directory."""

    name: str
    size: int
    mtime_ns: int
    state: State
    ignored: bool
    """Whether an ignore file excludes it."""


class Listing(NamedTuple):
    """The entries of a directory by name: files without `.context.yaml`, folders that no rule skips."""

    files: tuple[FileInfo, ...]
    folders: tuple[str, ...]
    has_context: bool
    sources: tuple[FileInfo, ...]
    """The source files (see `is_source`) that no rule excludes and whose names are UTF-8."""

    @property
    def tokens(self) -> int:
        """The tokens of its sources: their bytes divided by four, rounded up (rule C15)."""
        return -(-sum(file.size for file in self.sources) // 4)


EMPTY = Listing((), (), False, ())


def project_rules(root: str) -> IgnoreRules:
    """The ignore rules in force at the root of a project."""
    defaults = [parse(text.encode(), number) for number, text in enumerate(SKIPPED_FOLDERS, start=1)]
    last = PatternList([(f"skipped by default: {pattern.text}", pattern) for pattern in defaults if pattern])
    return IgnoreRules.at(os.fsencode(root), IGNORE_FILES, last=last)


def read_entries(path: str) -> list[os.DirEntry[str]]:
    """The entries of a directory, in no order. Raises `OSError`."""
    with os.scandir(path) as entries:
        return list(entries)


def list_entries(entries: Iterable[os.DirEntry[str]], rules: IgnoreRules) -> Listing:
    """The listing of a directory, given its entries and the ignore rules in force in it."""
    files, folders, has_context = [], [], False
    for entry in entries:
        name = entry.name
        if name == CONTEXT_NAME:
            has_context = True
        elif not is_counted(name):
            continue
        elif entry.is_file(follow_symlinks=False):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # it was deleted meanwhile
            ignored = is_excluded(rules, name)
            files.append(FileInfo(name, status.st_size, status.st_mtime_ns, state_of(status), ignored))
        elif entry.is_dir(follow_symlinks=False):
            is_skipped = not has_utf8_form(name) or is_excluded(rules, name, is_dir=True)
            folders += [] if is_skipped else [name]
    files.sort()
    written = (file for file in files if not file.ignored and is_source(file.name))
    sources = tuple(file for file in written if has_utf8_form(file.name))
    return Listing(tuple(files), tuple(sorted(folders)), has_context, sources)


def is_counted(name: str) -> bool:
    """Whether a file is part of a fingerprint: no context, and no temporary file of a killed process."""
    return name != CONTEXT_NAME and not is_unfinished(name)


def is_excluded(rules: IgnoreRules, name: str, *, is_dir: bool = False) -> bool:
    """Whether the rules of a directory exclude a file or a folder in it."""
    match = rules.decide(os.fsencode(name), is_dir)
    return match is not None and match.excluded
