"""The fields of a new context, lean or full."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any

from ..model import SCHEMA_VERSION
from .prose import first_sentence
from .summary import project_fields, structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .python import Export
    from .survey import DirectoryFacts, Survey

MAINTENANCE = (
    "When a change makes this file untrue, correct it, then run `ctx scope rehash {scope}`. "
    "Decisions, constraints and other fields may be added by hand. Keep secrets out of it."
)

NO_SUMMARY = "Nothing here says what this directory is for: say it."
"""Stands where the schema wants a summary and none could be derived."""

_TEST_FILE = re.compile(r"(?:^|[._-])(?:tests?|spec|conftest)(?=[._-]|\Z)|Tests?\.java\Z", re.IGNORECASE)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures)(?:/|\Z)", re.IGNORECASE)
_CONFIGURATION = re.compile(
    r"\.(?:toml|ini|cfg|ya?ml)\Z|(?:^|\.)(?:config|rc)\.(?:js|ts|mjs|cjs|json)\Z|^tsconfig.*\.json\Z"
)
_MOST_SIGNATURES = 120
_MOST_NAMES = 200


def derive(survey: Survey, scope: str, *, full: bool) -> dict[str, Any]:
    """The fields that can be derived for a directory, in no order; an empty one is left out.

    Lean: summary, subdirectories, exports, internal dependencies; at the root also project,
    structure and external dependencies. Full: everything.
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
    """A whole context: what was derived, the metadata, and which fields were derived."""
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
    """`dependencies.internal` for what may be derived in part, else the name of the field."""
    return (
        [f"{name}.{key}" for key in value] if name == "dependencies" and isinstance(value, dict) else [name]
    )


def _quoted(scope: str) -> str:
    """A scope as an argument of a shell, and never as an option."""
    scope = f"./{scope}" if scope.startswith("-") else scope
    return scope if re.fullmatch(r"[\w./@%+=:,-]+", scope) else "'" + scope.replace("'", "'\\''") + "'"


def _subdirectories(survey: Survey, scope: str) -> list[dict[str, str]]:
    described = ((posixpath.basename(child), survey.summary(child).text) for child in survey.children(scope))
    return [
        {"name": f"{name}/", "summary": first_sentence(summary)} for name, summary in described if summary
    ]


def _exports(facts: DirectoryFacts, *, full: bool) -> list[str]:
    """Signatures of what a directory offers, of as many kinds as a context can hold; else names."""
    face, public, members = _offered(facts)
    for offered in ([*public, *members], public, face) if full else (face,):
        signatures = list(dict.fromkeys(export.signature for export in offered))
        if len(signatures) <= _MOST_SIGNATURES:
            return signatures
    names = list(dict.fromkeys(export.name for export in face))
    return names if len(names) <= _MOST_NAMES else []


def _offered(facts: DirectoryFacts) -> tuple[list[Export], list[Export], list[Export]]:
    """What files other than tests export: the face of the package, all that is public, public methods.

    The face is what the package declares (`__all__`), else all that is public in modules that are.
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
    """What only a full context has."""
    commands = {name: target for manifest in facts.manifests for name, target in manifest.commands}
    environment = {
        name
        for file, known in facts.files.items()
        if not _TEST_FILE.search(file)
        for name in known.environment
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
    """The files whose purpose is known, with the test file that mirrors their name."""
    for name, file in facts.files.items():
        if file.purpose:
            entry = {"name": name, "purpose": file.purpose}
            test = survey.test_files.get(name) if not _TEST_FILE.search(name) else None
            yield entry | ({"test_file": test} if test else {})
