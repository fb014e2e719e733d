"""A project: the root that scopes are named from, and what was learned about its files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from .fingerprint import Memo, state_at
from .listing import CONTEXT_NAME, Listing, list_directory, project_rules, read_settings
from .model import ContextMissing, ScopeOutside
from .store import is_inside, read_context

if TYPE_CHECKING:
    from ..builder.sources.gitignore import IgnoreRules
    from .model import ContextFile

_DRIVE = re.compile(r"[A-Za-z]:(?:/|\Z)")
_UNNAMEABLE = re.compile("[\0\ud800-\udfff]")


class Project:
    """Resolved once; safe to use from several threads. The root need not exist: then every answer says so."""

    def __init__(self, root: Path | str, *, min_tokens: int | None = None) -> None:
        """`min_tokens` overrides what the project sets."""
        self.root = os.path.abspath(root)  # noqa: PTH100 - links in the root are kept as given
        self.real_root = os.path.realpath(root)
        self._min_tokens = min_tokens
        self.hashes: Memo[str] = Memo()
        self.contexts: Memo[ContextFile] = Memo()

    @property
    def min_tokens(self) -> int:
        """Tokens of its own below which a directory is no scope. `UsageError` if the settings are wrong."""
        if self._min_tokens is not None:
            return self._min_tokens
        return read_settings(Path(self.real_root)).min_tokens

    def at(self, path: str) -> Project:
        """The project at another path, relative to this one's root; this one if it is the same."""
        other = os.path.abspath(os.path.join(self.root, path))  # noqa: PTH100, PTH118 - as above
        return self if other == self.root else Project(other, min_tokens=self._min_tokens)

    def locate(self, scope: str) -> str:
        """The real path of a scope's directory, which need not exist. `ScopeOutside` if it leads out.

        Backslashes are slashes; `..` may not pass above the root, not even to come back (rule C16).
        """
        slashed = scope.replace("\\", "/")
        if _UNNAMEABLE.search(slashed):
            raise ContextMissing(scope)
        if _DRIVE.match(slashed) or (not slashed.startswith("/") and _climbs_out(slashed)):
            raise ScopeOutside(scope)
        real = os.path.realpath(os.path.join(self.real_root, slashed))  # noqa: PTH118 - the last root wins
        if not is_inside(real, self.real_root):
            raise ScopeOutside(scope)
        return real

    def context(self, directory: str, scope: str) -> ContextFile:
        """The context of a directory inside the project; `ScopeError` says why there is none."""
        path = f"{directory}/{CONTEXT_NAME}"
        state = state_at(path)
        known = self.contexts.get(path, state) if state else None
        if known is not None:
            return known
        context = read_context(directory, scope, self.real_root)
        if state:
            self.contexts.keep(path, state, context)
        return context

    def scope_of(self, directory: str) -> str:
        """The name of a directory inside the project: its path with slashes, `.` for the root."""
        return os.path.relpath(directory, self.real_root).replace(os.sep, "/")

    def rules_at(self, directory: str) -> IgnoreRules:
        """The ignore rules in force in a directory inside the project."""
        rules = project_rules(self.real_root)
        if directory != self.real_root:
            for name in self.scope_of(directory).split("/"):
                rules = rules.enter(os.fsencode(name))
        return rules

    def listing(self, directory: str) -> Listing:
        """What lies directly in a directory inside the project. `OSError` if it cannot be listed."""
        return list_directory(directory, self.rules_at(directory))


def _climbs_out(path: str) -> bool:
    """Whether a relative path is above its start at any point."""
    depth = 0
    for part in path.split("/"):
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False
