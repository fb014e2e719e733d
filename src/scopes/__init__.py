"""Per-directory contexts: finding, reading, checking and writing `.context.yaml` files."""

from __future__ import annotations

from .documents import ScopeDocument, scope_documents
from .model import ContextCorrupt, ContextMissing, ScopeError, ScopeOutside, UnsupportedVersion
from .project import Project
from .queries import Answer, ProjectStatus, ScopeStatus, check_freshness, list_contexts, query_context, status
from .validate import Fault, validate
from .write import InitReport, Rehashed, init, rehash

__all__ = [
    "Answer",
    "ContextCorrupt",
    "ContextMissing",
    "Fault",
    "InitReport",
    "Project",
    "ProjectStatus",
    "Rehashed",
    "ScopeDocument",
    "ScopeError",
    "ScopeOutside",
    "ScopeStatus",
    "UnsupportedVersion",
    "check_freshness",
    "init",
    "list_contexts",
    "query_context",
    "rehash",
    "scope_documents",
    "status",
    "validate",
]
