"""All tools of a server: found under either spelling, called so that nothing leaks.

Several clients refuse a dot in a name, so `context.resolve` also answers as
`context_resolve`; one of the two is listed, always the same (rule C11).
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from ...errors import InternalError, OperationError
from ...text.display import escape_control
from .tool import Reply, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .tool import Arguments, Tool

Spelling = Literal["dotted", "underscore"]

log = logging.getLogger(__name__)

_LONGEST_NAME = 80  # characters of a wrong name that an error repeats


class Toolbox:
    """The tools of a server, in the order in which they are listed."""

    def __init__(self, tools: Sequence[Tool], *, spelling: Spelling = "dotted") -> None:
        """`spelling` says which of the two names of each tool is listed."""
        self.listed = {tool.name if spelling == "dotted" else underscored(tool.name): tool for tool in tools}
        self._known = {name: tool for tool in tools for name in (tool.name, underscored(tool.name))}

    def call(self, name: str, arguments: Arguments) -> Reply:
        """The reply to one call. Raises `RequestError` for a tool or an argument that there is not."""
        if name not in self._known:
            raise RequestError(f"Unknown tool {_quoted(name)}: {_hint(name, self.listed)}")
        tool = self._known[name]
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


def _hint(name: str, known: Iterable[str]) -> str:
    """The name that was probably meant, else all that there are."""
    names = list(known)
    close = get_close_matches(name[:_LONGEST_NAME], names, n=1)
    return f"did you mean `{close[0]}`?" if close else "there are " + ", ".join(f"`{each}`" for each in names)
