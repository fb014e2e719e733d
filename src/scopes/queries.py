"""The three questions about contexts, with the exact answers of their contract (rules C13 to C17)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import CtxError
from .errors import ContextMissing, ScopeError
from .freshness import freshness
from .model import FILTERABLE, METADATA
from .scan import Directory, scan
from .uncollected import uncollected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .project import Project


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a tool answers: the object, in the order of its keys, and whether it is an error."""

    data: dict[str, Any]
    is_error: bool

    def to_json(self) -> str:
        """Indented by two spaces, non-ASCII unescaped, no newline at the end (rule C13)."""
        text = json.dumps(self.data, indent=2, ensure_ascii=False)
        return text.encode("utf-8", "replace").decode()  # a lone surrogate in `scope` has no UTF-8 form


def query_context(project: Project, scope: str, filter: Iterable[str] | None = None) -> Answer:  # noqa: A002 - its name
    """The context of a scope, or the fields of it that `filter` names.

    A filter without names is no filter; names that are no filterable field select nothing.
    """
    try:
        context = project.context(project.locate(scope), scope)
    except ScopeError as error:
        return Answer(data={"found": False, "scope": scope, "error": str(error)}, is_error=True)
    wanted = frozenset(filter or ())
    only = frozenset(METADATA) | wanted.intersection(FILTERABLE) if wanted else None
    return Answer(data={"found": True, "scope": scope, "context": context.as_dict(only)}, is_error=False)


def check_freshness(project: Project, scope: str) -> Answer:
    """Whether the context of a scope is fresh, stale (no error) or missing (an error)."""
    try:
        directory = project.locate(scope)
        context = project.context(directory, scope)
        listing = project.listing(directory)
    except (ScopeError, OSError) as error:
        text = str(error if isinstance(error, ScopeError) else ContextMissing(scope))  # it vanished meanwhile
        return Answer(data={"scope": scope, "state": "missing", "error": text}, is_error=True)
    found = freshness(context.fingerprint, directory, listing, project.hashes)
    data = {
        "scope": scope,
        "state": found.state,
        "fingerprint": {"stored": context.fingerprint, "computed": found.computed},
        "last_updated": context.last_updated,
    }
    return Answer(data=data, is_error=False)


@uncollected()
def list_contexts(project: Project) -> Answer:
    """Every scope of the project with its state."""
    data: dict[str, Any] = {
        "root": project.root,
        "total_directories": 0,
        "skipped_directories": 0,
        "tracked": 0,
        "entries": [],
    }
    try:
        found = scan(project)
    except (OSError, ValueError, CtxError):
        data["error"] = f'Failed to scan project at "{project.root}"'
        return Answer(data=data, is_error=True)
    entries = [_entry(project, directory) for directory in found.eligible]
    data["total_directories"] = len(entries)
    data["skipped_directories"] = found.skipped
    data["tracked"] = sum(entry["has_context"] for entry in entries)
    data["entries"] = entries
    return Answer(data=data, is_error=False)


def _entry(project: Project, directory: Directory) -> dict[str, Any]:
    """One scope of the list. A file that cannot be read counts as none, whatever the reason."""
    try:
        if not directory.listing.has_context:
            raise ContextMissing(directory.scope)
        context = project.context(directory.path, directory.scope)
    except ScopeError:
        return {"scope": directory.scope, "state": "missing", "has_context": False}
    found = freshness(context.fingerprint, directory.path, directory.listing, project.hashes)
    return {
        "scope": directory.scope,
        "state": found.state,
        "has_context": True,
        "last_updated": context.last_updated,
        "summary": context.summary,
    }
