"""Reading a user's TOML file: our table in it, the line of each key, and all faults at once."""

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


class ConfigurationFault(NamedTuple):
    """One fault of a file."""

    line: int
    """1-based; 0 for a fault of the whole file."""
    key: str
    """The path of the key, as in `caches.handbook.split` or `tests[2].expect`; empty for the whole file."""
    problem: str


class ConfigurationError(UsageError):
    """A configuration or a file of query tests is invalid; `faults` are all of its faults, by line."""

    def __init__(self, file: str, faults: list[ConfigurationFault]) -> None:
        """`file` is its name for people; `faults` has at least one."""
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
    """The 1-based line of the statement that first defines `path`, or the longest defined part of it."""
    data = parse(text)
    while path and not _has_path(data, path):
        path = path[:-1]
    if not path:
        return 1
    ordered = list(statements(text))
    index = bisect_left(ordered, True, key=lambda item: _has_path(parse(text[: item.line_end]), path))
    return next(line_numbers(text, [ordered[index].start]))


def lines_of_tables(text: str, path: Sequence[str], count: int) -> list[int]:
    """The 1-based line of each of `count` tables `[[path]]`; for one list, that of the list."""
    begins = [
        item.start
        for item in statements(text)
        if text.startswith("[[", item.start) and key_parts(text[item.start + 2 : item.end - 2]) == list(path)
    ]
    if len(begins) != count:
        return [line_of(text, path)] * count
    return list(line_numbers(text, begins))


def _has_path(value: Any, path: KeyPath) -> bool:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


Model = TypeVar("Model", bound=BaseModel)
MAX_BYTES = 1 << 18
MOST_FAULTS = 20  # of one file, since finding the line of each takes a while
_WHERE = re.compile(r" ?\(at line (\d+), column \d+\)| ?\(at end of document\)")


class TomlFile:
    """A TOML file: its text, and our table in it."""

    def __init__(self, path: Path, section: Iterable[str] = ()) -> None:
        """Read a file; `section` is the path of our table. Raises `ConfigurationError`, `IoError`."""
        self.path = path
        self.name = display_path(path)
        self.section = tuple(section)
        self.text = _read(path, self.name)
        self.table: Any = self._parsed()
        for step in self.section:
            self.table = self.table.get(step, {}) if isinstance(self.table, dict) else {}

    def line(self, *steps: str | int) -> int:
        """The 1-based line of a key of our table."""
        return line_of(self.text, (*self.section, *steps))

    def where(self, *steps: str | int) -> str:
        """A key of our table with its file and line: `ctx.toml:4: caches.docs.sources`."""
        return f"{self.name}:{self.line(*steps)}: {key_path(steps)}"

    def table_lines(self, name: str, count: int) -> list[int]:
        """The 1-based line of each of our `count` tables `[[name]]`."""
        return lines_of_tables(self.text, (*self.section, name), count)

    def fault(self, problem: str, *steps: str | int) -> ConfigurationFault:
        """A fault at a key of our table."""
        return ConfigurationFault(self.line(*steps), key_path(steps), problem)

    def read_as(self, model: type[Model]) -> Model:
        """Our table as a model. Raises `ConfigurationError` with every fault."""
        try:
            return model.model_validate(self.table)
        except ValidationError as error:
            details = error.errors()
            unknown = [_steps(detail) for detail in details if detail["type"] == "extra_forbidden"]
            misspelt = {(steps[:-1], _near(model, steps)) for steps in unknown}
            faults = [
                self._fault(model, detail)
                for detail in details[:MOST_FAULTS]
                if not _is_misspelt(detail, misspelt)
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
        raise ConfigurationError(self.name, [ConfigurationFault(line, "", problem)])

    def _fault(self, model: type[BaseModel], details: ErrorDetails) -> ConfigurationFault:
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
    """A path relative to the current directory, for people."""
    try:
        return os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)


def key_path(steps: Steps) -> str:
    """A path of keys as text: `caches.handbook.split`, `tests[2].expect[0]`; indices start at 0."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")


def _read(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigurationError(name, [ConfigurationFault(0, "", f"larger than {MAX_BYTES:,} bytes")])
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigurationError(name, [ConfigurationFault(line, "", "not UTF-8")]) from None
    except OSError as error:
        raise IoError(f"{name}: {error.strerror}") from None


def _steps(details: ErrorDetails) -> Steps:
    """The path of keys to a fault, without the step that pydantic adds for an invalid key."""
    return tuple(step for step in details["loc"] if step != "[key]")


def _is_misspelt(details: ErrorDetails, misspelt: set[tuple[Steps, str]]) -> bool:
    """Whether a key is missing because its name is misspelt, which is another fault."""
    steps = _steps(details)
    return details["type"] == "missing" and (steps[:-1], steps[-1]) in misspelt


def _hint(model: type[BaseModel], steps: Steps) -> str:
    """`; did you mean …?` for a misspelt key, else the list of the keys of the table."""
    near = _near(model, steps)
    return (
        f"; did you mean {near}?"
        if near
        else f"; the keys are {', '.join(sorted(_fields(model, steps[:-1])))}"
    )


def _near(model: type[BaseModel], steps: Steps) -> str:
    """The most similar key of the same table; empty if none is similar."""
    return next(iter(get_close_matches(str(steps[-1]), _fields(model, steps[:-1]), n=1)), "")


def _fields(model: type[BaseModel], steps: Steps) -> Iterable[str]:
    """The keys of the table at a path: each field of a model is followed by a name or an index."""
    if not steps:
        return model.model_fields
    inner = get_args(model.model_fields[str(steps[0])].annotation)[-1]
    return _fields(inner, steps[2:])
