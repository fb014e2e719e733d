"""Where caches lie: in the current project, or in the cache root that the user names (rules C4, C6).

Plain strings and `os.path`: loading pathlib would cost a cold `ctx resolve` several milliseconds.
"""

from __future__ import annotations

import os

from ..cache.manifest import MANIFEST
from ..cache.root import CacheRoot
from ..errors import CacheMissing, CtxError

_MARKS = ("ctx.toml", "pyproject.toml", ".git")
_HOME_OF_CACHES = ".ctx/caches"


def project_root() -> str:
    """The nearest directory from here upwards that holds a mark of a project, else this one."""
    return marked_root() or os.getcwd()


def marked_root() -> str | None:
    """The nearest directory from here upwards that holds a mark of a project, if there is one."""
    directory = os.getcwd()
    while not any(os.path.lexists(f"{directory}/{mark}") for mark in _MARKS):
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
    if os.sep in name or "/" in name or "\0" in name or os.path.lexists(f"{name}/{MANIFEST}"):
        return name
    known = os.path.join(project_caches(), name)
    return known if os.path.isdir(known) else _configured(name) or name


def _configured(name: str) -> str | None:
    """The place of the cache that the project's configuration calls `name`. Raises `CacheMissing`."""
    if not any(os.path.isfile(f"{project_root()}/{file}") for file in ("ctx.toml", "pyproject.toml")):
        return None
    from ..project.project import find_project  # pydantic: only for a name that is nowhere else

    try:
        project = find_project()
    except CtxError:  # a name that was not found is not the moment to complain of a configuration
        return None
    if project is None or name not in project.caches:
        return None
    project.caches[name].require_built()
    return os.path.relpath(project.caches[name].place)
