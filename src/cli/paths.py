"""Where caches lie: in the current project, or in the cache root that the user names (rules C4, C6)."""

from __future__ import annotations

import os
from difflib import get_close_matches

from ..cache.catalog import CacheRoot
from ..cache.manifest import MANIFEST
from ..errors import CacheMissing, CtxError, UsageError
from ..safeio import exists, is_directory, is_file, mode_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..project.caches import ProjectCache

_MARKS = ("ctx.toml", "pyproject.toml", ".git")
_HOME_OF_CACHES = ".ctx/caches"
_CONFIGURATIONS: dict[str, tuple[str, ...]] = {"ctx.toml": (), "pyproject.toml": ("tool", "ctx")}
"""Files that may describe caches, and the table of each that does."""


def project_root() -> str:
    """The nearest directory from here upwards that holds a mark of a project, else this one."""
    return marked_root() or os.getcwd()


def marked_root() -> str | None:
    """The nearest directory from here upwards that holds a mark of a project, if there is one.

    Raises `OSError` where the system does not say, as all functions here do.
    """
    directory = os.getcwd()
    while not any(exists(f"{directory}/{mark}") for mark in _MARKS):
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return directory


def project_caches() -> str:
    """The directory of the current project's caches, seen from here, whether it exists or not."""
    return os.path.relpath(os.path.join(project_root(), _HOME_OF_CACHES))


def find_cache(name: str, cache_root: str | None) -> str:
    """The directory that `--cache` means.

    Without a cache root a path of the user's, which is not confined; a bare name that is no
    cache here is looked up among the project's caches: the folder that a cache was built from
    often has its name. Raises `CacheMissing`, also for one that is described and not built yet,
    `IoError`.
    """
    if not name:
        raise CacheMissing("--cache: the name is empty; `ctx list` shows the caches of this project")
    if cache_root is not None:
        return CacheRoot(cache_root).locate(name)
    is_path = name in (".", "..") or os.sep in name or "/" in name or "\0" in name
    if is_path or _is_cache(name):
        return name
    usual = os.path.join(project_caches(), name)
    is_there = is_directory(usual)
    if (not is_there or _is_put_elsewhere(name)) and (directory := _configured(name)):
        return directory
    return usual if is_there else _unknown(name)


def default_cache() -> str:
    """The only cache of the project, described or built.

    Raises `CacheMissing` when there is none, `UsageError` with the names when there are several.
    """
    names = cache_names()
    if not names:
        raise CacheMissing("no caches yet; `ctx build FOLDER` makes one")
    if len(names) > 1:
        raise UsageError(f"which cache? --cache with one of {', '.join(names)}")
    return find_cache(names[0], None)


def cache_names() -> list[str]:
    """The caches of the project in order: those of the configuration, and those in .ctx/caches."""
    try:
        names = {entry.name for entry in os.scandir(project_caches()) if _is_cache(entry.path)}
    except OSError:
        names = set()
    return sorted(names | _described().keys())


def _is_cache(path: str) -> bool:
    return exists(f"{path}/{MANIFEST}")


def _described() -> dict[str, ProjectCache]:
    """The caches that the configuration of the project describes; none if it cannot be read."""
    if not any(is_file(f"{project_root()}/{file}") for file in _CONFIGURATIONS):
        return {}
    from ..project.project import find_project  # pydantic: only where a name is looked for

    try:
        project = find_project()
    except CtxError:  # `ctx status` complains of a configuration
        return {}
    return project.caches if project else {}


def _unknown(name: str) -> str:
    """A name that is nowhere, as it is; with the nearest of the project's caches it is an error."""
    near = get_close_matches(name, cache_names(), n=1)
    if near:
        raise CacheMissing(f"{name}: there is no cache of this name; did you mean {near[0]}?")
    return name


def _configured(name: str) -> str | None:
    """The place of the cache that the project's configuration calls `name`. Raises `CacheMissing`."""
    cache = _described().get(name)
    if cache is None:
        return None
    cache.require_built()
    return os.path.relpath(cache.directory)


def _is_put_elsewhere(name: str) -> bool:
    """Whether the configuration says where a cache lies; read without its model, which takes long to load."""
    root = project_root()
    file = next((file for file in _CONFIGURATIONS if is_file(f"{root}/{file}")), None)
    if file is None:
        return False
    from pathlib import Path

    from ..tomlio import read_table  # only where there is a configuration

    try:
        return read_table(Path(root, file), (*_CONFIGURATIONS[file], "caches", name, "cache")) is not None
    except (OSError, ValueError):  # it says nothing of this cache
        return False


def require_folder(name: str, *others: str) -> None:
    """Raise `UsageError` unless `name` is a folder; with the nearest of its neighbours and of `others`."""
    if is_directory(name):
        return
    if mode_of(name):
        raise UsageError(f"{name}: a file; name the folder that it is in")
    raise UsageError(f"{name}: no such folder{_near(name, others)}")


def require_file(name: str) -> None:
    """Raise `UsageError` unless there is a file, or what can be read like one, of this name."""
    if is_directory(name):
        raise UsageError(f"{name}: a folder; name a file")
    if not mode_of(name):
        raise UsageError(f"{name}: no such file")


def require_folder_of(name: str | None) -> None:
    """Raise `UsageError` unless the folder is there in which a result, if there is to be one, is written."""
    if name is None:
        return
    folder = os.path.dirname(name)
    if is_directory(name):
        raise UsageError(f"{name}: a folder; name a file to write")
    if folder and not is_directory(folder):
        raise UsageError(f"{name}: there is no folder {folder} to write it in; make it first")


def _near(name: str, others: Iterable[str]) -> str:
    """What may be meant by a name, as the end of a sentence."""
    parent, last = os.path.split(os.path.normpath(name))
    try:
        folders = [entry.name for entry in os.scandir(parent or ".") if entry.is_dir()]
    except OSError:
        folders = []
    near = get_close_matches(last, sorted({*folders, *others}), n=1)
    if not near:
        return ""
    return f"; did you mean {near[0] if near[0] in others else os.path.join(parent, near[0])}?"


def told_elsewhere(caches: str, remedy: str, start: str = ".") -> list[str]:
    """A line for each cache that the configuration of `start` puts elsewhere than in the directory `caches`.

    A listing and a server know one directory and nothing outside. `remedy` says how to see such a cache
    there, with `{}` for the directory.
    """
    import shlex
    from pathlib import Path

    from ..project.project import find_project  # pydantic: for people alone

    try:
        project = find_project(Path(start))
    except CtxError:  # `ctx status` complains of a configuration
        return []
    described = project.caches.items() if project else ()
    return [
        f"note: {name} lies in {os.path.relpath(cache.directory)}, not in {os.path.relpath(caches)}; "
        + remedy.format(shlex.quote(os.path.relpath(cache.directory.parent)))
        for name, cache in described
        if cache.directory.parent != Path(caches).resolve()
    ]
