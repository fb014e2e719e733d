"""The facts of a project's directories, read on demand, and the fields of a new context, lean or full."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..model import SCHEMA_VERSION, ScopeError
from .dependencies import ImportMap, declared_packages, read_manifests
from .prose import first_sentence
from .summary import Summary, project_fields, read_facts, structure, summarize, test_target
from .tree_worker import TreeReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Scan, ScopeDirectory, ScopeProject
    from .dependencies import PackageManifest
    from .python import Export, FileFacts

_MANIFEST_FILES = ("pyproject.toml", "package.json", "Cargo.toml", "go.mod")


class DirectoryFacts(NamedTuple):
    """The facts of one directory."""

    directory: ScopeDirectory
    files: dict[str, FileFacts]
    """The facts of its sources and manifests, by name, sorted."""
    manifests: tuple[PackageManifest, ...]


class Survey:
    """The facts and summaries of directories; each directory is read once, on demand."""

    def __init__(self, project: ScopeProject, scan: Scan) -> None:
        """`scan` is that of the project; nothing else is read yet."""
        self.project = project
        self.directories = {item.scope: item for item in scan.all if item.has_sources or item.scope == "."}
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
        """The child directories that have sources or lead to some, sorted."""
        listing = self.directories[scope].listing
        below = [name if scope == "." else f"{scope}/{name}" for name in listing.folders]
        return [item for item in below if item in self.directories]

    def summary(self, scope: str) -> Summary:
        """The summary of a directory: that of its valid context, else a derived one."""
        if scope not in self._summaries:
            written = self._context_summary(scope)
            stated = Summary(written, is_stated=True) if written else None
            self._summaries[scope] = stated or self.derived_summary(scope)
        return self._summaries[scope]

    def derived_summary(self, scope: str) -> Summary:
        """The summary derived from the sources of a directory and of its descendants."""
        leading = [self._first_with_sources(child) for child in self.children(scope)]
        summaries = {posixpath.relpath(child, scope): self.summary(child) for child in leading}
        below = {name: summary.text if summary.is_stated else "" for name, summary in summaries.items()}
        return summarize(self.facts(scope), below)

    def _first_with_sources(self, scope: str) -> str:
        """The first directory in a chain of folders (`src/main/java`) with sources or several children."""
        while not (self.directories[scope].listing.sources or scope in self.manifests):
            children = self.children(scope)
            if len(children) != 1:
                break
            [scope] = children
        return scope

    def _context_summary(self, scope: str) -> str:
        directory = self.directories[scope]
        if not directory.listing.has_context:
            return ""
        try:
            return self.project.read(directory.path, scope).summary
        except ScopeError:
            return ""

    @cached_property
    def manifests(self) -> dict[str, tuple[PackageManifest, ...]]:
        """The manifests of the directories that have any."""
        by_scope = {
            scope: read_manifests(item.path, self._names(scope)) for scope, item in self.directories.items()
        }
        return {scope: manifests for scope, manifests in by_scope.items() if manifests}

    @cached_property
    def import_map(self) -> ImportMap:
        """The map that resolves imports."""
        files = {scope: self._names(scope) for scope in self.directories}
        return ImportMap(posixpath.basename(self.project.real_root), files, self.manifests)

    @cached_property
    def test_files(self) -> dict[str, str]:
        """The path of a test file by the name of the file that it tests, if both names are unique."""
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
        """The other directories of the project that the files of a directory import, sorted."""
        items = [item for facts in self.facts(scope).files.values() for item in facts.imports]
        targets = {self.import_map.internal(scope, item) for item in items}
        return sorted(target for target in targets if target is not None and target != scope)

    def external_dependencies(self, scope: str) -> list[str]:
        """The packages that its own manifests declare; else those of the nearest manifest that it imports."""
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
        return declared_packages(items, declared)

    def _names(self, scope: str) -> tuple[str, ...]:
        return tuple(file.name for file in self.directories[scope].listing.files if not file.ignored)


MAINTENANCE = (
    "When a change makes this file untrue, correct it, then run `ctx scope rehash {scope}`. "
    "Decisions, constraints and other fields may be added by hand. Keep secrets out of it."
)

NO_SUMMARY = "Nothing here says what this directory is for: say it."
"""The summary of a context for which none could be derived, as the schema demands one."""

_TEST_FILE = re.compile(r"(?:^|[._-])(?:tests?|spec|conftest)(?=[._-]|\Z)|Tests?\.java\Z", re.IGNORECASE)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures)(?:/|\Z)", re.IGNORECASE)
_CONFIGURATION = re.compile(
    r"\.(?:toml|ini|cfg|ya?ml)\Z|(?:^|\.)(?:config|rc)\.(?:js|ts|mjs|cjs|json)\Z|^tsconfig.*\.json\Z"
)
_MOST_SIGNATURES = 120
_MOST_NAMES = 200


def derive(survey: Survey, scope: str, *, full: bool) -> dict[str, Any]:
    """The fields that can be derived for a directory, in no order, without empty ones.

    A lean context has summary, subdirectories, exports, internal dependencies; at the root also project,
    structure and external dependencies. A full one has all fields.
    """
    facts = survey.facts(scope)
    fields: dict[str, Any] = {
        "summary": survey.derived_summary(scope).text,
        "subdirectories": _subdirectories(survey, scope),
    }
    fields["exports"] = _exports(facts, full=full)
    needs = {"internal": survey.internal_dependencies(scope)}
    if full or scope in survey.manifests:
        needs["external"] = survey.external_dependencies(scope)
    fields["dependencies"] = {name: values for name, values in needs.items() if values}
    if scope == ".":
        fields |= {"project": project_fields(survey), "structure": structure(survey)}
    if full:
        fields |= _full(survey, facts)
    return {name: value for name, value in fields.items() if value}


def context_fields(derived: dict[str, Any], *, scope: str, fingerprint: str, date: str) -> dict[str, Any]:
    """The fields of a whole context: the derived ones, the metadata, and the names of the derived fields."""
    fields: dict[str, Any] = {
        "version": SCHEMA_VERSION,
        "scope": scope,
        "fingerprint": fingerprint,
        "last_updated": date,
        **derived,
    }
    paths = [path for name, value in fields.items() for path in _paths(name, value)]
    fields.setdefault("summary", NO_SUMMARY)
    fields["maintenance"] = MAINTENANCE.format(scope=_quoted(scope))
    fields["derived_fields"] = paths
    return fields


def _paths(name: str, value: object) -> list[str]:
    """The names in `derived_fields`: those of the field, or of the parts of `dependencies`."""
    return (
        [f"{name}.{key}" for key in value] if name == "dependencies" and isinstance(value, dict) else [name]
    )


def _quoted(scope: str) -> str:
    """A scope quoted as an argument of a shell, with `./` if it would be taken for an option."""
    scope = f"./{scope}" if scope.startswith("-") else scope
    return scope if re.fullmatch(r"[\w./@%+=:,-]+", scope) else "'" + scope.replace("'", "'\\''") + "'"


def _subdirectories(survey: Survey, scope: str) -> list[dict[str, str]]:
    described = ((posixpath.basename(child), survey.summary(child).text) for child in survey.children(scope))
    return [
        {"name": f"{name}/", "summary": first_sentence(summary)} for name, summary in described if summary
    ]


def _exports(facts: DirectoryFacts, *, full: bool) -> list[str]:
    """The signatures of the exports: the largest group that fits a context; else their names."""
    face, public, members = _public_exports(facts)
    for offered in ([*public, *members], public, face) if full else (face,):
        signatures = list(dict.fromkeys(export.signature for export in offered))
        if len(signatures) <= _MOST_SIGNATURES:
            return signatures
    names = list(dict.fromkeys(export.name for export in face))
    return names if len(names) <= _MOST_NAMES else []


def _public_exports(facts: DirectoryFacts) -> tuple[list[Export], list[Export], list[Export]]:
    """(exports of the package, all public names, public methods) of the files other than tests.

    The exports of the package are the names in its `__all__`, else the public names of its public modules.
    """
    if _TEST_FOLDER.search(facts.directory.scope):
        return [], [], []
    sources = {name: file for name, file in facts.files.items() if not _TEST_FILE.search(name)}
    init = facts.files.get("__init__.py")
    declared = frozenset(init.public or ()) if init else frozenset()
    public = [export for file in sources.values() for export in file.exports]
    members = [member for file in sources.values() for member in file.members]
    if declared:
        return [export for export in public if export.name in declared], public, members
    open_files = [file for name, file in sources.items() if not name.startswith("_") or name == "__init__.py"]
    return [export for file in open_files for export in file.exports], public, members


def _full(survey: Survey, facts: DirectoryFacts) -> dict[str, Any]:
    """The fields that only a full context has."""
    commands = {name: target for manifest in facts.manifests for name, target in manifest.commands}
    environment = {
        name
        for file, facts_of_file in facts.files.items()
        if not _TEST_FILE.search(file)
        for name in facts_of_file.environment
    }
    return {
        "files": list(_files(survey, facts)),
        "interfaces": [
            {"name": name, "description": f"Command; runs {target}" if target else "Command"}
            for name, target in sorted(commands.items())
        ],
        "environment": sorted(environment),
        "testing": [text for manifest in facts.manifests for text in manifest.testing],
        "config": [name for name in facts.files if _CONFIGURATION.search(name)],
    }


def _files(survey: Survey, facts: DirectoryFacts) -> Iterator[dict[str, str]]:
    """The files with a known purpose, each with its test file if there is one."""
    for name, file in facts.files.items():
        if file.purpose:
            entry = {"name": name, "purpose": file.purpose}
            test = survey.test_files.get(name) if not _TEST_FILE.search(name) else None
            yield entry | ({"test_file": test} if test else {})
