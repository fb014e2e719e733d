"""Tools as clients see them, independent of any protocol library.

Schemas are such as every client can read: an object at the root, no unions, no null; some clients drop all
tools of a server for one that they cannot. Several refuse a dot in a name, so `context.resolve` also answers
as `context_resolve`; one of the two is listed, always the same (rule C11). Calls leak nothing.
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
    """The schema with a description for the model that fills it in."""
    return {**schema, "description": description}


def list_of(items: Schema) -> Schema:
    """A list of alike items."""
    return {"type": "array", "items": items}


def object_of(properties: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """An object of exactly these properties, all required but those in `optional`."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class RequestError(Exception):
    """A call that no tool can take; `str()` is for the client that made it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call returns: the exact text, and whether it tells of a failure (rule C12)."""

    text: str
    is_error: bool = False

    @classmethod
    def failure(cls, error: type[OperationError] | OperationError) -> Reply:
        """The error object of rule C8: a code and its canonical message, nothing else."""
        return cls(compact({"error": {"code": error.code, "message": error.message}}), is_error=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One tool. Its arguments are judged by `answer`; their names by whoever calls it."""

    name: str
    """As the specification writes it, dots included."""
    title: str
    description: str
    """Under 1,000 characters; limits too, because some clients strip them from schemas."""
    input_schema: Schema
    output_schema: Schema
    answer: Callable[[Arguments], Reply]
    """Raises `RequestError` for arguments that it cannot take, `OperationError` for a failure."""
    is_long: bool = False
    """Whether results are worth more room than clients give by default."""

    @property
    def argument_names(self) -> list[str]:
        """The arguments that the tool knows, in order."""
        return list(self.input_schema["properties"])


_LONGEST_NAME = 80  # characters of a wrong name that an error repeats
_CLOSE = 0.75  # more like than `context.search` is to `context.inspect_cache`, .74


class Toolbox:
    """The tools of a server, in the order in which they are listed."""

    def __init__(self, tools: Sequence[Tool], *, spelling: Spelling = "dotted") -> None:
        """`spelling` says which of the two names of each tool is listed."""
        self.listed = {tool.name if spelling == "dotted" else underscored(tool.name): tool for tool in tools}
        self._tools = {name: tool for tool in tools for name in (tool.name, underscored(tool.name))}

    def call(self, name: str, arguments: Arguments) -> Reply:
        """The reply to one call. Raises `RequestError` for a tool or an argument that there is not."""
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
    """The tool's reply. What went wrong is one line for people in the log, and a code for the client."""
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
    """The name that was probably meant, else all that there are."""
    names = list(names)
    close = get_close_matches(name[:_LONGEST_NAME], names, n=1, cutoff=_CLOSE)
    return f"did you mean `{close[0]}`?" if close else "there are " + ", ".join(f"`{each}`" for each in names)
