"""Query tests in TOML files: reading them, adding one, bringing them up to date.

All else in a text stays as its author has it. No edit is trusted: the new text is parsed, and it must hold
the old data with this one change.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError

from ..cache.locks import locked
from ..errors import IoError, UsageError
from ..safeio import replace_text
from ..tomlio import line_numbers, own_words, parse, statements
from .config import QueryTestFile, QueryTestSection
from .project import NAME, PYPROJECT, Project, load_project
from .toml_file import TomlFile, display_path, key_path, lines_of_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ..resolver.query_tests import QueryTest

    Section = tuple[str, ...]
    Fields = Mapping[str, Any]


def read_tests(file: Path) -> list[QueryTest]:
    """The tests of a configuration, or of a file that holds nothing but `[[tests]]`.

    Raises `ConfigurationError`, `IoError`.
    """
    if file.name in (NAME, PYPROJECT):
        return load_project(file).tests
    written = TomlFile(file)
    sections = written.read_as(QueryTestFile).tests
    lines = written.table_lines("tests", len(sections))
    return [section.test(line) for section, line in zip(sections, lines, strict=True)]


def add_test(project: Project, test: QueryTest) -> None:
    """Append a test to the project's configuration.

    Raises `UsageError` when it speaks of no cache of the project, says nothing, is there already or
    cannot be written there, `IoError`.
    """
    project.cache(test.cache)
    fields = _fields(test)
    with _changing(project.file, project.section):
        present = load_project(project.file)
        line = next((each.line for each in present.tests if replace(each, line=test.line) == test), None)
        if line is not None:
            raise UsageError(f"this test is there already, {display_path(project.file)}:{line}")
        text = with_test(TomlFile(project.file).text, project.section, fields)
        replace_text(project.file, text)


def update_tests(file: Path, section: tuple[str, ...], updates: Mapping[int, Mapping[str, Any]]) -> list[int]:
    """Replace fields of the tests with these numbers, from 0; a field that becomes None is removed.

    `section` leads to the table that holds them. The line of every test in the new text. Raises `UsageError`
    when they cannot be changed there, `IoError`.
    """
    with _changing(file, section):
        text = with_updates(TomlFile(file).text, section, updates)
        replace_text(file, text)
    return lines_of_tables(text, (*section, "tests"), len(_inner(parse(text), section)["tests"]))


def _fields(test: QueryTest) -> dict[str, Any]:
    """What is written of a test: not what is the default. Raises `UsageError` for what is none."""
    try:
        section = QueryTestSection(**{name: getattr(test, name) for name in QueryTestSection.model_fields})
    except ValidationError as error:
        details = error.errors()[0]
        about = ": ".join(
            filter(None, (key_path(details["loc"]), own_words(details["type"], details["msg"])))
        )
        raise UsageError(f"not a test: {about}") from None
    return section.model_dump(exclude_defaults=True)


@contextmanager
def _changing(file: Path, section: tuple[str, ...]) -> Iterator[None]:
    """Read, edit and replace a file of tests while no one else does; with errors of ours."""
    try:
        with locked(file.resolve().parent):
            yield
    except EditError:
        form = f"[[{'.'.join((*section, 'tests'))}]]"
        raise UsageError(
            f"{display_path(file)}: nothing is written, because its tests are in a form that cannot be "
            f"edited; write each as a table {form}"
        ) from None
    except OSError as error:
        raise IoError(f"{display_path(file)}: {error.strerror}") from None


class EditError(ValueError):
    """The tests of a text are not written in a form that this program can change."""


def with_test(text: str, section: Section, fields: Fields) -> str:
    """The text with one test more in the table that `section` leads to. Raises `EditError`.

    It goes below the last `[[tests]]`, to the end of a list of tests, or to the end of the text.
    """
    data = _data(text)
    table = _inner(data, section)
    is_new = "tests" not in table
    tests = table.setdefault("tests", [])
    if not isinstance(tests, list):
        raise EditError
    begins = lines_of_tables(text, (*section, "tests"), len(tests))
    tests.append(dict(fields))
    lines = text.split("\n")
    if is_new:
        new = _inserted(text, len(lines), _written(section, fields))
    elif begins and lines[begins[-1] - 1].lstrip().startswith("[["):
        new = _inserted(text, _end_of_table(text, lines, begins[-1]), _written(section, fields))
    else:
        new = _in_list(text, section, fields)
    return _proved(new, data)


def with_updates(text: str, section: Section, updates: Mapping[int, Fields]) -> str:
    """The text with fields of the tests of these numbers replaced, those that are None removed.

    Raises `EditError`.
    """
    data = _data(text)
    try:
        document = tomlkit.parse(text)
    except TOMLKitError:  # keys of more than a hundred parts, which TOML allows
        raise EditError from None
    for number, fields in updates.items():
        for test in (_inner(data, section)["tests"][number], _written_test(document, section, number)):
            for name, value in fields.items():
                if value is None:
                    test.pop(name, None)
                else:
                    test[name] = value
    return _proved(_ending_alike(tomlkit.dumps(document), text), data)


def _data(text: str) -> dict[str, Any]:
    """What a text says, in values that can be compared: a NaN is equal to nothing, not even to itself."""
    return parse(text, parse_float=lambda number: number if "nan" in number else float(number))


def _proved(text: str, data: dict[str, Any]) -> str:
    """The text, which must say exactly this."""
    try:
        said = _data(text)
    except ValueError:
        raise EditError from None
    if said != data:
        raise EditError
    return text


def _inner(data: Any, section: Section) -> Any:
    for step in section:
        data = data[step]
    return data


def _written_test(document: Any, section: Section, number: int) -> Any:
    """The test of this number in a document that keeps its form."""
    try:
        return _inner(document, section)["tests"][number]
    except (TOMLKitError, LookupError, TypeError):
        raise EditError from None


def _written(section: Section, fields: Fields) -> str:
    """A test as people write it: a long list a line each."""
    item = tomlkit.item(dict(fields))
    for name in ("expect", "forbid"):
        if len(fields.get(name, ())) > 1:
            item[name].multiline(True)
    return f"[[{'.'.join((*section, 'tests'))}]]\n{item.as_string()}"


def _in_list(text: str, section: Section, fields: Fields) -> str:
    """The text with a test more in the list `tests = […]`."""
    try:
        document = tomlkit.parse(text)
        item = tomlkit.inline_table()
        item.update(fields)
        _inner(document, section)["tests"].append(item)
    except (TOMLKitError, LookupError, TypeError):
        raise EditError from None
    return _ending_alike(tomlkit.dumps(document), text)


def _end_of_table(text: str, lines: list[str], begin: int) -> int:
    """How many lines there are to the end of the table with its header in line `begin`, from 1.

    The empty lines and comments before the next header belong to that.
    """
    headers = line_numbers(text, (one.start for one in statements(text) if one.is_header))
    end = next((line - 1 for line in headers if line > begin), len(lines))
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return end


def _inserted(text: str, line: int, block: str) -> str:
    """The text with a block after so many of its lines, empty lines around it."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    before, after = "\n".join(lines[:line]), "\n".join(lines[line:])
    if line < len(lines):
        before += "\n"
    elif before and not before.endswith("\n"):
        before += end
    above = end if before and not before.endswith(("\n\n", "\n\r\n")) else ""
    below = end if after.partition("\n")[0].strip() else ""
    return before + above + block.replace("\n", end) + below + after


def _ending_alike(new: str, old: str) -> str:
    """A text edited by a library that knows one line end, with those that it had."""
    return re.sub(r"\r?\n", "\r\n", new) if "\r\n" in old and not re.search(r"(?<!\r)\n", old) else new
