"""A tree of files: a folder of this machine, or one behind a URL that fsspec opens (`s3://bucket/docs`).

A walk lists and reads both through these functions, in whatever process. Behind a URL nothing has a time, and
what a store itself calls a link is none of its files.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager
from importlib import import_module

from ...errors import IoError, UsageError
from ...safeio import is_directory, read_below, read_up_to, translate_oserror
from ...text.display import escape_control

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ...safeio import OpenFolder

MAX_DEPTH = 100
"""Folders below a URL: a store may list a folder in itself, and has no links that tell."""

_URL = re.compile(rb"[a-z][a-z0-9+.-]+://")
_URL_IN_TEXT = re.compile(r"://\S+")
_QUERY = re.compile(r"(?<=\?)\S+")


def is_url(sources: object) -> bool:
    """Whether sources, or the root of a tree, are named by a URL; no usual path begins like one."""
    name = sources.encode("utf-8", "surrogatepass") if isinstance(sources, str) else sources
    return isinstance(name, bytes) and _URL.match(name) is not None


def label_of(sources: str | bytes | os.PathLike[str]) -> str:
    """How messages name sources: a path as it is, a URL without its user, password and query."""
    label = os.fsdecode(sources)
    if not is_url(label):
        return label
    scheme, mark, rest = label.partition("://")
    return escape_control(scheme + _without_secrets(mark + rest))


def _safe_text(text: str) -> str:
    """What is said of a store, in plain characters and without what a URL in it lets in."""
    text = _URL_IN_TEXT.sub(lambda url: _without_secrets(url[0]), text)
    return escape_control(_QUERY.sub("…", text))


def _without_secrets(url: str) -> str:
    """A URL, from its `://` on, without its query and what stands before an `@`, be it with a raw `/`."""
    url, mark, query = url.partition("?")
    if "@" in url:
        url = f"://…@{url.rpartition('@')[2]}"
    elif "@" in query:
        return "://…"
    return url + (mark and "?…")


def root_of(sources: str | os.PathLike[str]) -> bytes:
    """The root of a tree as the functions here take it: a URL without a slash at its end, or a path."""
    if is_url(sources):
        return os.fspath(sources).rstrip("/").encode("utf-8", "surrogateescape")
    return os.fsencode(os.path.abspath(sources))  # noqa: PTH100 - keeps links


def is_folder(root: bytes) -> bool:
    """Whether there is a folder at the root.

    Raises `UsageError` where no URL of this kind can be opened, `IoError` where its store or the system
    does not say.
    """
    if not is_url(root):
        with translate_oserror(os.fsdecode(root)):
            return is_directory(root)
    try:
        with store_failures():
            system, path = opened(root)
            system.invalidate_cache()  # a listing of a minute ago is not what is there
            return bool(system.isdir(path))
    except OSError as error:
        raise IoError(f"{label_of(root)}: {_safe_text(error.strerror or str(error))}") from None


def entries_of(root: bytes, folder: bytes) -> list[Entry]:
    """What is in a folder, `folder` being its path below the root; `OSError` if it cannot be listed."""
    if not is_url(root):
        with os.scandir(os.path.join(root, folder)) as listing:  # noqa: PTH118 - Path does not take bytes
            return list(listing)
    if folder.count(b"/") > MAX_DEPTH:
        raise OSError(errno.ENAMETOOLONG, f"deeper than {MAX_DEPTH} folders")
    with store_failures():
        system, path = opened(root, folder)
        listed = system.ls(path, detail=True)
        return [RemoteEntry(info) for info in listed if str(info["name"]) not in (path, f"{path}/")]


def is_missing(root: bytes, name: bytes) -> bool:
    """Whether a disk has no such file, which is told in a fifth of the time that trying to read it takes."""
    if is_url(root):
        return False
    try:
        os.lstat(os.path.join(root, name))  # noqa: PTH118 - these are bytes
    except FileNotFoundError:
        return True
    except OSError:  # told by whoever reads it
        return False
    return False


def read(root: bytes, name: bytes, limit: int, folder: OpenFolder | None = None) -> bytes:
    """At most `limit` bytes of a file; `OSError` if that cannot be. For many, one `folder` saves time."""
    if not is_url(root):
        return read_below(root, name, limit, folder)
    with store_failures():
        system, path = opened(root, name)
        with system.open(path, "rb") as file:
            return read_up_to(file.read, limit)


def opened(root: bytes, below: bytes = b"") -> tuple[Any, str]:
    """The file system of a URL, which fsspec keeps for each process, and a path in it."""
    url = root.decode("utf-8", "surrogateescape")
    try:
        system, path = import_module("fsspec.core").url_to_fs(url)
    except ModuleNotFoundError:
        raise UsageError(f"{label_of(url)}: needs the extra `url`: pip install 'ctxcache[url]'") from None
    except (ImportError, ValueError) as error:  # fsspec says what to install for this kind of URL
        raise UsageError(f"{label_of(url)}: {_safe_text(str(error))}") from None
    path = path.rstrip("/")
    return system, f"{path}/{below.decode().rstrip('/')}" if below else path


@contextmanager
def store_failures() -> Iterator[None]:
    """Turn what the libraries behind fsspec raise into `OSError`; they do not agree on a class."""
    try:
        yield
    except (OSError, UsageError):
        raise
    except Exception as error:  # of botocore, google, aiohttp …
        raise OSError(errno.EIO, f"{type(error).__name__}: {_safe_text(str(error))}") from error


class RemoteEntry:
    """One name in a folder behind a URL, asked as an `os.DirEntry` is; `info` is what fsspec says of it."""

    def __init__(self, info: dict[str, Any]) -> None:
        """Nothing is asked of the store any more."""
        self.name = _encoded(str(info["name"]).removesuffix("/").rpartition("/")[2])
        self._kind = "link" if info.get("islink") else info["type"]
        self._size = int(info.get("size") or 0)

    def is_dir(self, *, follow_symlinks: bool) -> bool:
        """Whether it is a folder."""
        return self._kind == "directory"

    def is_file(self, *, follow_symlinks: bool) -> bool:
        """Whether it is a file."""
        return self._kind == "file"

    def is_symlink(self) -> bool:
        """Whether it is a link, which some stores have."""
        return self._kind == "link"

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        """Its kind and its size; stores have no common time."""
        mode = {"directory": stat.S_IFDIR, "file": stat.S_IFREG}.get(self._kind, stat.S_IFLNK)
        return os.stat_result((mode, 0, 0, 0, 0, 0, self._size, 0, 0, 0))


def _encoded(name: str) -> bytes:
    """A name as that of a file of a disk; what is no text becomes no UTF-8."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")


Entry = os.DirEntry[bytes] | RemoteEntry
