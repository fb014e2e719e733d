"""A tool: how it is described to a client, and how arguments become a reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...jsonio import compact

if TYPE_CHECKING:
    from ...errors import OperationError
    from .schemas import Schema

Arguments = Mapping[str, object]


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
