"""Reading, appending and changing the query tests of a TOML file.

An edit keeps the rest of the text as it is. Each edit is checked: the new text is parsed, and its data must
be the old data with this one change.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError

from ..errors import IoError, UsageError
from ..locks import locked
from ..safeio import replace_text
from ..tomlio import line_numbers, own_words, parse, statements
from .config import QueryTestFile, QueryTestSection
from .project import NAME, PYPROJECT, Project, load_project
from .toml_file import TomlFile, display_path, key_path, lines_of_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ..resolver.query_tests import QueryTest

    TablePath = tuple[str, ...]
    Fields = Mapping[str, Any]


def read_tests(file: Path) -> list[QueryTest]:
    """The tests of a configuration, or of a file that has only `[[tests]]`.

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

    Raises `UsageError` if the project has no such cache, if the test expects nothing or exists already, or if
    the file cannot be edited; `IoError`.
    """
    project.cache(test.cache)
    fields = _fields(test)
    with _editing(project.file, project.section):
        present = load_project(project.file)
        line = next((old.line for old in present.tests if replace(old, line=test.line) == test), None)
        if line is not None:
            raise UsageError(f"this test is there already, {display_path(project.file)}:{line}")
        text = with_test(TomlFile(project.file).text, project.section, fields)
        replace_text(project.file, text)


def update_tests(file: Path, section: tuple[str, ...], updates: Mapping[int, Mapping[str, Any]]) -> list[int]:
    """Replace fields of tests, given by their index from 0; a field with the value None is removed.

    `section` is the path of the table that has the tests. Returns the 1-based line of every test in the new
    text. Raises `UsageError` if the file cannot be edited, `IoError`.
    """
    with _editing(file, section):
        text = with_updates(TomlFile(file).text, section, updates)
        replace_text(file, text)
    return lines_of_tables(text, (*section, "tests"), len(_value_at(parse(text), section)["tests"]))


def _fields(test: QueryTest) -> dict[str, Any]:
    """The fields of a test that differ from their defaults. Raises `UsageError` for an invalid test."""
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
def _editing(file: Path, section: tuple[str, ...]) -> Iterator[None]:
    """Lock the folder of a file during an edit, and raise `UsageError` or `IoError` for its errors."""
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
    """The tests of a text are written in a form that this program cannot edit."""


def with_test(text: str, section: TablePath, fields: Fields) -> str:
    """The text with another test in the table at the path `section`. Raises `EditError`.

    The test is written below the last `[[tests]]`, at the end of a list of tests, or at the end of the text.
    """
    data = _comparable_data(text)
    table = _value_at(data, section)
    is_new = "tests" not in table
    tests = table.setdefault("tests", [])
    if not isinstance(tests, list):
        raise EditError
    begins = lines_of_tables(text, (*section, "tests"), len(tests))
    tests.append(dict(fields))
    lines = text.split("\n")
    if is_new:
        new = _insert_block(text, len(lines), _test_text(section, fields))
    elif begins and lines[begins[-1] - 1].lstrip().startswith("[["):
        new = _insert_block(text, _end_of_table(text, lines, begins[-1]), _test_text(section, fields))
    else:
        new = _append_to_list(text, section, fields)
    return _checked(new, data)


def with_updates(text: str, section: TablePath, updates: Mapping[int, Fields]) -> str:
    """The text with other fields in some tests, given by their index; fields that are None are removed.

    Raises `EditError`.
    """
    data = _comparable_data(text)
    with _edit_errors():
        document = tomlkit.parse(text)
        for tests in (_value_at(data, section)["tests"], _value_at(document, section)["tests"]):
            for number, fields in updates.items():
                for name, value in fields.items():
                    if value is None:
                        tests[number].pop(name, None)
                    else:
                        tests[number][name] = value
    return _checked(_with_line_ends_of(tomlkit.dumps(document), text), data)


def _comparable_data(text: str) -> dict[str, Any]:
    """The data of a text, with a NaN as a string, since it does not equal itself."""
    return parse(text, parse_float=lambda number: number if "nan" in number else float(number))


def _checked(text: str, data: dict[str, Any]) -> str:
    """The text, if its data are exactly `data`; else raises `EditError`."""
    try:
        is_same = _comparable_data(text) == data
    except ValueError:
        is_same = False
    if not is_same:
        raise EditError
    return text


def _value_at(data: Any, section: TablePath) -> Any:
    for step in section:
        data = data[step]
    return data


@contextmanager
def _edit_errors() -> Iterator[None]:
    """Raise `EditError` where tomlkit cannot read a text (a key of a hundred parts), or finds no test."""
    try:
        yield
    except (TOMLKitError, LookupError, TypeError):
        raise EditError from None


def _test_text(section: TablePath, fields: Fields) -> str:
    """A test as a table `[[tests]]`, with the items of long lists on lines of their own."""
    item = tomlkit.item(dict(fields))
    for name in ("expect", "forbid"):
        if len(fields.get(name, ())) > 1:
            item[name].multiline(True)
    return f"[[{'.'.join((*section, 'tests'))}]]\n{item.as_string()}"


def _append_to_list(text: str, section: TablePath, fields: Fields) -> str:
    """The text with another test in the list `tests = […]`. Raises `EditError`."""
    with _edit_errors():
        document = tomlkit.parse(text)
        item = tomlkit.inline_table()
        item.update(fields)
        _value_at(document, section)["tests"].append(item)
    return _with_line_ends_of(tomlkit.dumps(document), text)


def _end_of_table(text: str, lines: list[str], begin: int) -> int:
    """The last line of the table whose header is in line `begin`, both from 1.

    The empty lines and comments above the next header belong to the next table.
    """
    headers = line_numbers(text, (statement.start for statement in statements(text) if statement.is_header))
    end = next((line - 1 for line in headers if line > begin), len(lines))
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return end


def _insert_block(text: str, line: int, block: str) -> str:
    """The text with a block below the line `line`, from 1, between empty lines."""
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


def _with_line_ends_of(new: str, old: str) -> str:
    """A text that tomlkit wrote, which has one kind of line ends, with the line ends of the old text."""
    return re.sub(r"\r?\n", "\r\n", new) if "\r\n" in old and not re.search(r"(?<!\r)\n", old) else new
