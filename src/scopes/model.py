"""The schema of a `.context.yaml`, its errors, and reading one."""

from __future__ import annotations

import codecs
import math
import os
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, ValidationError, model_validator

from ..errors import CtxError
from ..safeio import NO_SUCH_FILE_ERRNOS, NotRegular, is_inside, read_below
from ..yamlio import YamlError, load

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT_NAME = ".context.yaml"


class ScopeError(CtxError):
    """A scope whose context cannot be given; `str()` is the text that the contract demands."""


class ScopeOutside(ScopeError):
    """The path of a scope leads out of the project."""

    def __init__(self) -> None:
        super().__init__("Invalid scope: path traversal detected")


class ContextMissing(ScopeError):
    """There is no `.context.yaml` at the scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            f'No .context.yaml found at scope "{scope}". This scope may be below the min_tokens '
            "threshold; use list_contexts to see eligible scopes."
        )


class UnsupportedVersion(ScopeError):
    """The file has a later version of the schema than this program supports."""

    def __init__(self, version: str) -> None:
        super().__init__(
            f"Unsupported schema version {version} (this tool supports version 1). "
            "Upgrade dotcontext to read this file."
        )


class ContextCorrupt(ScopeError):
    """The file is no YAML, or does not fit the schema; `faults` are messages for people."""

    def __init__(self, scope: str, *faults: str) -> None:
        """`faults`: a line each, with the path of the field."""
        super().__init__(f'Invalid or corrupt .context.yaml at scope "{scope}"')
        self.faults = faults


SCHEMA_VERSION = 1
"""The highest (and only) schema version that is read and written."""

METADATA = ("version", "scope", "fingerprint", "last_updated")
"""The fields of every answer, whatever the filter."""

_LARGEST_COUNT = 2**53 - 1


def _number(value: object) -> object:
    """Refuse values that are no numbers in JSON, such as booleans and numeric strings."""
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


class StrictModel(BaseModel):
    """A mapping with known fields only, none of them null."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _no_null(cls, value: object) -> object:
        """Refuse null, which the schema does not have."""
        if isinstance(value, dict):
            for name, item in value.items():
                if item is None:
                    raise ValueError(f"{name} is empty: give it a value or leave it out")
        return value


class FileEntry(StrictModel):
    """A file of the directory and its purpose."""

    name: Text
    purpose: Text
    test_file: Text = ""


class Interface(StrictModel):
    """An endpoint, a signature or a command that others call."""

    name: Text
    description: Text


class Decision(StrictModel):
    """A design decision and its reason."""

    what: Text
    why: Text
    tradeoff: Text = ""


class Dependencies(StrictModel):
    """The dependencies of the directory: other directories of the project, and packages."""

    internal: Texts = ()
    external: Texts = ()


class CurrentState(StrictModel):
    """The working, broken and unfinished features."""

    working: Texts = ()
    broken: Texts = ()
    in_progress: Texts = ()


class Subdirectory(StrictModel):
    """A directory below this one; `name` ends with a slash."""

    name: Text
    summary: Text


class ProjectInfo(StrictModel):
    """The whole project; only the context of the root has it."""

    name: Text
    description: Text
    language: Text
    framework: Text = ""
    package_manager: Text = ""


class StructureEntry(StrictModel):
    """A directory of the project; `path` is relative to its root."""

    path: Text
    summary: Text


class Evidence(StrictModel):
    """Reports of other tools about the code, which this program keeps and never collects."""

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


class ContextFile(StrictModel):
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
        """The fields that were set, or those of `only`, as JSON values in the order of the model."""
        include = set(only) if only is not None else None
        return self.model_dump(mode="json", exclude_unset=True, include=include)


_NOT_FILTERABLE = frozenset((*METADATA, "derived_fields", "evidence"))
FILTERABLE = tuple(name for name in ContextFile.model_fields if name not in _NOT_FILTERABLE)
"""The fields that a filter may name, in the order of an answer."""

MAX_BYTES = 1 << 19
"""Largest `.context.yaml` that is read; one that describes two thousand files is half of it."""

_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is no field of the schema",
    "string_type": "should be a string (quote it)",
    "tuple_type": "should be a list",
    "model_type": "should be a mapping",
}


def read_context(directory: str, scope: str, root: str) -> bytes:
    """The bytes of a directory's `.context.yaml`, which must be a regular file.

    `root` is the real path of the project, which no link may leave. Raises `ScopeError`; `OSError`, with the
    path, if the system refuses to read it.
    """
    path = f"{directory}/{CONTEXT_NAME}"
    real = os.path.realpath(path)
    if not is_inside(real, root):
        raise ScopeOutside
    try:
        data = read_below(os.fsencode(root), os.fsencode(os.path.relpath(real, root)), MAX_BYTES + 1)
    except NotRegular:
        raise ContextCorrupt(scope, "is not a regular file") from None
    except OSError as error:
        if error.errno in NO_SUCH_FILE_ERRNOS:
            raise ContextMissing(scope) from None
        raise OSError(error.errno, error.strerror, path) from None
    if len(data) > MAX_BYTES:
        raise ContextCorrupt(scope, f"is larger than {MAX_BYTES} bytes")
    return data


def parse_context(data: bytes, scope: str) -> ContextFile:
    """The context in a file's bytes. Raises `UnsupportedVersion` first, `ContextCorrupt`."""
    try:
        value = load(data.removeprefix(codecs.BOM_UTF8).decode())
    except UnicodeDecodeError as error:
        raise ContextCorrupt(scope, f"is not UTF-8 at byte {error.start}") from None
    except YamlError as error:
        raise ContextCorrupt(scope, str(error)) from None
    if not isinstance(value, dict):
        raise ContextCorrupt(scope, "is not a mapping of fields")
    later = _later_version(value.get("version"))
    if later is not None:
        raise UnsupportedVersion(later)
    try:
        return ContextFile.model_validate(value)
    except ValidationError as error:
        raise ContextCorrupt(scope, *_faults(error)) from None


def _later_version(version: object) -> str | None:
    """A version above the supported one as text; None for any other value."""
    if isinstance(version, bool) or not isinstance(version, int | float):
        return None
    if not math.isfinite(version) or version <= SCHEMA_VERSION:
        return None
    return str(int(version)) if version == int(version) else repr(version)


def _faults(error: ValidationError) -> Iterator[str]:
    """Each fault of a document on one line: the path of the field and a message."""
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"])
        message = _WORDS.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
        yield f"{where.removeprefix('.')}: {message}" if where else message
