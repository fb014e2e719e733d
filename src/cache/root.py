"""A cache root: the directory whose caches may be named, and nothing outside of it (rules C4, C6).

A name is judged by where it leads once every symlink is followed, component by component,
never by its letters: `v1..v2` is a fine name, `..` is not, and a link may stay inside.
"""

from __future__ import annotations

import os

from ..errors import CacheMissing, IoError
from .files import LEADS_NOWHERE, require_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard


class CacheRoot:
    """The directory of caches that a server or a command was given."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """`path` is made absolute now; whether there is a directory is judged at each use."""
        self.path = os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - pathlib is slow to load

    def locate(self, name: object) -> str:
        """The real path of the directory that `name` means.

        Raises `CacheMissing` where that is no directory inside the root, `IoError` where
        the system will not say.
        """
        if not is_name(name):
            said = name[:200] if isinstance(name, str) else type(name).__name__
            raise CacheMissing(f"{said!r}: cannot name a cache")
        root, found = _real(self.path), _real(os.path.join(self.path, name))  # noqa: PTH118 - as above
        if found != root and not found.startswith(root.rstrip(os.sep) + os.sep):
            raise CacheMissing(f"{name}: not inside the cache root {self.path}")
        require_directory(found)
        return found

    def locate_root(self, name: object) -> tuple[str, str]:
        """Where to list caches for `name`, and where that is below the root (empty for the root itself)."""
        found = self.locate(name)
        below = os.path.relpath(found, _real(self.path))
        return found, "" if below == os.curdir else below.replace(os.sep, "/")


def is_name(name: object) -> TypeGuard[str]:
    """Whether a value can name a place at all, and does not climb."""
    if not isinstance(name, str) or not name or "\0" in name:
        return False
    if os.pardir in name.replace(os.sep, "/").split("/"):
        return False
    try:
        name.encode()
    except UnicodeEncodeError:  # a lone surrogate: no listing can have shown it
        return False
    return True


def _real(path: str) -> str:
    """`path` with every symlink followed."""
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        if error.errno in LEADS_NOWHERE:
            raise CacheMissing(f"{path}: there is no cache; `ctx list` shows those of a directory") from None
        raise IoError(f"{path}: {error.strerror}") from None
