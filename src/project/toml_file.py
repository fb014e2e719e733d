"""A TOML file of the user's: its text with positions, the part of it that is ours, and every fault in it."""

from __future__ import annotations

import json
import os
import re
import tomllib
from bisect import bisect_left
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from ..errors import IoError, UsageError
from ..tomlio import key_parts, line_numbers, own_words, parse, statements

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic_core import ErrorDetails

    Steps = tuple[str | int, ...]


class Fault(NamedTuple):
    """One thing that is wrong."""

    line: int
    """1-based; 0 when it is about the whole file."""
    key: str
    """The path to it, as in `caches.handbook.split` or `tests[2].expect`; empty for the whole file."""
    problem: str


class ConfigurationError(UsageError):
    """A configuration or a file of query tests cannot be used; `faults` has all that was found."""

    def __init__(self, file: str, faults: list[Fault]) -> None:
        """`file` as people write it; `faults` in the order of the file, at least one."""
        super().__init__(file, faults)
        self.file = file
        self.faults = tuple(sorted(faults))

    def lines(self) -> list[str]:
        """One line a fault: `ctx.toml:7: caches.handbook.spilt: no such key; did you mean split?`."""
        return [
            ": ".join(filter(None, (f"{self.file}:{line}" if line else self.file, key, problem)))
            for line, key, problem in self.faults
        ]

    def __str__(self) -> str:
        rest = len(self.faults) - 1
        return self.lines()[0] + (f" (and {rest} more {'fault' if rest == 1 else 'faults'})" if rest else "")


KeyPath = Sequence[str | int]


def line_of(text: str, path: KeyPath) -> int:
    """The 1-based line of the statement that first defines `path`, or as much of it as there is."""
    data = parse(text)
    while path and not _holds(data, path):
        path = path[:-1]
    if not path:
        return 1
    ordered = list(statements(text))
    index = bisect_left(ordered, True, key=lambda one: _holds(parse(text[: one.line_end]), path))
    return next(line_numbers(text, [ordered[index].start]))


def lines_of_tables(text: str, path: Sequence[str], count: int) -> list[int]:
    """Where each of `count` tables `[[path]]` begins; a list in one statement has one place."""
    begins = [
        one.start
        for one in statements(text)
        if text.startswith("[[", one.start) and key_parts(text[one.start + 2 : one.end - 2]) == list(path)
    ]
    if len(begins) != count:
        return [line_of(text, path)] * count
    return list(line_numbers(text, begins))


def _holds(value: Any, path: KeyPath) -> bool:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


Model = TypeVar("Model", bound=BaseModel)
MAX_BYTES = 1 << 18
MOST_FAULTS = 20  # of one file; each costs a search for its line
_WHERE = re.compile(r" ?\(at line (\d+), column \d+\)| ?\(at end of document\)")


