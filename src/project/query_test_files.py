"""Files of query tests, and writing to them: a test added, tests brought up to date."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ..arguments import DEFAULT_BUDGET
from ..cache.locks import locked
from ..errors import IoError, UsageError
from ..safeio import replace_text
from .config import QueryTestFile, QueryTestSection, Written, key_path, own_words, shown
from .edits import EditError, with_test, with_updates
from .project import NAME, PYPROJECT, Project, load_project

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ..resolver.query_tests import QueryTest

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

    Raises `UsageError` when it speaks of no cache of the project, says nothing, is there already or
    cannot be written there, `IoError`.
    """
    project.cache(test.cache)
    fields = _fields(test)
    with _changing(project.file, project.section):
        present = load_project(project.file)
        line = next((each.line for each in present.tests if replace(each, line=test.line) == test), None)
        if line is not None:
            raise UsageError(f"this test is there already, {shown(project.file)}:{line}")
        text = with_test(Written(project.file).text, project.section, fields)
        replace_text(project.file, text)


def update_tests(file: Path, section: tuple[str, ...], updates: Mapping[int, Mapping[str, Any]]) -> None:
    """Replace fields of the tests with these numbers, from 0; a field that becomes None is removed.

    `section` leads to the table that holds them. Raises `UsageError` when they cannot be changed
    there, `IoError`.
    """
    with _changing(file, section):
        replace_text(file, with_updates(Written(file).text, section, updates))


def _fields(test: QueryTest) -> dict[str, Any]:
    """What is written of a test: not what is the default. Raises `UsageError` for what is none."""
    fields = {name: getattr(test, name) for name in _FIELDS}
    fields = {name: value for name, value in fields.items() if value is not None and value is not False}
    fields = {name: value for name, value in fields.items() if value != []}
    if fields["budget"] == DEFAULT_BUDGET:
        del fields["budget"]
    try:
        QueryTestSection.model_validate(fields)
    except ValidationError as error:
        details = error.errors()[0]
        about = ": ".join(filter(None, (key_path(details["loc"]), own_words(details["msg"]))))
        raise UsageError(f"not a test: {about}") from None
    return fields


@contextmanager
def _changing(file: Path, section: tuple[str, ...]) -> Iterator[None]:
    """Read, edit and replace a file of tests while no one else does; with errors of ours."""
    try:
        with locked(file.resolve().parent):
            yield
    except EditError:
        form = f"[[{'.'.join((*section, 'tests'))}]]"
        raise UsageError(
            f"{shown(file)}: nothing is written, because its tests are in a form that cannot be edited; "
            f"write each as a table {form}"
        ) from None
    except OSError as error:
        raise IoError(f"{shown(file)}: {error.strerror}") from None
