"""Files of query tests, and writing to them: a test added, tests brought up to date.

Edits keep everything else of the file as it is, comments included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tomlkit
from pydantic import ValidationError

from ..errors import IoError, UsageError
from ..resolver.query_tests import DEFAULT_BUDGET, QueryTest
from ..textfile import replace_text
from .model import QueryTestFile, QueryTestSection
from .project import NAME, PYPROJECT, Project, load_project
from .toml import Written, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FIELDS = ("cache", "query", "budget", "expect", "any", "forbid", "at_most_rank", "min_score")


def read_tests(file: Path) -> list[QueryTest]:
    """The tests of a configuration, or of a file that holds nothing but `[[tests]]`.

    Raises `ConfigurationError`, `IoError`.
    """
    if file.name in (NAME, PYPROJECT):
        return load_project(file).tests
    written = Written(file)
    sections = written.read_as(QueryTestFile).tests
    lines = written.table_lines("tests", len(sections))
    return [section.test(line) for section, line in zip(sections, lines, strict=True)]


def add_test(project: Project, test: QueryTest) -> None:
    """Append a test to the project's configuration.

    Raises `UsageError` when it speaks of no cache of the project or says nothing, `IoError`.
    """
    project.cache(test.cache)
    fields = {name: getattr(test, name) for name in _FIELDS}
    fields = {name: value for name, value in fields.items() if value not in (None, [], False)}
    if fields.get("budget") == DEFAULT_BUDGET:
        del fields["budget"]
    try:
        QueryTestSection.model_validate(fields)
    except ValidationError as error:
        raise UsageError(f"not a test: {error.errors()[0]['msg']}") from None
    document = tomlkit.parse(Written(project.file).text)
    table = _table(document, project.section)
    if "tests" not in table:
        table["tests"] = tomlkit.aot()
    table["tests"].append(_written(fields))
    _replace(project.file, document)


def _written(fields: Mapping[str, Any]) -> Any:
    """A test as people write it: after an empty line, a long list a line each."""
    item = tomlkit.item(dict(fields))
    item.trivia.indent = "\n"
    for name in ("expect", "forbid"):
        if len(fields.get(name, ())) > 1:
            item[name].multiline(True)
    return item


def update_tests(file: Path, section: tuple[str, ...], updates: Mapping[int, Mapping[str, Any]]) -> None:
    """Replace fields of the tests with these numbers, from 0; a field that becomes None is removed.

    `section` leads to the table that holds them. Raises `IoError`.
    """
    document = tomlkit.parse(Written(file).text)
    tests = _table(document, section)["tests"]
    for number, fields in updates.items():
        for name, value in fields.items():
            if value is None:
                tests[number].pop(name, None)
            else:
                tests[number][name] = value
    _replace(file, document)


def _table(document: Any, section: tuple[str, ...]) -> Any:
    for step in section:
        document = document[step]
    return document


def _replace(file: Path, document: tomlkit.TOMLDocument) -> None:
    try:
        replace_text(file, tomlkit.dumps(document))
    except OSError as error:
        raise IoError(f"{shown(file)}: {error.strerror}") from None
