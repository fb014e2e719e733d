"""The contexts of a project's directories, asked of the library."""

from __future__ import annotations

from functools import lru_cache

from ..scopes.project import Project
from ..scopes.queries import list_contexts, query_context, scope_status
from ..scopes.scan import scan
from .scope_lines import Scope

_project = lru_cache(maxsize=4)(Project)
"""With what it remembers of unchanged files."""


def read_scopes(project: str) -> tuple[Scope, ...]:
    """The scopes of a project that has at least one context; none otherwise."""
    data = list_contexts(_project(project)).data
    if not data["tracked"]:
        return ()
    return tuple(Scope(name=entry["scope"], state=entry["state"]) for entry in data["entries"])


def read_scope(project: str, name: str) -> tuple[str, str, tuple[str, ...]]:
    """What an agent gets for a scope, the exact text; its state, and what led to that, a line each."""
    root = _project(project)
    text = query_context(root, name).to_json()
    found = next((directory for directory in scan(root).kept if directory.scope == name), None)
    if found is None:
        return text, "missing", ()
    status = scope_status(root, found)
    return text, status.state, (*status.changes.lines(), *status.reasons)
