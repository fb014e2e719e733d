"""Compile folders of documents into context caches and select from them within a token budget.

    import ctxcache

    ctxcache.build("docs", "caches/docs")
    cache = ctxcache.open_cache("caches/docs")
    cache.resolve("how do I roll back a deployment", budget=4000)

Every name below is loaded when it is first used: a program that resolves does not pay for
what builds.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .builder.build import build as build
    from .builder.compile import GivenText as GivenText
    from .builder.config import BuildConfig as BuildConfig
    from .builder.report import BuildReport as BuildReport
    from .builder.sources.source_filter import Rules as Rules
    from .builder.verification import Fault as Fault
    from .builder.verification import Verification as Verification
    from .builder.verification import verify as verify
    from .cache.catalog import CacheList as CacheList
    from .cache.catalog import Inspection as Inspection
    from .cache.catalog import inspect_cache as inspect_cache
    from .cache.catalog import list_caches as list_caches
    from .cache.documents import Document as Document
    from .errors import CacheInvalid as CacheInvalid
    from .errors import CacheMissing as CacheMissing
    from .errors import CtxError as CtxError
    from .errors import InternalError as InternalError
    from .errors import InvalidBudget as InvalidBudget
    from .errors import InvalidQuery as InvalidQuery
    from .errors import IoError as IoError
    from .errors import UsageError as UsageError
    from .resolver.cache import Cache as Cache
    from .resolver.cache import explain as explain
    from .resolver.cache import open_cache as open_cache
    from .resolver.cache import resolve as resolve
    from .resolver.compare import Comparison as Comparison
    from .resolver.compare import compare as compare
    from .resolver.explain import Explanation as Explanation
    from .resolver.result import SelectedDocument as SelectedDocument
    from .resolver.result import SelectionResult as SelectionResult

    Explained = Explanation

__version__ = "0.1.0"

_HOMES = {
    "BuildConfig": "builder.config",
    "BuildReport": "builder.report",
    "Cache": "resolver.cache",
    "CacheInvalid": "errors",
    "CacheList": "cache.catalog",
    "CacheMissing": "errors",
    "Comparison": "resolver.compare",
    "CtxError": "errors",
    "Document": "cache.documents",
    "Explanation": "resolver.explain",
    "Fault": "builder.verification",
    "GivenText": "builder.compile",
    "Inspection": "cache.catalog",
    "InternalError": "errors",
    "InvalidBudget": "errors",
    "InvalidQuery": "errors",
    "IoError": "errors",
    "Rules": "builder.sources.source_filter",
    "SelectedDocument": "resolver.result",
    "SelectionResult": "resolver.result",
    "UsageError": "errors",
    "Verification": "builder.verification",
    "build": "builder.build",
    "compare": "resolver.compare",
    "explain": "resolver.cache",
    "inspect_cache": "cache.catalog",
    "list_caches": "cache.catalog",
    "open_cache": "resolver.cache",
    "resolve": "resolver.cache",
    "verify": "builder.verification",
}

_RENAMED = {"Explained": "Explanation"}
"""Names that classes had before, which go on working."""

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name in _RENAMED:
        return __getattr__(_RENAMED[name])
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
