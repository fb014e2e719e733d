"""What lies in a directory: files, folders, a context, and what the rules of the project leave out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..builder.sources.decode import decode
from ..builder.sources.gitignore import IgnoreRules, PatternList
from ..builder.sources.rules import TEXT_FORMATS
from ..builder.splitting.formats import FORMATS
from ..errors import IoError, UsageError
from ..patterns import parse
from ..safeio import is_unfinished, is_unreadable, read_bytes
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
"""What people call the kinds of text that a build reads."""


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


def suffix_of(name: str) -> str:
    """The extension of a file name, in lower case, with its dot."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def is_source(name: str) -> bool:
    """Whether people write such a file: source, markup, configuration, a document; not data (JSON, CSV)."""
    return suffix_of(name) in _SUFFIXES or name in _NAMES


MAX_BYTES = 2 << 20
"""Larger files are not read: what people write is smaller."""


def read_source(path: str) -> str | None:
    """The text of a file; None if it is too large, is no text or has vanished.

    Raises `OSError`, with the path, where the system refuses to read it.
    """
    try:
        data = read_bytes(Path(path), limit=MAX_BYTES)
    except ValueError:
        return None
    except OSError as error:
        if is_unreadable(error):
            raise OSError(error.errno, error.strerror, path) from None
        return None
    source = decode(data)
    return None if isinstance(source, str) else source.text


MIN_TOKENS = 4096
"""Tokens of its own below which a directory is no scope, by default (rule C15)."""


class ScopeSettings(BaseModel):
    """The table `[scopes]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    min_tokens: Annotated[int, Field(ge=0)] = MIN_TOKENS


def read_settings(root: Path) -> ScopeSettings:
    """The settings of a project: those of `ctx.toml` if it has the table, else those of `pyproject.toml`."""
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
    """The value at `keys`, None if there is no such file or table."""
    try:
        return read_table(path, keys)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise IoError(f"{path}: {error.strerror}; make it readable: it may set what is a scope") from None
    except ValueError as error:
        raise UsageError(f"{path.name}: cannot be read as TOML ({error})") from None


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
    """Those of the files that people write, no rule excludes, and a text can name."""

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
        elif not is_counted(name):
            continue
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
    sources = tuple(file for file in files if not file.ignored and is_source(file.name) and _utf8(file.name))
    return Listing(tuple(files), tuple(sorted(folders)), has_context, sources)


def is_counted(name: str) -> bool:
    """Whether a fingerprint counts a file of this name: neither a context nor a new file that a kill left."""
    return name != CONTEXT_NAME and not is_unfinished(name)


def excluded(rules: IgnoreRules, name: str, *, is_dir: bool = False) -> bool:
    """Whether the rules of a directory exclude a file or a folder in it."""
    ruling = rules.decide(os.fsencode(name), is_dir)
    return ruling is not None and ruling.excluded


def _utf8(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)
