"""The project that the caches on the shelf belong to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import CtxError, UsageError

if TYPE_CHECKING:
    from ...project.caches import ProjectCache
    from ...project.project import Project

Stamp = tuple[int, int, int]


class Workshop:
    """A project's configuration, read again whenever it was edited."""

    def __init__(self, file: Path | None) -> None:
        """`file` is the configuration; None where there is none."""
        self.file = file
        self._stamp: Stamp | None = None
        self._project: Project | None = None

    def project(self) -> Project:
        """The project as it is described now. Raises `UsageError` when it is not, `ConfigurationError`."""
        from ...project.project import load_project  # pydantic, for those who author

        if self.file is None:
            raise UsageError("there is no ctx.toml for these caches; `ctx init` writes one")
        stamp = _stamp(self.file)
        if self._project is None or stamp is None or stamp != self._stamp:
            self._project, self._stamp = load_project(self.file), stamp
        return self._project

    def cache_at(self, path: str) -> ProjectCache:
        """What is described of the cache at `path`. Raises `UsageError`, `ConfigurationError`."""
        place = Path(path).resolve()
        for cache in self.project().caches.values():
            if cache.place == place:
                return cache
        raise UsageError(f"no ctx.toml says what {place.name} is built from; describe it in [caches.NAME]")

    @property
    def names(self) -> list[str]:
        """The described caches, in the order of the configuration; none when it cannot be read."""
        try:
            return list(self.project().caches) if self.file is not None else []
        except CtxError:
            return []

    def places(self, root: str) -> dict[str, str]:
        """The described caches by name, each with its place; none when `root` is not the project's own."""
        try:
            project = self.project() if self.file is not None else None
        except CtxError:  # told where somebody rebuilds; a list of caches has no room for it
            return {}
        if project is None or Path(root).resolve() != project.root / ".ctx" / "caches":
            return {}
        return {name: _seen_from(root, cache.place) for name, cache in project.caches.items()}


def _seen_from(root: str, place: Path) -> str:
    """A place below the root as its list names it."""
    try:
        return str(Path(root, place.relative_to(Path(root).resolve())))
    except ValueError:
        return str(place)


def _stamp(file: Path) -> Stamp | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
