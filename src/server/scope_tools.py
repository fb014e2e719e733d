"""The three scope tools: `list_contexts`, `check_freshness`, `query_context` (rules C13 to C17).

Their results are indented JSON with their own form of errors, which has no error for an argument of a wrong
type: that is an error of the protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..scopes.model import FILTERABLE
from ..scopes.queries import check_freshness, list_contexts, query_context
from .toolbox import COUNT, FLAG, TEXT, Reply, RequestError, Tool, described, list_of, object_of

if TYPE_CHECKING:
    from ..scopes.project import ScopeProject
    from ..scopes.queries import Answer
    from .toolbox import Arguments, Schema

SCOPE = described(TEXT, 'Directory relative to the project root, such as "src/core"; "." for the root')
FILTER = described(list_of(TEXT), "Fields to return; leave out for all. Fields: " + ", ".join(FILTERABLE))
PATH = described(TEXT, "Another project root; leave out for the project that the server was started for")

ENTRY = object_of(
    {"scope": TEXT, "state": TEXT, "has_context": FLAG, "last_updated": TEXT, "summary": TEXT},
    optional=("last_updated", "summary"),
)
CONTEXT_LIST = object_of(
    {
        "root": TEXT,
        "total_directories": COUNT,
        "skipped_directories": COUNT,
        "tracked": COUNT,
        "entries": list_of(ENTRY),
    }
)
FINGERPRINTS = object_of({"stored": TEXT, "computed": TEXT})
FRESHNESS = object_of({"scope": TEXT, "state": TEXT, "fingerprint": FINGERPRINTS, "last_updated": TEXT})
CONTEXT = object_of({"found": FLAG, "scope": TEXT, "context": {"type": "object"}})


def scope_tools(project: ScopeProject, *, path_override: bool = True) -> tuple[Tool, ...]:
    """The three tools of a project; without `path_override` they have no argument `path`."""
    extra = {"path": PATH} if path_override else {}

    def inputs(properties: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
        return object_of(properties | extra, optional=(*optional, "path"))

    return (
        Tool(
            name="list_contexts",
            title="List project contexts",
            description=LIST_CONTEXTS,
            input_schema=inputs({}),
            output_schema=CONTEXT_LIST,
            answer=lambda arguments: _reply(list_contexts(_project(project, arguments))),
            is_long=True,
        ),
        Tool(
            name="check_freshness",
            title="Check a project context",
            description=CHECK_FRESHNESS,
            input_schema=inputs({"scope": SCOPE}),
            output_schema=FRESHNESS,
            answer=lambda arguments: _reply(check_freshness(_project(project, arguments), _scope(arguments))),
        ),
        Tool(
            name="query_context",
            title="Read a project context",
            description=QUERY_CONTEXT,
            input_schema=inputs({"scope": SCOPE, "filter": FILTER}, optional=("filter",)),
            output_schema=CONTEXT,
            answer=lambda arguments: _reply(
                query_context(_project(project, arguments), _scope(arguments), _filter(arguments))
            ),
            is_long=True,
        ),
    )


def _reply(answer: Answer) -> Reply:
    return Reply(answer.to_json(), is_error=answer.is_error)


def _project(project: ScopeProject, arguments: Arguments) -> ScopeProject:
    path = arguments.get("path", ".")
    if not isinstance(path, str):
        raise RequestError("`path` must be a string; leave it out for the project of this server")
    try:
        return project.at(path)
    except ValueError:  # a NUL, a lone surrogate
        raise RequestError("`path` cannot name a directory") from None


def _scope(arguments: Arguments) -> str:
    scope = arguments.get("scope")
    if not isinstance(scope, str):
        raise RequestError('`scope` is required and must be a string, "." for the project root')
    return scope


def _filter(arguments: Arguments) -> list[str]:
    names = arguments.get("filter", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RequestError("`filter` must be a list of field names; leave it out for all fields")
    return names


LIST_CONTEXTS = (
    "List the directories of a project that have a context file (.context.yaml: a summary of what the "
    "directory is for, its decisions and constraints), with a state each: fresh, stale (files changed since "
    "it was written) or missing. A first look at a code base before searching it. Sorted by scope."
)
CHECK_FRESHNESS = (
    "Check whether the context file of one directory of a project still describes its files: fresh, stale or "
    "missing. Stale is no error: the context may still help, but verify what it says. `scope` is a directory "
    'relative to the project root, as list_contexts gives it, "." for the root.'
)
QUERY_CONTEXT = (
    "Read the context of one directory of a project: summary, files, interfaces, decisions, constraints, "
    "dependencies and more, as written in its .context.yaml. `scope` is a directory relative to the project "
    'root, as list_contexts gives it, "." for the root. `filter` is an optional list of field names; '
    "version, scope, fingerprint and last_updated are always returned."
)
