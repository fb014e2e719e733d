"""Tools as clients see them, independent of any protocol library.

Some clients drop all tools of a server because of one schema that they cannot read. Therefore each schema has
an object at its root, no unions and no null. Several clients refuse a dot in a name: `context.resolve` also
has the name `context_resolve`, and one of the two spellings is listed (rule C11).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from ..errors import InternalError, OperationError
from ..jsonio import compact
from ..text.display import escape_control

log = logging.getLogger(__name__)

Schema = dict[str, Any]
Arguments = Mapping[str, object]
Spelling = Literal["dotted", "underscore"]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}


def described(schema: Schema, description: str) -> Schema:
    """The schema with a description for the model that calls the tool."""
    return {**schema, "description": description}


def list_of(items: Schema) -> Schema:
    """A list whose items have one schema."""
    return {"type": "array", "items": items}


def object_of(properties: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object of exactly these properties, all required but those in `optional`."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class RequestError(Exception):
    """A call of an unknown tool, or with invalid arguments; its text is sent to the client."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a call: the exact text, and whether it is an error (rule C12)."""

    text: str
    is_error: bool = False

    @classmethod
    def failure(cls, error: type[OperationError] | OperationError) -> Reply:
        """The error object of rule C8: the code and its fixed message, without details."""
        return cls(compact({"error": {"code": error.code, "message": error.message}}), is_error=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One tool. `answer` checks the values of the arguments, the toolbox their names."""

    name: str
    """The name of the specification, with dots."""
    title: str
    description: str
    """Under 1,000 characters. It repeats the limits of the schema, which some clients remove."""
    input_schema: Schema
    output_schema: Schema
    answer: Callable[[Arguments], Reply]
    """Raises `RequestError` for invalid arguments, `OperationError` for a failure."""
    is_long: bool = False
    """Whether a client should pass on longer results than it does by default."""

    @property
    def argument_names(self) -> list[str]:
        """The names of the tool's arguments, in the order of its schema."""
        return list(self.input_schema["properties"])


_LONGEST_NAME = 80  # characters of an unknown name that an error repeats
_CLOSE = 0.75  # the least similarity of a suggestion; `context.search` and `context.inspect_cache` have 0.74


class Toolbox:
    """The tools of a server, in the order in which they are listed."""

    def __init__(self, tools: Sequence[Tool], *, spelling: Spelling = "dotted") -> None:
        """`spelling` selects the name of each tool that is listed; calls may use both."""
        self.listed = {tool.name if spelling == "dotted" else underscored(tool.name): tool for tool in tools}
        self._tools = {name: tool for tool in tools for name in (tool.name, underscored(tool.name))}

    def call(self, name: str, arguments: Arguments) -> Reply:
        """The reply to one call. Raises `RequestError` for an unknown tool or argument."""
        if name not in self._tools:
            raise RequestError(f"Unknown tool {_quoted(name)}: {_hint(name, self.listed)}")
        tool = self._tools[name]
        for argument in arguments:
            if argument not in tool.argument_names:
                hint = _hint(argument, tool.argument_names)
                raise RequestError(f"Unknown argument {_quoted(argument)} of {tool.name}: {hint}")
        return _answer(tool, arguments)


def underscored(name: str) -> str:
    """The spelling without dots."""
    return name.replace(".", "_")


def _answer(tool: Tool, arguments: Arguments) -> Reply:
    """The tool's reply. A failure is logged with its details; the client gets the code alone."""
    try:
        return tool.answer(arguments)
    except RequestError:
        raise
    except OperationError as error:
        log.warning("%s: %s: %s", tool.name, error.code, escape_control(str(error)))
        return Reply.failure(error)
    except Exception as error:
        log.error("%s: internal_error: %s", tool.name, escape_control(f"{type(error).__name__}: {error}"))
        return Reply.failure(InternalError)


def _quoted(name: str) -> str:
    return f"`{escape_control(name[:_LONGEST_NAME])}{'…' if len(name) > _LONGEST_NAME else ''}`"


def _hint(name: str, names: Iterable[str]) -> str:
    """The most similar name; all names if none is similar."""
    names = list(names)
    close = get_close_matches(name[:_LONGEST_NAME], names, n=1, cutoff=_CLOSE)
    return f"did you mean `{close[0]}`?" if close else "there are " + ", ".join(f"`{name}`" for name in names)
