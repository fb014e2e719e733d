"""The cache tools: resolve, list caches, inspect a cache, read a document.

The operations check the values of the arguments, in the order of rule C3, as for every door. The first three
tools have specifications; the fourth is rule C18.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .toolbox import COUNT, FLAG, SHARE, TEXT, Arguments, Reply, Tool, described, list_of, object_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..jsonio import JsonResult
    from .service import RootedCaches


WHY = object_of({"query_terms": list_of(TEXT), "term_matches": COUNT, "total_words": COUNT})
DOCUMENT = object_of(
    {"id": TEXT, "version": TEXT, "content": TEXT, "score": SHARE, "tokens": COUNT, "why": WHY}
)
SELECTION = object_of(
    {
        "query": TEXT,
        "budget": COUNT,
        "tokens_used": COUNT,
        "documents_considered": COUNT,
        "documents_selected": COUNT,
        "documents_excluded_by_budget": COUNT,
    }
)
SELECTION_RESULT = object_of({"documents": list_of(DOCUMENT), "selection": SELECTION})
CACHE_LIST = object_of({"caches": list_of(object_of({"path": TEXT, "has_manifest": FLAG}))})
INSPECTION = object_of({"cache_version": TEXT, "document_count": COUNT, "total_bytes": COUNT, "valid": FLAG})
READ_DOCUMENT_RESULT = object_of(
    {
        "id": TEXT,
        "title": TEXT,
        "headings": list_of(TEXT),
        "tokens": COUNT,
        "version": TEXT,
        "content": TEXT,
        "previous": TEXT,
        "next": TEXT,
    },
    optional=("previous", "next"),
)

CACHE = described(TEXT, "Name of a cache, as the list of caches gives it")
ROOT = described(TEXT, "Directory below the cache root to list instead of it; leave out for all caches")
ASKING = (
    "Keywords and identifiers find more than sentences; ask one topic a call. A line `also: other words` at "
    "the end of a query names alternatives."
)
"""How to query: in the instructions, and in a schema for clients that pass on no instructions."""
QUERY = described(TEXT, f"Question or keywords, at most 100,000 characters. {ASKING}")
ID = described(TEXT, "Id of a document as answers give it, or of a heading inside one")
BUDGET = described(COUNT, "Most tokens that the documents may have together, a whole number, 0 or more")


def budget_advice(suggested: int | None) -> str:
    """The sentence of a description that says which budget to choose."""
    if suggested is None:
        return (
            "2000 to 3000 tokens suit most questions, and the answer reaches the model whole in most clients."
        )
    return f"{suggested} tokens suit most questions; this client passes on little more than such an answer."


def cache_tools(caches: RootedCaches, *, suggested_budget: int | None = None) -> tuple[Tool, ...]:
    """The tools of some caches; their descriptions advise `suggested_budget`."""
    return (
        Tool(
            name="context.resolve",
            title="Search a context cache",
            description=RESOLVE.format(advice=budget_advice(suggested_budget)),
            input_schema=object_of({"cache": CACHE, "query": QUERY, "budget": BUDGET}),
            output_schema=SELECTION_RESULT,
            answer=_from(caches.resolve, "cache", "query", "budget"),
            is_long=True,
        ),
        Tool(
            name="context.list_caches",
            title="List context caches",
            description=LIST_CACHES,
            input_schema=object_of({"root": ROOT}, optional=("root",)),
            output_schema=CACHE_LIST,
            answer=lambda arguments: Reply(caches.list_caches(arguments.get("root", ".")).to_json()),
        ),
        Tool(
            name="context.inspect_cache",
            title="Inspect a context cache",
            description=INSPECT_CACHE,
            input_schema=object_of({"cache": CACHE}),
            output_schema=INSPECTION,
            answer=_from(caches.inspect_cache, "cache"),
        ),
        Tool(
            name="context.read_document",
            title="Read a document of a context cache",
            description=READ_DOCUMENT,
            input_schema=object_of({"cache": CACHE, "id": ID}),
            output_schema=READ_DOCUMENT_RESULT,
            answer=_from(caches.read_document, "cache", "id"),
            is_long=True,
        ),
    )


def _from(operation: Callable[..., JsonResult], *names: str) -> Callable[[Arguments], Reply]:
    """A tool's function from an operation with required arguments, which refuses None for a missing one."""
    return lambda arguments: Reply(operation(*map(arguments.get, names)).to_json())


RESOLVE = (
    "Search a context cache of documentation and return the most relevant documents for a query, whole and "
    "best first, within a token budget. Deterministic: the same cache, query and budget, the same answer. "
    "`query` is a question or keywords, at most 100,000 characters, without operators. `budget` is a whole "
    "number of tokens from 0 to 9007199254740991; a document that does not fit is left out, never cut. "
    "{advice} The answer as a whole takes 40 to 50 % more. In it, `selection.documents_excluded_by_budget` "
    "counts documents that match and did not fit: ask again with a larger budget if it is above 0 and "
    "something is missing. `score` is from 0 to 1; `why` counts the words of a document that match. Errors "
    "carry a code: cache_missing, cache_invalid, invalid_query, invalid_budget, io_error, internal_error."
)
LIST_CACHES = (
    "List the context caches of documentation that can be searched here. Returns each directory below the "
    "cache root by name, sorted, and whether it holds a manifest (without one it is no cache). Nothing is "
    "opened or validated. `root` is optional and names a directory below the cache root."
)
INSPECT_CACHE = (
    "Inspect a context cache of documentation: its version (which changes whenever its content does), how "
    "many documents it holds, its size in bytes, and whether its structure is valid. No document is read."
)
READ_DOCUMENT = (
    "Read one document of a context cache of documentation whole, by its id, and learn the ids of the "
    "documents before and after it in its file: for reading on where an answer of a search ends. `id` "
    "is an id as answers give it (a path, for a section with # and the slug of its heading), or that of any "
    "heading inside a document. An unknown id is the error invalid_query."
)
