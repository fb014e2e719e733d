"""A project: the folder of a configuration, its caches and its query tests.

A configuration speaks of its project and of nothing outside: what it names is resolved,
links included, and must lie in the folder that holds it. Nothing that it can say runs a
program.
"""

from __future__ import annotations

import os
import posixpath
from difflib import get_close_matches
from errno import ELOOP
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from ..builder.config import BuildConfig
from ..builder.sources.rules import CONFIGURATION, Rules
from ..errors import UsageError
from ..resolver.cache import open_cache
from ..safeio import exists, is_file, translate_oserror
from ..tomlio import read_table
from .caches import CACHES, HOME, ProjectCache
from .config import CacheSection, Configuration
from .toml_file import ConfigurationError, Fault, TomlFile, display_path

if TYPE_CHECKING:
    from ..resolver.cache import Cache
    from ..resolver.query_tests import QueryTest

NAME = CONFIGURATION
PYPROJECT = "pyproject.toml"
SECTION = ("tool", "ctx")


class Project:
    """What a configuration describes."""

    def __init__(self, written: TomlFile) -> None:
        """Read a configuration. Raises `ConfigurationError` with every fault."""
        self.file = written.path
        self.section = written.section
        self.root = written.path.parent.resolve()
        configuration = written.read_as(Configuration)
        self.caches: dict[str, ProjectCache] = {}
        """By name, in the order of the file."""
        faults: list[Fault] = []
        for name, section in configuration.caches.items():
            self._take(name, section, written, faults)
        faults += self._shared_directories(written)
        if faults:
            raise ConfigurationError(written.name, faults)
        lines = written.table_lines("tests", len(configuration.tests))
        self.tests: list[QueryTest] = [
            section.test(line) for section, line in zip(configuration.tests, lines, strict=True)
        ]
        """In the order of the file; running a test reports that its cache does not exist."""

    def cache(self, name: str) -> ProjectCache:
        """The cache of this name. Raises `UsageError` when none is configured."""
        if name in self.caches:
            return self.caches[name]
        raise UsageError(f"{display_path(self.file)}: {self._unknown(name)}")

    def open(self, name: str) -> Cache:
        """Open the cache of this name, whatever its freshness.

        Raises `UsageError` when none is configured, `CacheMissing`, `CacheInvalid`, `IoError`.
        """
        cache = self.cache(name)
        cache.require_built()
        return open_cache(display_path(cache.directory))

    def chosen(self, names: list[str]) -> list[ProjectCache]:
        """The caches of these names, all if there are none. Raises `UsageError`."""
        return [self.cache(name) for name in names] if names else list(self.caches.values())

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, self.caches, n=1)
        known = ", ".join(self.caches) or "none"
        return f"there is no cache {name!a}; " + (
            f"did you mean {near[0]}?" if near else f"those described: {known}"
        )

    def _take(self, name: str, section: CacheSection, written: TomlFile, faults: list[Fault]) -> None:
        before = len(faults)
        folders: tuple[str, ...] = ()
        try:
            if isinstance(section.sources, list):
                folders = _folders(self.root, section.sources)
                sources = self.root
            else:
                sources = inside(self.root, section.sources)
        except ValueError as error:
            faults.append(written.fault(str(error), "caches", name, "sources"))
        try:
            directory = inside(self.root, section.cache or f"{CACHES}/{name}")
        except ValueError as error:
            faults.append(written.fault(str(error), "caches", name, "cache"))
        if len(faults) > before:
            return
        config = _config(section, folders)
        cache = ProjectCache(
            name=name,
            root=self.root,
            sources=sources,
            directory=directory,
            config=config,
            strict=section.strict,
            configured_at=partial(written.where, "caches", name, "sources"),
        )
        own = directory.is_relative_to(self.root / HOME)
        if directory == self.root or any(
            folder.is_relative_to(directory) or (directory.is_relative_to(folder) and not own)
            for folder in cache.folders
        ):
            problem = "a cache and its sources may not lie in each other"
            faults.append(written.fault(problem, "caches", name, "cache"))
        self.caches[name] = cache

    def _shared_directories(self, written: TomlFile) -> list[Fault]:
        """A fault for each cache that goes where another goes."""
        faults: list[Fault] = []
        first: dict[Path, str] = {}
        for name, cache in self.caches.items():
            other = first.setdefault(cache.directory, name)
            if other != name:
                faults.append(written.fault(f"goes where {other} goes", "caches", name, "cache"))
        return faults


