"""Validating the contexts of a project: their schema, and strictly also the existence of what they name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..safeio import read_bytes, why_unreadable
from .listing import is_source
from .model import ContextCorrupt, ScopeError
from .project import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import ContextFile
    from .project import ScopeDirectory, ScopeProject

_WORD = re.compile(r"\w+")
_BEFORE_CALL = re.compile(r"([\w$.]+)\s*(?:<[^>]*>)?\s*\(")
_MAX_CODE_BYTES = 4 << 20
_KEYWORDS = frozenset((
    "abstract", "async", "class", "const", "def", "default", "enum", "export", "final", "fn", "func",
    "function", "impl", "interface", "let", "mod", "module", "pub", "public", "record", "static", "struct",
    "trait", "type", "unsafe", "var",
))  # fmt: skip
"""The words of signatures, in any language, that are no names."""


class ScopeFault(NamedTuple):
    """A fault of one context."""

    scope: str
    problem: str


def validate(project: ScopeProject, *, strict: bool = False) -> list[ScopeFault]:
    """All faults of all contexts; a scope without a context is no fault.

    Raises `OSError` if the root cannot be listed, `UsageError` if the project's settings are wrong.
    """
    scanned = scan(project)
    faults = [ScopeFault(scope, problem) for scope, problem in scanned.problems().items()]
    for directory in scanned.with_context:
        try:
            context = project.context(directory.path, directory.scope)
        except ContextCorrupt as error:
            faults += [ScopeFault(directory.scope, problem) for problem in error.faults]
        except ScopeError as error:
            faults.append(ScopeFault(directory.scope, str(error)))
        else:
            if strict:
                faults += _missing_faults(project, directory, context)
    return faults


def _missing_faults(
    project: ScopeProject, directory: ScopeDirectory, context: ContextFile
) -> list[ScopeFault]:
    """A fault for each name in a context that does not exist, or one for a file that cannot be read."""
    try:
        problems = list(_missing_names(project, directory, context))
    except OSError as error:
        problems = [f"{Path(error.filename).name}: {why_unreadable(error)}"]
    return [ScopeFault(directory.scope, problem) for problem in problems]


def _missing_names(project: ScopeProject, directory: ScopeDirectory, context: ContextFile) -> Iterator[str]:
    """A message for each name in a context that does not exist. Raises `OSError`."""
    if context.scope != directory.scope:
        yield f"scope: {context.scope!r} stands in {directory.scope!r}"
    here, root = Path(directory.path), Path(project.real_root)
    for number, entry in enumerate(context.files):
        if not (here / entry.name).is_file():
            yield f"files[{number}].name: there is no file {entry.name!r}"
        if entry.test_file and not any((base / entry.test_file).is_file() for base in (here, root)):
            yield f"files[{number}].test_file: there is no file {entry.test_file!r}"
    for number, below in enumerate(context.subdirectories):
        if not (here / below.name).is_dir():
            yield f"subdirectories[{number}].name: there is no directory {below.name!r}"
    for number, part in enumerate(context.structure):
        if not (root / part.path).exists():
            yield f"structure[{number}].path: there is no {part.path!r}"
    yield from _missing_exports(directory, context)


def _missing_exports(directory: ScopeDirectory, context: ContextFile) -> Iterator[str]:
    """A message for each export whose name is a word of no source file of the directory."""
    if not context.exports:
        return
    words: set[str] = set()
    for file in directory.listing.files:
        if is_source(file.name) and file.size <= _MAX_CODE_BYTES:
            words.update(_WORD.findall(_text(f"{directory.path}/{file.name}")))
    for number, signature in enumerate(context.exports):
        name = export_name(signature)
        if name and name not in words:
            yield f"exports[{number}]: nothing here is called {name!r}"


def export_name(signature: str) -> str:
    """The name in a compact signature: `async def load(path) -> X` is `load`, `Reader.next(n)` is `next`."""
    called = [words[-1] for name in _BEFORE_CALL.findall(signature) if (words := _WORD.findall(name))]
    for word in [*called, *_WORD.findall(signature)]:
        if word not in _KEYWORDS:
            return str(word)
    return ""


def _text(path: str) -> str:
    """The text of a file; empty if it is gone or too large now. Raises `OSError` if it cannot be read."""
    try:
        return read_bytes(Path(path), limit=_MAX_CODE_BYTES).decode("utf-8", "replace")
    except (FileNotFoundError, ValueError):
        return ""
