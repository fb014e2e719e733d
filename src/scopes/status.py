"""How the contexts of a project stand, for people and for CI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from .changes import Changes, find_changes
from .errors import ContextCorrupt, ContextMissing, ScopeError
from .freshness import freshness
from .scan import scan
from .uncollected import uncollected

if TYPE_CHECKING:
    from .project import Project
    from .scan import Directory

STATES = ("fresh", "stale", "missing", "invalid")


class ScopeStatus(NamedTuple):
    """One scope."""

    scope: str
    state: str
    """One of `STATES`."""
    summary: str = ""
    last_updated: str = ""
    changes: Changes = Changes()
    """Of a stale scope."""
    reasons: tuple[str, ...] = ()
    """Of an invalid one: what is wrong with its file."""

    def as_dict(self) -> dict[str, Any]:
        """As JSON values; what has no value is left out."""
        values: dict[str, Any] = {"scope": self.scope, "state": self.state}
        for name in ("summary", "last_updated"):
            if getattr(self, name):
                values[name] = getattr(self, name)
        for name in ("added", "changed", "removed"):
            if getattr(self.changes, name):
                values[name] = list(getattr(self.changes, name))
        if self.reasons:
            values["reasons"] = list(self.reasons)
        return values


class ProjectStatus(NamedTuple):
    """All scopes of a project, sorted."""

    scopes: tuple[ScopeStatus, ...]

    @property
    def clean(self) -> bool:
        """Whether every scope has a context that is fresh."""
        return all(scope.state == "fresh" for scope in self.scopes)

    def count(self, state: str) -> int:
        """How many scopes are in a state."""
        return sum(scope.state == state for scope in self.scopes)

    def to_json(self) -> str:
        """The counts and the scopes, indented, with a newline at the end."""
        data: dict[str, Any] = {state: self.count(state) for state in STATES}
        data["scopes"] = [scope.as_dict() for scope in self.scopes]
        text = json.dumps(data, indent=2, ensure_ascii=False)
        return text.encode("utf-8", "replace").decode() + "\n"


@uncollected()
def status(project: Project) -> ProjectStatus:
    """The state of every scope, and of every other context that is there.

    `OSError` if the root cannot be listed, `UsageError` if the project's settings are wrong.
    """
    return ProjectStatus(tuple(scope_status(project, item) for item in scan(project).kept))


def scope_status(project: Project, directory: Directory) -> ScopeStatus:
    """The state of one directory."""
    scope, path, listing = directory.scope, directory.path, directory.listing
    try:
        context = project.context(path, scope)
    except ContextMissing:
        return ScopeStatus(scope, "missing")
    except ScopeError as error:
        reasons = error.faults if isinstance(error, ContextCorrupt) else (str(error),)
        return ScopeStatus(scope, "invalid", reasons=reasons)
    verdict = freshness(context.fingerprint, path, listing, project.hashes)
    changes = Changes() if verdict.fresh else find_changes(path, listing, project.rules_at(path), context)
    return ScopeStatus(scope, verdict.state, context.summary, context.last_updated, changes)
