"""A project: the folder of a configuration, its caches and its query tests.

Every path of a configuration, with its links resolved, must be in the folder of the configuration file. No
key of it runs a program.
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
from ..builder.sources.source_filter import CONFIGURATION, Rules
from ..errors import UsageError
from ..resolver.cache import open_cache
from ..safeio import exists, is_file, translate_oserror
from ..tomlio import read_table
from .caches import CACHES, HOME, ProjectCache
from .config import CacheSection, Configuration
from .toml_file import ConfigurationError, ConfigurationFault, TomlFile, display_path

if TYPE_CHECKING:
    from ..resolver.cache import Cache
    from ..resolver.query_tests import QueryTest

NAME = CONFIGURATION
PYPROJECT = "pyproject.toml"
SECTION = ("tool", "ctx")


class Project:
    """A configuration with its paths resolved."""

    def __init__(self, toml: TomlFile) -> None:
        """Read a configuration. Raises `ConfigurationError` with every fault."""
        self.file = toml.path
        self.section = toml.section
        self.root = toml.path.parent.resolve()
        configuration = toml.read_as(Configuration)
        self.caches: dict[str, ProjectCache] = {}
        """By name, in the order of the file."""
        faults: list[ConfigurationFault] = []
        for name, section in configuration.caches.items():
            self._add(name, section, toml, faults)
        faults += self._shared_directories(toml)
        if faults:
            raise ConfigurationError(toml.name, faults)
        lines = toml.table_lines("tests", len(configuration.tests))
        self.tests: list[QueryTest] = [
            section.test(line) for section, line in zip(configuration.tests, lines, strict=True)
        ]
        """In the order of the file; that a cache does not exist is reported when the test is run."""

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

    def select(self, names: list[str]) -> list[ProjectCache]:
        """The caches of some names; all caches for no names. Raises `UsageError`."""
        return [self.cache(name) for name in names] if names else list(self.caches.values())

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, self.caches, n=1)
        names = ", ".join(self.caches) or "none"
        return f"there is no cache {name!a}; " + (
            f"did you mean {near[0]}?" if near else f"those described: {names}"
        )

    def _add(
        self, name: str, section: CacheSection, toml: TomlFile, faults: list[ConfigurationFault]
    ) -> None:
        """Add a cache, unless one of its paths is at fault; faults are appended to `faults`."""
        before = len(faults)
        folders: tuple[str, ...] = ()
        try:
            if isinstance(section.sources, list):
                folders = _folders(self.root, section.sources)
                sources = self.root
            else:
                sources = resolve_inside(self.root, section.sources)
        except ValueError as error:
            faults.append(toml.fault(str(error), "caches", name, "sources"))
        try:
            directory = resolve_inside(self.root, section.cache or f"{CACHES}/{name}")
        except ValueError as error:
            faults.append(toml.fault(str(error), "caches", name, "cache"))
        if len(faults) > before:
            return
        cache = ProjectCache(
            name=name,
            root=self.root,
            sources=sources,
            directory=directory,
            config=_config(section, folders),
            strict=section.strict,
            configured_at=partial(toml.where, "caches", name, "sources"),
        )
        if self._overlaps_sources(cache):
            problem = "a cache and its sources may not lie in each other"
            faults.append(toml.fault(problem, "caches", name, "cache"))
        self.caches[name] = cache

    def _overlaps_sources(self, cache: ProjectCache) -> bool:
        """Whether a cache and its sources lie in each other; a cache may lie in a `.ctx` in its sources."""
        directory = cache.directory
        is_home = directory.is_relative_to(self.root / HOME)
        return directory == self.root or any(
            folder.is_relative_to(directory) or (directory.is_relative_to(folder) and not is_home)
            for folder in cache.folders
        )

    def _shared_directories(self, toml: TomlFile) -> list[ConfigurationFault]:
        """A fault for each cache with the directory of another one."""
        faults: list[ConfigurationFault] = []
        owners: dict[Path, str] = {}
        for name, cache in self.caches.items():
            owner = owners.setdefault(cache.directory, name)
            if owner != name:
                faults.append(toml.fault(f"goes where {owner} goes", "caches", name, "cache"))
        return faults


def _folders(root: Path, names: list[str]) -> tuple[str, ...]:
    """Several source folders as paths below the project. Raises `ValueError` naming an invalid one."""
    folders = [posixpath.normpath(name) for name in names]
    for name, folder in zip(names, folders, strict=True):
        directory = resolve_inside(root, name)
        if folder == ".":
            raise ValueError(f'{name!a} is the whole project; write sources = "."')
        if directory != root / folder:
            raise ValueError(f"{name!a} is, or leads through, a link; name the folder itself")
    for pair in combinations(folders, 2):
        first, second = sorted(pair, key=len)
        if second == first or second.startswith(f"{first}/"):
            raise ValueError(f"{first!a} and {second!a} lie in each other; name each document once")
    return tuple(folders)


def resolve_inside(root: Path, name: str) -> Path:
    """The real path of a directory of the project at `root`, which need not exist.

    Raises `ValueError` if it is outside the project, or a loop of links.
    """
    directory = Path(os.path.realpath(root / name))  # for a loop, `resolve` differs between Python versions
    try:
        directory.stat()
    except OSError as error:
        if error.errno == ELOOP:
            raise ValueError(f"{name!a} is a link that leads back to itself; remove it") from None
    if Path(name).is_absolute() or not directory.is_relative_to(root):
        raise ValueError(f"{name!a} lies outside the project; name a folder in it")
    return directory


def load_project(file: Path) -> Project:
    """The project of a configuration file. Raises `ConfigurationError`, `IoError`."""
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
    """The project of `start`, as `find_project` finds it. Raises `UsageError` if there is none."""
    project = find_project(start)
    if project is None:
        raise UsageError(f"there is no {NAME} here or in a folder above; `ctx init` writes one")
    return project


def is_configured(path: Path) -> bool:
    """Whether a `pyproject.toml` has our table; False for one that is not TOML. Raises `OSError`."""
    try:
        return is_file(path) and read_table(path, SECTION) is not None
    except (FileNotFoundError, ValueError):  # gone since
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
