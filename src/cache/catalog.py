"""The caches of a root: listed, inspected and located by name."""

from __future__ import annotations

import os
import stat

from ..errors import CacheMissing, IoError, OperationError
from ..jsonio import JsonResult
from ..safeio import (
    NO_SUCH_FILE_ERRNOS,
    has_utf8_form,
    is_inside,
    mode_of,
    translate_oserror,
)
from .files import read_regular, require_directory
from .manifest import MANIFEST, largest_manifest, parse_object

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, TypeGuard


class Listed:
    """One candidate of a listing."""

    __slots__ = ("has_manifest", "path", "problem")

    def __init__(self, path: str, has_manifest: bool, problem: str = "") -> None:
        """`path` is relative to the cache root; `problem` says why nothing is known of a directory."""
        self.path = path
        self.has_manifest = has_manifest
        self.problem = problem


class CacheList(JsonResult):
    """The directories in a cache root, sorted by the UTF-8 bytes of their paths."""

    def __init__(self, caches: list[Listed], *, directory: str) -> None:
        """`directory` is where they lie."""
        self.caches = caches
        self.directory = directory

    def to_dict(self) -> dict[str, Any]:
        """`{"caches": [{"path", "has_manifest"}]}`."""
        return {"caches": [{"path": c.path, "has_manifest": c.has_manifest} for c in self.caches]}


class Inspection(JsonResult):
    """What a cache says of itself, and whether its structure holds."""

    def __init__(self, cache_version: str, document_count: int, total_bytes: int, valid: bool) -> None:
        """`total_bytes` counts the regular files directly in the directory."""
        self.cache_version = cache_version
        self.document_count = document_count
        self.total_bytes = total_bytes
        self.valid = valid

    def to_dict(self) -> dict[str, Any]:
        """The four fields of the specification, in its order."""
        return {
            "cache_version": self.cache_version,
            "document_count": self.document_count,
            "total_bytes": self.total_bytes,
            "valid": self.valid,
        }


def list_caches(root: str | os.PathLike[str], *, prefix: str = "") -> CacheList:
    """The immediate subdirectories of `root`; symbolic links and names that are not UTF-8 are left out.

    `prefix` is `root` relative to the cache root, when it lies below it. Raises
    `CacheMissing` when `root` is no directory, `IoError` when it cannot be read.
    """
    directory = os.fspath(root)
    require_directory(directory)
    caches = []
    with translate_oserror(directory), os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and has_utf8_form(entry.name):
                path = f"{prefix}/{entry.name}" if prefix else entry.name
                caches.append(_listed(path, entry.path))
    return CacheList(sorted(caches, key=lambda listed: listed.path.encode("utf-8")), directory=directory)


def _listed(path: str, directory: str) -> Listed:
    """A candidate, told apart if we may not look into it. Raises `OSError` when the disk fails."""
    try:
        return Listed(path, has_manifest(directory))
    except PermissionError as error:
        return Listed(path, False, f"cannot be read ({error.strerror})")


def inspect_cache(path: str | os.PathLike[str]) -> Inspection:
    """Identity, size and structural validity of the cache at `path`.

    Any directory has an answer: a manifest that cannot be read makes it invalid, not an
    error. Raises `CacheMissing`, and `IoError` when the directory cannot be read.
    """
    directory = os.fspath(path)
    require_directory(directory)
    total = _total_bytes(directory)
    fields = _manifest_fields(directory)
    version, count = fields.get("cache_version"), fields.get("document_count")
    has_version = type(version) is str and has_utf8_form(version)
    has_count = type(count) is int and count >= 0
    return Inspection(
        cache_version=str(version) if has_version else "",
        document_count=int(count) if has_count and count is not None else 0,
        total_bytes=total or 0,
        valid=has_version and has_count and total is not None,
    )


def _manifest_fields(directory: str) -> dict[str, Any]:
    """The fields of the manifest, none when it is missing or unreadable."""
    path = f"{directory}/{MANIFEST}"
    try:
        return parse_object(read_regular(path, largest=largest_manifest(directory)), at=path)
    except (OSError, OperationError):
        return {}


def _total_bytes(directory: str) -> int | None:
    """The sizes of the regular files directly in the directory, or None when one cannot be read.

    A file that is gone since the directory was listed was replaced by a build: it is listed anew.
    """
    for _ in range(100):  # builds in a row
        with translate_oserror(directory):
            names = os.listdir(directory)  # noqa: PTH208 - pathlib costs a cold start 3 ms
        try:
            statuses = [os.lstat(f"{directory}/{name}") for name in names]
        except FileNotFoundError:
            continue
        except OSError:
            return None
        return sum(status.st_size for status in statuses if stat.S_ISREG(status.st_mode))
    return None


def has_manifest(directory: str) -> bool:
    """Whether a directory holds a manifest. Raises `OSError` when the system does not let us look."""
    return stat.S_ISREG(mode_of(f"{directory}/{MANIFEST}", follows=False))


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
            label = name[:200] if isinstance(name, str) else type(name).__name__
            raise CacheMissing(f"{label!r}: cannot name a cache")
        root, path = _real(self.path), _real(os.path.join(self.path, name))  # noqa: PTH118 - as above
        if not is_inside(path, root):
            raise CacheMissing(f"{name}: not inside the cache root {self.path}")
        require_directory(path)
        return path

    def locate_root(self, name: object) -> tuple[str, str]:
        """Where to list caches for `name`, and where that is below the root (empty for the root itself)."""
        path = self.locate(name)
        below = os.path.relpath(path, _real(self.path))
        return path, "" if below == os.curdir else below.replace(os.sep, "/")


def is_name(name: object) -> TypeGuard[str]:
    """Whether a value can be a path below a root: text without NUL and without `..`."""
    if not isinstance(name, str) or not name or "\0" in name:
        return False
    return os.pardir not in name.replace(os.sep, "/").split("/") and has_utf8_form(name)


def _real(path: str) -> str:
    """`path` with every symlink followed."""
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        if error.errno in NO_SUCH_FILE_ERRNOS:
            raise CacheMissing(f"{path}: there is no cache; `ctx list` shows those of a directory") from None
        raise IoError(f"{path}: {error.strerror}") from None
