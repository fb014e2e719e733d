"""Finding caches: in the current project, or in the cache root that the user names (rules C4, C6)."""

from __future__ import annotations

import os

from ..cache.catalog import CacheRoot
from ..cache.manifest import MANIFEST
from ..errors import CacheMissing, CtxError, UsageError
from ..safeio import exists, is_directory, is_file, mode_of
from .parser import nearest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from ..project.caches import ProjectCache

_MARKERS = ("ctx.toml", "pyproject.toml", ".git")
"""Names that mark the root of a project."""
_CACHES = ".ctx/caches"
_CONFIGURATIONS: dict[str, tuple[str, ...]] = {"ctx.toml": (), "pyproject.toml": ("tool", "ctx")}
"""The configuration files, and the path to our table in each."""


def project_root() -> str:
    """The root of the current project (see `marked_root`), else the current directory."""
    return marked_root() or os.getcwd()


def marked_root() -> str | None:
    """The nearest directory, from the current one upwards, that has a marker of a project; None without.

    Raises `OSError` where the system does not say, as all functions here do.
    """
    directory = os.getcwd()
    while not any(exists(f"{directory}/{marker}") for marker in _MARKERS):
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return directory


def project_caches() -> str:
    """The directory of the current project's caches as a relative path; it need not exist."""
    return os.path.relpath(os.path.join(project_root(), _CACHES))


def find_cache(name: str, cache_root: str | None) -> str:
    """The directory that `--cache` names.

    With a cache root, `name` is a name in it. Without one it is a path, which may lead anywhere; a bare name
    that is no cache in the current directory is looked up among the caches of the project, because a cache
    often has the name of the folder that it was built from. Raises `CacheMissing`, also for a configured
    cache that is not built yet, `IoError`.
    """
    if not name:
        raise CacheMissing("--cache: the name is empty; `ctx list` shows the caches of this project")
    if cache_root is not None:
        return CacheRoot(cache_root).locate(name)
    is_path = name in (".", "..") or os.sep in name or "/" in name or "\0" in name
    if is_path or _is_cache(name):
        return name
    default = os.path.join(project_caches(), name)
    is_there = is_directory(default)
    if (not is_there or _has_own_directory(name)) and (directory := _configured_directory(name)):
        return directory
    return default if is_there else _unknown(name)


def cache_dir_of(options: Namespace) -> str:
    """The directory of `--cache` and `--cache-root`; without `--cache` that of the project's only cache.

    Raises `CacheMissing` when there is none, `UsageError` with the names when there are several.
    """
    if options.cache is not None:
        return find_cache(options.cache, options.cache_root)
    names = cache_names()
    if not names:
        raise CacheMissing("no caches yet; `ctx build FOLDER` makes one")
    if len(names) > 1:
        raise UsageError(f"which cache? --cache with one of {', '.join(names)}")
    return find_cache(names[0], None)


def cache_names() -> list[str]:
    """The names of the project's caches, sorted: those of the configuration, and those in .ctx/caches.

    Raises `OSError` and `IoError` where the system does not say.
    """
    names = set(_configured_caches())
    if is_directory(directory := project_caches()):
        with os.scandir(directory) as entries:
            names |= {entry.name for entry in entries if _is_cache(entry.path)}
    return sorted(names)


def _is_cache(path: str) -> bool:
    return exists(f"{path}/{MANIFEST}")


def _configured_caches() -> dict[str, ProjectCache]:
    """The configured caches of the project by name; none if the configuration has faults.

    Raises `IoError` where the system does not let it be read.
    """
    if not any(is_file(f"{project_root()}/{file}") for file in _CONFIGURATIONS):
        return {}
    from ..project.project import find_project  # pydantic, which takes long to load

    try:
        project = find_project()
    except UsageError:  # `ctx status` reports it
        return {}
    return project.caches if project else {}


def _unknown(name: str) -> str:
    """`name` itself, as a path; raises `CacheMissing` if a cache of the project has a similar name."""
    if near := nearest(name, cache_names()):
        raise CacheMissing(f"{name}: there is no cache of this name; did you mean {near}?")
    return name


def _configured_directory(name: str) -> str | None:
    """The directory of a configured cache; None if there is none. Raises `CacheMissing` before its build."""
    cache = _configured_caches().get(name)
    if cache is None:
        return None
    cache.require_built()
    return os.path.relpath(cache.directory)


def _has_own_directory(name: str) -> bool:
    """Whether the configuration sets the directory of a cache; read without pydantic, which loads slowly."""
    root = project_root()
    file = next((file for file in _CONFIGURATIONS if is_file(f"{root}/{file}")), None)
    if file is None:
        return False
    from pathlib import Path

    from ..tomlio import read_table  # only where there is a configuration

    try:
        return read_table(Path(root, file), (*_CONFIGURATIONS[file], "caches", name, "cache")) is not None
    except ValueError:  # `ctx status` reports it
        return False


def require_folder(name: str, *others: str) -> None:
    """Raise `UsageError` unless `name` is a folder; suggests a similar folder, or one of `others`."""
    if is_directory(name):
        return
    if mode_of(name):
        raise UsageError(f"{name}: a file; name the folder that it is in")
    raise UsageError(f"{name}: no such folder{_suggestion(name, others)}")


def require_file(name: str) -> None:
    """Raise `UsageError` unless `name` exists and is no folder."""
    if is_directory(name):
        raise UsageError(f"{name}: a folder; name a file")
    if not mode_of(name):
        raise UsageError(f"{name}: no such file")


def require_folder_of(name: str | None) -> None:
    """Raise `UsageError` unless the file `name`, if it is not None, can be written: its folder must exist."""
    if name is None:
        return
    folder = os.path.dirname(name)
    if is_directory(name):
        raise UsageError(f"{name}: a folder; name a file to write")
    if folder and not is_directory(folder):
        raise UsageError(f"{name}: there is no folder {folder} to write it in; make it first")


def _suggestion(name: str, others: Iterable[str]) -> str:
    """`; did you mean X?` for a similar folder beside `name` or one of `others`; empty if there is none."""
    parent, last = os.path.split(os.path.normpath(name))
    try:
        folders = [entry.name for entry in os.scandir(parent or ".") if entry.is_dir()]
    except OSError:
        folders = []
    near = nearest(last, {*folders, *others})
    if not near:
        return ""
    return f"; did you mean {near if near in others else os.path.join(parent, near)}?"


def elsewhere_notes(caches: str, remedy: str, start: str = ".") -> list[str]:
    """A note for each cache that the configuration of `start` puts into another directory than `caches`.

    A listing and a server see one directory only. `remedy` names the command that sees such a cache, with
    `{}` for the directory.
    """
    import shlex
    from pathlib import Path

    from ..project.project import find_project  # pydantic, which takes long to load

    try:
        project = find_project(Path(start))
    except CtxError:  # `ctx status` reports it
        return []
    configured = project.caches.items() if project else ()
    return [
        f"note: {name} lies in {os.path.relpath(cache.directory)}, not in {os.path.relpath(caches)}; "
        + remedy.format(shlex.quote(os.path.relpath(cache.directory.parent)))
        for name, cache in configured
        if cache.directory.parent != Path(caches).resolve()
    ]
