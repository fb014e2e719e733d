"""The contexts of a project's directories, as the list of them shows."""

from __future__ import annotations

from dataclasses import dataclass

from .pieces import Piece, padded, short_id, shown

ROLES = {"fresh": "good", "stale": "warn", "missing": "dim"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """A directory and the state of its context."""

    name: str
    state: str
    """`fresh`, `stale` or `missing`."""


def state_lines(state: str, changes: tuple[str, ...], most: int) -> list[list[Piece]]:
    """The state of a scope, and what led to it: so many lines at most."""
    lines: list[list[Piece]] = [[(state, ROLES.get(state, "bad"))]]
    lines += [[(f"  {shown(change)}", "")] for change in changes[:most]]
    more = len(changes) - most
    return [*lines, [(f"  and {more:,} more", "dim")]] if more > 0 else lines


def scope_line(scope: Scope, width: int) -> list[Piece]:
    """One scope."""
    room = max(4, width - 11)
    return [
        (f"  {padded(short_id(scope.name, room), room)} ", ""),
        (f"{shown(scope.state):>7} ", ROLES.get(scope.state, "")),
    ]
