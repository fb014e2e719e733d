"""Reading `.context.yaml` files: bytes to a checked model, whatever the bytes are."""

from __future__ import annotations

import codecs
import errno
import math
import os
import stat

from pydantic import ValidationError

from ..yamlio import YamlError, load
from .listing import CONTEXT_NAME
from .model import (
    SCHEMA_VERSION,
    ContextCorrupt,
    ContextFile,
    ContextMissing,
    ScopeOutside,
    UnsupportedVersion,
)

MAX_BYTES = 1 << 19
"""Largest `.context.yaml` that is read; one that describes two thousand files is half of it."""

_NOT_THERE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP))
_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is no field of the schema",
    "string_type": "should be a string (quote it)",
    "tuple_type": "should be a list",
    "model_type": "should be a mapping",
}
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_context(directory: str, scope: str, root: str) -> ContextFile:
    """The context of a directory; `root` is the real path of the project, which no link may leave."""
    return parse_context(read_bytes(directory, scope, root), scope)


def read_bytes(directory: str, scope: str, root: str) -> bytes:
    """The bytes of a directory's `.context.yaml`; a pipe in its place is refused, not waited for."""
    path = f"{directory}/{CONTEXT_NAME}"
    try:
        descriptor = _open(path, scope, root)
    except OSError as error:
        if error.errno in _NOT_THERE:
            raise ContextMissing(scope) from None
        raise ContextCorrupt(scope, (f"cannot be read ({error.strerror})",)) from None
    try:
        return _read_regular(descriptor, scope)
    finally:
        os.close(descriptor)


def _open(path: str, scope: str, root: str) -> int:
    """Open a file; a link in its place is followed only if it stays inside the root."""
    try:
        return os.open(path, _FLAGS | _NO_LINK)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    real = os.path.realpath(path)
    if not is_inside(real, root):
        raise ScopeOutside(scope)
    return os.open(real, _FLAGS | _NO_LINK)


def _read_regular(descriptor: int, scope: str) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise ContextCorrupt(scope, ("is not a regular file",))
    if status.st_size > MAX_BYTES:
        raise ContextCorrupt(scope, (f"is larger than {MAX_BYTES} bytes",))
    return os.read(descriptor, max(status.st_size, 1))


def parse_context(data: bytes, scope: str) -> ContextFile:
    """The model of a file's bytes. The version is judged first: a later one may have other fields."""
    value = _load(data, scope)
    if not isinstance(value, dict):
        raise ContextCorrupt(scope, ("is not a mapping of fields",))
    later = _later_version(value.get("version"))
    if later is not None:
        raise UnsupportedVersion(later)
    try:
        return ContextFile.model_validate(value)
    except ValidationError as error:
        raise ContextCorrupt(scope, _faults(error)) from None


def is_inside(path: str, root: str) -> bool:
    """Whether a real path is the root or lies below it, by components."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _load(data: bytes, scope: str) -> object:
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise ContextCorrupt(scope, (f"is not UTF-8 at byte {error.start}",)) from None
    try:
        return load(text)
    except YamlError as error:
        raise ContextCorrupt(scope, (str(error),)) from None


def _later_version(version: object) -> str | None:
    """A version above the supported one as it is written, None for any other value."""
    if isinstance(version, bool) or not isinstance(version, int | float):
        return None
    if not math.isfinite(version) or version <= SCHEMA_VERSION:
        return None
    return str(int(version)) if version == int(version) else repr(version)


def _faults(error: ValidationError) -> tuple[str, ...]:
    """Every fault of a document in one line each: where, and what."""
    lines = []
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"])
        message = _WORDS.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
        lines.append(f"{where.removeprefix('.')}: {message}" if where else message)
    return tuple(lines)
