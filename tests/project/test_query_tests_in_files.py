"""Writing query tests into the files of their authors."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ctxcache.errors import IoError, UsageError
from ctxcache.project.edits import add_test, read_tests, update_tests
from ctxcache.project.project import load_project, require_project
from ctxcache.resolver.query_tests import QueryTest

if TYPE_CHECKING:
    from pathlib import Path


def query_test(query: str, **fields: object) -> QueryTest:
    return QueryTest(cache="handbook", query=query, **{"expect": [], "forbid": []} | fields)  # type: ignore[arg-type]  # as each test has it


def test_a_test_is_added_below_those_that_are_there(project: Path) -> None:
    """Everything else stays as it was, and what is the default is not written."""
    before = (project / "ctx.toml").read_text("utf-8")
    add_test(require_project(project), query_test('wer "hat" Größe\t?', expect=["oncall.md"]))
    after = (project / "ctx.toml").read_text("utf-8")
    assert after.startswith(before.rstrip())
    assert "budget" not in after.removeprefix(before)
    last = require_project(project).tests[-1]
    assert (last.query, last.expect, last.budget) == ('wer "hat" Größe\t?', ["oncall.md"], 4000)


def test_all_fields_of_a_test_are_written(project: Path) -> None:
    test = query_test("q", expect=["a"], any=True, forbid=["b/"], at_most_rank=3, min_score=0.5, budget=7)
    add_test(require_project(project), test)
    last = require_project(project).tests[-1]
    assert (last.expect, last.any, last.forbid) == (["a"], True, ["b/"])
    assert (last.at_most_rank, last.min_score, last.budget) == (3, 0.5, 7)


def test_a_first_test_makes_the_table(project: Path) -> None:
    (project / "ctx.toml").write_text('[caches.handbook]\nsources = "docs"  # kept\n')
    add_test(require_project(project), query_test("q", forbid=["b"]))
    assert (project / "ctx.toml").read_text().startswith('[caches.handbook]\nsources = "docs"  # kept\n')
    assert [test.query for test in require_project(project).tests] == ["q"]


def test_a_pyproject_takes_tests_too(project: Path) -> None:
    (project / "ctx.toml").unlink()
    text = '[project]\nname = "x" # me\n\n[tool.ctx.caches.handbook]\nsources = "docs"\n\n[tool.a]\nb = 1\n'
    (project / "pyproject.toml").write_text(text)
    for query in ("one", "two"):
        add_test(require_project(project), query_test(query, forbid=["b"]))
    assert [test.query for test in load_project(project / "pyproject.toml").tests] == ["one", "two"]
    assert 'name = "x" # me' in (project / "pyproject.toml").read_text()


def test_what_is_no_test_is_not_written(project: Path) -> None:
    before = (project / "ctx.toml").read_bytes()
    with pytest.raises(UsageError, match=r"^not a test: says neither"):
        add_test(require_project(project), query_test("q"))
    with pytest.raises(UsageError, match="there is no cache 'x'"):
        add_test(require_project(project), QueryTest(cache="x", query="q", expect=["a"], forbid=[]))
    assert (project / "ctx.toml").read_bytes() == before


def test_a_test_that_is_there_is_not_added_twice(project: Path) -> None:
    test = query_test("q", budget=0, expect=["oncall.md"])
    add_test(require_project(project), test)
    assert require_project(project).tests[-1].budget == 0
    before = (project / "ctx.toml").read_bytes()
    with pytest.raises(UsageError, match=r"^this test is there already, ctx.toml:10$"):
        add_test(require_project(project), test)
    assert (project / "ctx.toml").read_bytes() == before


def test_a_form_that_cannot_be_edited_is_refused_with_the_remedy(project: Path) -> None:
    (project / "ctx.toml").unlink()
    text = '[tool]\nctx = {caches = {handbook = {sources = "docs"}}}\n'
    (project / "pyproject.toml").write_text(text)
    with pytest.raises(UsageError, match=r"^pyproject.toml: nothing is written.*\[\[tool.ctx.tests\]\]$"):
        add_test(require_project(project), query_test("q", forbid=["b"]))
    assert (project / "pyproject.toml").read_text() == text


def test_those_who_save_at_once_lose_no_test(project: Path) -> None:
    found = require_project(project)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: add_test(found, query_test(f"query {n}", forbid=["b"])), range(24)))
    assert len(require_project(project).tests) == 25
    assert [path.name for path in project.iterdir() if path.name.endswith(".new")] == []


def test_fields_are_replaced_in_place(project: Path) -> None:
    (project / "own.toml").write_text(
        '# mine\n[[tests]]\ncache = "c"\nquery = "q"\nexpect = ["a"]  # why\nat_most_rank = 1\n'
    )
    update_tests(project / "own.toml", (), {0: {"expect": ["b", "c"], "at_most_rank": None}})
    assert (project / "own.toml").read_text() == (
        '# mine\n[[tests]]\ncache = "c"\nquery = "q"\nexpect = ["b", "c"]  # why\n'
    )
    assert read_tests(project / "own.toml")[0].line == 2


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is refused to root")
def test_a_file_that_cannot_be_written_is_an_io_error(project: Path) -> None:
    project.chmod(0o500)
    try:
        with pytest.raises(IoError, match=r"ctx.toml: Permission denied"):
            add_test(require_project(project), query_test("q", forbid=["b"]))
    finally:
        project.chmod(0o700)
