"""Why a scope has no readable context; the texts are those of the three tools."""

from __future__ import annotations

from ..errors import CtxError


class ScopeError(CtxError):
    """A scope that cannot be answered; `str()` is the text of the contract."""


class ScopeOutside(ScopeError):
    """The scope leads out of the project."""

    def __str__(self) -> str:
        return "Invalid scope: path traversal detected"


class ContextMissing(ScopeError):
    """There is no `.context.yaml` at the scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope

    def __str__(self) -> str:
        return (
            f'No .context.yaml found at scope "{self.scope}". This scope may be below the min_tokens '
            "threshold; use list_contexts to see eligible scopes."
        )


class UnsupportedVersion(ScopeError):
    """The file asks for a later schema than this program knows."""

    def __init__(self, version: str) -> None:
        super().__init__(version)
        self.version = version

    def __str__(self) -> str:
        return (
            f"Unsupported schema version {self.version} (this tool supports version 1). "
            "Upgrade dotcontext to read this file."
        )


class ContextCorrupt(ScopeError):
    """The file is not YAML, or does not fit the schema; `faults` says where, for people."""

    def __init__(self, scope: str, faults: tuple[str, ...]) -> None:
        super().__init__(scope, faults)
        self.scope = scope
        self.faults = faults

    def __str__(self) -> str:
        return f'Invalid or corrupt .context.yaml at scope "{self.scope}"'