class TomlFile:
    """A TOML file: its text, and the part of it that is ours."""

    def __init__(self, path: Path, section: Iterable[str] = ()) -> None:
        """Read `path`; `section` leads to the table that is ours. Raises `ConfigurationError`, `IoError`."""
        self.path = path
        self.name = display_path(path)
        self.section = tuple(section)
        self.text = _read(path, self.name)
        self.table: Any = self._parsed()
        for step in self.section:
            self.table = self.table.get(step, {}) if isinstance(self.table, dict) else {}

    def line(self, *steps: str | int) -> int:
        """Where a key of ours stands."""
        return line_of(self.text, (*self.section, *steps))

    def where(self, *steps: str | int) -> str:
        """A key of ours and where it stands: `ctx.toml:4: caches.docs.sources`."""
        return f"{self.name}:{self.line(*steps)}: {key_path(steps)}"

    def table_lines(self, name: str, count: int) -> list[int]:
        """Where each of our `count` tables `[[name]]` begins."""
        return lines_of_tables(self.text, (*self.section, name), count)

    def fault(self, problem: str, *steps: str | int) -> Fault:
        """A fault at a key of ours."""
        return Fault(self.line(*steps), key_path(steps), problem)

    def read_as(self, model: type[Model]) -> Model:
        """Our table as a model. Raises `ConfigurationError` with every fault."""
        try:
            return model.model_validate(self.table)
        except ValidationError as error:
            details = error.errors()
            strange = [_steps(each) for each in details if each["type"] == "extra_forbidden"]
            misspelt = {(steps[:-1], _near(model, steps)) for steps in strange}
            faults = [
                self._fault(model, each) for each in details[:MOST_FAULTS] if not _is_misspelt(each, misspelt)
            ]
            raise ConfigurationError(self.name, faults) from None

    def _parsed(self) -> dict[str, Any]:
        try:
            return parse(self.text)
        except tomllib.TOMLDecodeError as error:
            where = _WHERE.search(str(error))
            line = int(where[1]) if where and where[1] else self.text.rstrip("\n").count("\n") + 1
            problem = f"not TOML: {_WHERE.sub('', str(error))}"
        except ValueError as error:
            where = _WHERE.search(str(error))
            line, problem = int(where[1] or 0) if where else 0, f"not read: {_WHERE.sub('', str(error))}"
        raise ConfigurationError(self.name, [Fault(line, "", problem)])

    def _fault(self, model: type[BaseModel], details: ErrorDetails) -> Fault:
        steps = _steps(details)
        kind, message = details["type"], details["msg"]
        if kind == "extra_forbidden":
            return self.fault(own_words(kind, message) + _hint(model, steps), *steps)
        if kind == "missing":
            return self.fault(f"`{steps[-1]}` is missing", *steps[:-1])
        if kind == "list_type":
            value = details["input"]
            message = "must be a list" + (f": [{json.dumps(value)}]" if isinstance(value, str) else "")
        if kind == "string_pattern_mismatch":
            message = "must be a name of letters, digits, `.`, `_` and `-`"
        return self.fault(own_words(kind, message), *steps)


def display_path(path: Path) -> str:
    """A path as people write it: seen from the current directory."""
    try:
        return os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)


def key_path(steps: Steps) -> str:
    """`caches.handbook.split`, `tests[2].expect[0]`; the first element of a list is 0."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")


def _read(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigurationError(name, [Fault(0, "", f"larger than {MAX_BYTES:,} bytes")])
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigurationError(name, [Fault(line, "", "not UTF-8")]) from None
    except OSError as error:
        raise IoError(f"{name}: {error.strerror}") from None


def _steps(details: ErrorDetails) -> Steps:
    """The way to a fault; pydantic adds a step for a key that is none."""
    return tuple(step for step in details["loc"] if step != "[key]")


def _is_misspelt(details: ErrorDetails, misspelt: set[tuple[Steps, str]]) -> bool:
    """Whether a key is missing only because it stands there under a name that is near."""
    steps = _steps(details)
    return details["type"] == "missing" and (steps[:-1], steps[-1]) in misspelt


def _hint(model: type[BaseModel], steps: Steps) -> str:
    """`; did you mean …?` when a key of the same table is near, else the keys that there are."""
    near = _near(model, steps)
    return (
        f"; did you mean {near}?"
        if near
        else f"; the keys are {', '.join(sorted(_fields(model, steps[:-1])))}"
    )


def _near(model: type[BaseModel], steps: Steps) -> str:
    """The key of the same table that is nearest to one that there is not; empty when none is near."""
    return next(iter(get_close_matches(str(steps[-1]), _fields(model, steps[:-1]), n=1)), "")


def _fields(model: type[BaseModel], steps: Steps) -> Iterable[str]:
    """The fields of the table that `steps` lead to: a field of a table holds tables by name or number."""
    if not steps:
        return model.model_fields
    inner = get_args(model.model_fields[str(steps[0])].annotation)[-1]
    return _fields(inner, steps[2:])
