"""The contexts of a project's directories, as the list of them shows."""

from __future__ import annotations

from dataclasses import dataclass

from ..scopes.project import Project
from ..scopes.queries import list_contexts, query_context
from .pieces import Piece, padded, short_id, shown

ROLES = {"fresh": "good", "stale": "warn", "missing": "dim"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """A directory and the state of its context."""

    name: str
    state: str
    """`fresh`, `stale` or `missing`."""


def read_scopes(project: str) -> tuple[Scope, ...]:
    """The scopes of a project that has at least one context; none otherwise."""
    data = list_contexts(Project(project)).data
    if not data["tracked"]:
        return ()
    return tuple(Scope(name=entry["scope"], state=entry["state"]) for entry in data["entries"])


def read_scope(project: str, name: str) -> str:
    """What an agent gets for a scope: the exact text."""
    return query_context(Project(project), name).to_json()


def scope_line(scope: Scope, width: int) -> list[Piece]:
    """One scope."""
    room = max(4, width - 11)
    return [
        (f"  {padded(short_id(scope.name, room), room)} ", ""),
        (f"{shown(scope.state):>7} ", ROLES.get(scope.state, "")),
    ]
