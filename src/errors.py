"""The errors of ctxcache, one tree.

    CtxError                   everything that this package raises on purpose
    ├── OperationError         a cache operation failed; carries one of the six codes
    │   ├── CacheMissing       cache_missing   the path is not a directory
    │   ├── CacheInvalid       cache_invalid   the directory is no cache that this version reads
    │   ├── InvalidQuery       invalid_query
    │   ├── InvalidBudget      invalid_budget
    │   ├── IoError            io_error        the system refused
    │   └── InternalError      internal_error  a fault of this program
    └── UsageError             what was asked for cannot be done as asked

Codes and canonical messages: `context.resolve` specification, *Error Mapping*.
"""

from __future__ import annotations


class CtxError(Exception):
    """The root of all errors; `str()` is one line that names the thing and the remedy."""


class OperationError(CtxError):
    """A failed operation: a stable code and message for programs, a detail for people."""

    code = "internal_error"
    message = "Internal error"

    def __init__(self, detail: str = "") -> None:
        """`detail` may name paths; it goes to people, never to the wire."""
        super().__init__(detail)
        self.detail = detail

    def __str__(self) -> str:
        return self.detail or self.message


class CacheMissing(OperationError):
    """There is no cache at this path."""

    code = "cache_missing"
    message = "Cache does not exist"


REBUILD = "`ctx build SOURCES --cache DIR --force`"
"""What makes a cache anew, whatever is wrong with it and wherever it lies."""


class CacheInvalid(OperationError):
    """There is a directory, but it is not a cache that this version can read."""

    code = "cache_invalid"
    message = "Cache exists but is invalid"


class InvalidQuery(OperationError):
    """The query is not a text that can be processed."""

    code = "invalid_query"
    message = "Query is invalid"


class InvalidBudget(OperationError):
    """The budget is not a whole number from 0 to 2**53 - 1."""

    code = "invalid_budget"
    message = "Budget is invalid"


class IoError(OperationError):
    """The operating system refused to read or write."""

    code = "io_error"
    message = "I/O error occurred"


SCRATCH_CHANGED = "is not what was written: the disk fails, or another program writes there"
"""What is said of a scratch file of a build that holds other bytes when it is read."""


class InternalError(OperationError):
    """This program broke its own rules."""


class UsageError(CtxError):
    """A request that cannot be carried out as asked; the text says what to do instead."""
