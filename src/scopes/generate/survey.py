"""Everything that is known of a project's directories before a context is written."""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..model import ScopeError
from .imports import ImportMap, external
from .manifests import read_manifests
from .summary import Summary, read_facts, summarize, test_target
from .tree_worker import TreeReader

if TYPE_CHECKING:
    from ..project import Directory, Project, Scan
    from .manifests import Manifest
    from .python import FileFacts

_MANIFEST_FILES = ("pyproject.toml", "package.json", "Cargo.toml", "go.mod")


class DirectoryFacts(NamedTuple):
    """What is known of one directory."""

    directory: Directory
    files: dict[str, FileFacts]
    """By name, sorted; its sources and the other files with a known purpose."""
    manifests: tuple[Manifest, ...]


class Survey:
    """Reads each directory once, when it is asked for."""

    def __init__(self, project: Project, scan: Scan) -> None:
        self.project = project
        self.directories = {item.scope: item for item in scan.all if item.holds or item.scope == "."}
        self._facts: dict[str, DirectoryFacts] = {}
        self._summaries: dict[str, Summary] = {}
        self._read_tree = TreeReader()

    def facts(self, scope: str) -> DirectoryFacts:
        """The facts of a directory."""
        if scope not in self._facts:
            directory = self.directories[scope]
            names = [file.name for file in directory.listing.sources]
            manifests = [name for name in self._names(scope) if name in _MANIFEST_FILES and name not in names]
            files = {
                name: read_facts(directory.path, name, self._read_tree)
                for name in sorted([*names, *manifests])
            }
            self._facts[scope] = DirectoryFacts(directory, files, self.manifests.get(scope, ()))
        return self._facts[scope]

    def children(self, scope: str) -> list[str]:
        """The directories with sources directly below, sorted."""
        listing = self.directories[scope].listing
        below = [name if scope == "." else f"{scope}/{name}" for name in listing.folders]
        return [item for item in below if item in self.directories]

    def summary(self, scope: str) -> Summary:
        """What a directory is for: as its valid context says, else derived."""
        if scope not in self._summaries:
            written = self._written(scope)
            self._summaries[scope] = Summary(written, said=True) if written else self.derived_summary(scope)
        return self._summaries[scope]

    def derived_summary(self, scope: str) -> Summary:
        """The summary that the sources of a directory and of those below it give."""
        leading = [self._followed(child) for child in self.children(scope)]
        found = {posixpath.relpath(child, scope): self.summary(child) for child in leading}
        below = {name: summary.text if summary.said else "" for name, summary in found.items()}
        return summarize(self.facts(scope), below)

    def _followed(self, scope: str) -> str:
        """A directory, or the first one with sources or a choice below it (`src/main/java`)."""
        while not self._has_own(scope) and len(children := self.children(scope)) == 1:
            scope = children[0]
        return scope

    def _has_own(self, scope: str) -> bool:
        return bool(self.directories[scope].listing.sources) or scope in self.manifests

    def _written(self, scope: str) -> str:
        directory = self.directories[scope]
        if not directory.listing.has_context:
            return ""
        try:
            return self.project.read(directory.path, scope).summary
        except ScopeError:
            return ""

    @cached_property
    def manifests(self) -> dict[str, tuple[Manifest, ...]]:
        """The manifests of the directories that have any."""
        found = {
            scope: read_manifests(item.path, self._names(scope)) for scope, item in self.directories.items()
        }
        return {scope: manifests for scope, manifests in found.items() if manifests}

    @cached_property
    def import_map(self) -> ImportMap:
        """Where imports lead."""
        files = {scope: self._names(scope) for scope in self.directories}
        return ImportMap(posixpath.basename(self.project.real_root), files, self.manifests)

    @cached_property
    def test_files(self) -> dict[str, str]:
        """Path of the test file by the name of the file that it tests, where both are the only ones."""
        tests: dict[str, list[str]] = {}
        names: dict[str, int] = {}
        for scope, directory in self.directories.items():
            for file in directory.listing.sources:
                names[file.name] = names.get(file.name, 0) + 1
                target = test_target(file.name)
                if target:
                    tests.setdefault(target, []).append(posixpath.normpath(f"{scope}/{file.name}"))
        return {name: paths[0] for name, paths in tests.items() if len(paths) == 1 and names.get(name) == 1}

    def internal_dependencies(self, scope: str) -> list[str]:
        """The directories of the project that the files of a directory import, but for itself."""
        items = [item for facts in self.facts(scope).files.values() for item in facts.imports]
        found = {self.import_map.internal(scope, item) for item in items}
        return sorted(target for target in found if target is not None and target != scope)

    def external_dependencies(self, scope: str) -> list[str]:
        """The packages that its own manifests declare, else those of the nearest manifest that it imports."""
        own = self.manifests.get(scope, ())
        if own:
            return sorted({text for manifest in own for text in manifest.dependencies})
        items = [item for facts in self.facts(scope).files.values() for item in facts.imports]
        above = posixpath.dirname(scope)
        while above and above not in self.manifests:
            above = posixpath.dirname(above)
        declared = [
            text for manifest in self.manifests.get(above or ".", ()) for text in manifest.dependencies
        ]
        return external(items, declared)

    def _names(self, scope: str) -> tuple[str, ...]:
        return tuple(file.name for file in self.directories[scope].listing.files if not file.ignored)