def _folders(root: Path, names: list[str]) -> tuple[str, ...]:
    """Several source folders as paths below the project. Raises `ValueError` naming one that cannot be."""
    folders = [posixpath.normpath(name) for name in names]
    for name, folder in zip(names, folders, strict=True):
        directory = inside(root, name)
        if folder == ".":
            raise ValueError(f'{name!a} is the whole project; write sources = "."')
        if directory != root / folder:
            raise ValueError(f"{name!a} is, or leads through, a link; name the folder itself")
    for one, other in combinations(folders, 2):
        first, second = sorted((one, other), key=len)
        if second == first or second.startswith(f"{first}/"):
            raise ValueError(f"{first!a} and {second!a} lie in each other; name each document once")
    return tuple(folders)


def inside(root: Path, name: str) -> Path:
    """The directory that `name` means in the project at `root`.

    Raises `ValueError` when it lies outside, or is nowhere because links lead in a circle.
    """
    directory = Path(os.path.realpath(root / name))  # `resolve` has another answer to a circle in each Python
    try:
        directory.stat()
    except OSError as error:
        if error.errno == ELOOP:
            raise ValueError(f"{name!a} is a link that leads back to itself; remove it") from None
    if Path(name).is_absolute() or not directory.is_relative_to(root):
        raise ValueError(f"{name!a} lies outside the project; name a folder in it")
    return directory


def load_project(file: Path) -> Project:
    """The project of one configuration file. Raises `ConfigurationError`, `IoError`."""
    return Project(TomlFile(file, SECTION if file.name == PYPROJECT else ()))


def find_project(start: Path | None = None) -> Project | None:
    """The project of `start` (the current directory): that of the nearest configuration upwards.

    Raises `ConfigurationError`, `IoError`.
    """
    file = find_configuration(start)
    return None if file is None else load_project(file)


def find_configuration(start: Path | None = None) -> Path | None:
    """The nearest configuration file upwards of `start` (the current directory).

    A repository's root ends the search. Raises `IoError` where the system does not say what is there.
    """
    here = (start or Path()).absolute()
    for folder in (here, *here.parents):
        with translate_oserror(folder):
            if is_file(folder / NAME):
                return folder / NAME
            if is_configured(folder / PYPROJECT):
                return folder / PYPROJECT
            if exists(folder / ".git"):
                break
    return None


def require_project(start: Path | None = None) -> Project:
    """The same. Raises `UsageError` when there is none."""
    project = find_project(start)
    if project is None:
        raise UsageError(f"there is no {NAME} here or in a folder above; `ctx init` writes one")
    return project


def is_configured(path: Path) -> bool:
    """Whether a `pyproject.toml` has our table; one that cannot be read is another tool's to complain of."""
    try:
        return read_table(path, SECTION) is not None
    except (OSError, ValueError):
        return False


def _config(section: CacheSection, folders: tuple[str, ...]) -> BuildConfig:
    return BuildConfig(
        rules=Rules(
            folders=folders,
            include=tuple(section.include),
            exclude=tuple(section.exclude),
            max_file_bytes=section.max_file_bytes,
        ),
        profile=section.profile,
        split=section.split,
        max_tokens=section.max_tokens,
        tokenizer=section.tokenizer,
        unique=section.unique,
        convert=section.convert,
        description=section.description or "",
        synonyms=tuple((word, tuple(others)) for word, others in section.synonyms.items()),
    )
