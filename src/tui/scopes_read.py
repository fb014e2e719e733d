"""The contexts of a project's directories, asked of the library."""

from __future__ import annotations

from ..scopes.project import Project
from ..scopes.queries import list_contexts, query_context
from .scope_lines import Scope


def read_scopes(project: str) -> tuple[Scope, ...]:
    """The scopes of a project that has at least one context; none otherwise."""
    data = list_contexts(Project(project)).data
    if not data["tracked"]:
        return ()
    return tuple(Scope(name=entry["scope"], state=entry["state"]) for entry in data["entries"])


def read_scope(project: str, name: str) -> str:
    """What an agent gets for a scope: the exact text."""
    return query_context(Project(project), name).to_json()
