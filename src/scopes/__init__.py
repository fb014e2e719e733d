"""Per-directory contexts: finding, reading, checking and writing `.context.yaml` files."""

from __future__ import annotations

from .documents import ScopeDocument, scope_documents
from .errors import ContextCorrupt, ContextMissing, ScopeError, ScopeOutside, UnsupportedVersion
from .init import InitReport, init
from .project import Project
from .queries import Answer, check_freshness, list_contexts, query_context
from .rehash import Rehashed, rehash
from .status import ProjectStatus, ScopeStatus, status
from .validate import Fault, validate

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
