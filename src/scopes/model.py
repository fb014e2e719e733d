"""What a `.context.yaml` holds, and what can be wrong with one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator

from ..errors import CtxError


class ScopeError(CtxError):
    """A scope that cannot be answered; `str()` is the text of the contract."""


class ScopeOutside(ScopeError):
    """The scope leads out of the project."""

    def __str__(self) -> str:
        return "Invalid scope: path traversal detected"


class ContextMissing(ScopeError):
    """There is no `.context.yaml` at the scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope

    def __str__(self) -> str:
        return (
            f'No .context.yaml found at scope "{self.scope}". This scope may be below the min_tokens '
            "threshold; use list_contexts to see eligible scopes."
        )


class UnsupportedVersion(ScopeError):
    """The file asks for a later schema than this program knows."""

    def __init__(self, version: str) -> None:
        super().__init__(version)
        self.version = version

    def __str__(self) -> str:
        return (
            f"Unsupported schema version {self.version} (this tool supports version 1). "
            "Upgrade dotcontext to read this file."
        )


class ContextCorrupt(ScopeError):
    """The file is not YAML, or does not fit the schema; `faults` says where, for people."""

    def __init__(self, scope: str, faults: tuple[str, ...]) -> None:
        super().__init__(scope, faults)
        self.scope = scope
        self.faults = faults

    def __str__(self) -> str:
        return f'Invalid or corrupt .context.yaml at scope "{self.scope}"'


SCHEMA_VERSION = 1
"""The highest (and only) schema version that is read and written."""

METADATA = ("version", "scope", "fingerprint", "last_updated")
"""The fields that every answer holds, whatever the filter."""

FILTERABLE = (
    "summary",
    "files",
    "interfaces",
    "decisions",
    "constraints",
    "dependencies",
    "current_state",
    "subdirectories",
    "environment",
    "testing",
    "todos",
    "data_models",
    "events",
    "config",
    "project",
    "structure",
    "maintenance",
    "exports",
)
"""The fields that a filter may name, in the order of an answer."""

_LARGEST_COUNT = 2**53 - 1


def _number(value: object) -> object:
    """Refuse what JSON does not call a number: a boolean is none, nor is a numeric string."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("should be a number")
    return value


def _whole(value: object) -> object:
    """A number without a fraction as an int, however it was written (`42.0`)."""
    number = _number(value)
    if isinstance(number, float) and not number.is_integer():
        raise ValueError("should be a whole number")
    return int(number)  # type: ignore[call-overload]  # an int or a float by now


Text = Annotated[str, Strict()]
Texts = tuple[Text, ...]
Version = Annotated[Literal[1], BeforeValidator(_whole)]
Count = Annotated[int, BeforeValidator(_whole), Field(ge=-_LARGEST_COUNT, le=_LARGEST_COUNT)]
Percent = Annotated[float, BeforeValidator(_number), Field(ge=0, le=100, allow_inf_nan=False)]


class Record(BaseModel):
    """Fixed fields, no others, none of them null."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _no_null(cls, value: object) -> object:
        """A field is given or left out; the schema has no null."""
        if isinstance(value, dict):
            for name, item in value.items():
                if item is None:
                    raise ValueError(f"{name} is empty: give it a value or leave it out")
        return value


class FileEntry(Record):
    """One file of the directory and what it is for."""

    name: Text
    purpose: Text
    test_file: Text = ""


class Interface(Record):
    """An endpoint, a signature or a command that others call."""

    name: Text
    description: Text


class Decision(Record):
    """A choice that was made, and why."""

    what: Text
    why: Text
    tradeoff: Text = ""


class Dependencies(Record):
    """What the directory needs: other directories of the project, and packages."""

    internal: Texts = ()
    external: Texts = ()


class CurrentState(Record):
    """What works, what does not, what is under way."""

    working: Texts = ()
    broken: Texts = ()
    in_progress: Texts = ()


class Subdirectory(Record):
    """A directory below this one; `name` ends with a slash."""

    name: Text
    summary: Text


class ProjectInfo(Record):
    """The project as a whole; only the root's file has it."""

    name: Text
    description: Text
    language: Text
    framework: Text = ""
    package_manager: Text = ""


class StructureEntry(Record):
    """A directory of the project; `path` is relative to its root."""

    path: Text
    summary: Text


class Evidence(Record):
    """What tools reported about the code; kept as it was found, never collected here."""

    collected_at: Text
    commit_sha: Text = ""
    test_status: Literal["passing", "failing", "unknown"] = "unknown"
    test_count: Count = 0
    failing_tests: Texts = ()
    test_tool: Text = ""
    typecheck: Literal["clean", "errors", "unknown"] = "unknown"
    typecheck_tool: Text = ""
    lint_status: Literal["clean", "errors", "unknown"] = "unknown"
    lint_tool: Text = ""
    coverage_percent: Percent = 0


class ContextFile(Record):
    """One `.context.yaml`. The defaults stand for absent fields and are never written."""

    version: Version
    scope: Text
    fingerprint: Text
    last_updated: Text
    summary: Text
    files: tuple[FileEntry, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    decisions: tuple[Decision, ...] = ()
    constraints: Texts = ()
    dependencies: Dependencies = Dependencies()
    current_state: CurrentState = CurrentState()
    subdirectories: tuple[Subdirectory, ...] = ()
    environment: Texts = ()
    testing: Texts = ()
    todos: Texts = ()
    data_models: Texts = ()
    events: Texts = ()
    config: Texts = ()
    project: ProjectInfo | None = None
    structure: tuple[StructureEntry, ...] = ()
    maintenance: Text
    exports: Texts = ()
    derived_fields: Texts = ()
    evidence: Evidence | None = None

    def as_dict(self, only: frozenset[str] | None = None) -> dict[str, Any]:
        """The fields that were given (of `only`, if any), as JSON values in the order of the model."""
        include = set(only) if only is not None else None
        return self.model_dump(mode="json", exclude_unset=True, include=include)
