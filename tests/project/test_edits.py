"""Query tests written into a text: what is there stays as it is, or nothing is written."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcache.project.edits import EditError, with_test, with_updates

A = '[caches.a]\nsources = "docs"\n'
T = '[[tests]]\ncache = "a"\nquery = "one"\nexpect = ["x"]\n'
NEW = {"cache": "a", "query": "two", "budget": 0, "expect": ["y"]}
WRITTEN = '[[tests]]\ncache = "a"\nquery = "two"\nbudget = 0\nexpect = ["y"]\n'


def test_a_test_goes_below_the_last_one_and_moves_nothing() -> None:
    """Comments and empty lines after the last test belong to what follows."""
    text = f"{T}# of the caches\n\n{A}"
    assert with_test(text, (), NEW) == f"{T}\n{WRITTEN}\n# of the caches\n\n{A}"
    assert with_test(f"{T}\n\n{A}", (), NEW) == f"{T}\n{WRITTEN}\n\n{A}"
    assert with_test(f"{T}\n# done", (), NEW) == f"{T}\n{WRITTEN}\n# done"


def test_a_key_of_too_many_parts_for_the_editor_is_refused() -> None:
    """It may stand in a pyproject.toml, in a table of another program."""
    key = "a." * 150 + "b"
    with pytest.raises(EditError):
        with_updates(f"{T}[tool.other]\n{key} = 1\n", (), {0: {"expect": ["y"]}})


def test_a_first_test_goes_to_the_end() -> None:
    assert with_test(A, (), NEW) == f"{A}\n{WRITTEN}"
    assert with_test(f"{A}# end", (), NEW) == f"{A}# end\n\n{WRITTEN}"
    assert with_test(f"{A}\n", (), NEW) == f"{A}\n{WRITTEN}"
    assert with_test("", (), NEW) == WRITTEN


def test_a_test_has_the_line_ends_of_its_file() -> None:
    text = f"{T}\n{A}".replace("\n", "\r\n")
    assert with_test(text, (), NEW) == f"{T}\n{WRITTEN}\n{A}".replace("\n", "\r\n")
    listed = 'tests = [\r\n  {cache = "a", query = "q", expect = ["x"]},\r\n]\r\n'
    assert with_test(listed, (), NEW).count("\n") == with_test(listed, (), NEW).count("\r\n") == 4
    updated = with_updates(text, (), {0: {"expect": None, "forbid": ["z"]}})
    assert updated.count("\n") == updated.count("\r\n")


def test_what_looks_like_a_header_and_is_none_ends_no_table() -> None:
    text = f'{T}forbid = [\n  "a",\n]\nnote = """\n[x]\n"""\n\n[b]\n'
    assert with_test(text, (), NEW) == text.replace("\n[b]\n", f"\n{WRITTEN}\n[b]\n")


@pytest.mark.parametrize(
    "text",
    [
        "tests = []\n",
        'tests = [{cache = "a", query = "q", forbid = ["x"]}] # why\n[caches.a]\nsources = "d"\n',
        'tests = [\n  # one\n  {cache = "a", query = "q", forbid = ["x"]}\n]\n',
        f'{T}\n["x.y"]\nz = nan\n',
        '[["tests"]]\ncache = "a"\nquery = "[[tests]]"\nforbid = ["x"]\n[caches.a]\n',
    ],
)
def test_every_form_of_a_list_of_tests_is_continued(text: str) -> None:
    before, after = tomllib.loads(text), tomllib.loads(with_test(text, (), NEW))
    assert after["tests"] == [*before["tests"], NEW]
    assert list(before) == list(after)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("[tool]\nctx.caches.a.sources = 'docs'\n", "[[tool.ctx.tests]]"),
        ("[tool.ctx.caches.a]\nsources = 'docs'\n[tool.b]\nc = 1\n", "[[tool.ctx.tests]]"),
        ("[tool]\nctx.tests = []\n[tool.a]\n", "tests = [{"),
        ("[tool.a]\n[project]\n[tool.ctx]\ntests = []\n", "tests = [{"),
        ("[tool.a]\n[[tool.ctx.tests]]\nquery = 'q'\n[project]\n[tool.ctx.caches.a]\n", "[[tool.ctx.tests]]"),
    ],
)
def test_a_table_of_pyproject_takes_tests(text: str, form: str) -> None:
    new = with_test(text, ("tool", "ctx"), NEW)
    assert tomllib.loads(new)["tool"]["ctx"]["tests"][-1] == NEW and form in new


def test_what_cannot_be_continued_is_refused() -> None:
    """An inline table is closed where it ends."""
    with pytest.raises(EditError):
        with_test('[tool]\nctx = {caches = {a = {sources = "docs"}}}\n', ("tool", "ctx"), NEW)


def test_fields_are_replaced_in_every_form() -> None:
    for text in (T, 'tests = [{cache = "a", query = "one", expect = ["x"]}]\n'):
        new = with_updates(text, (), {0: {"expect": ["y"], "budget": None}})
        assert tomllib.loads(new)["tests"][0]["expect"] == ["y"]


PARTS = st.sampled_from(
    [
        T,
        T.replace('["x"]', "[\n  'x',\n  # no [y]\n]"),
        "# a comment\n",
        "\n",
        "  # indented [c]\n",
        "[{}]\n",
        "[{}]\nt = '''\n[[tests]]\n\n'''\n",
        "[[list]]\na = [\n[1],\n]\n",
    ]
)


@given(st.lists(PARTS, max_size=8), st.booleans(), st.booleans())
def test_no_line_is_lost_or_moved(parts: list[str], windows: bool, cut: bool) -> None:
    """The old lines stand in the new text in their order, and nothing else is said but the test."""
    text = "".join(part.format(f"t{number}") for number, part in enumerate(parts))
    text = text.replace("\n", "\r\n") if windows else text
    text = text.removesuffix("\n").removesuffix("\r") if cut else text
    new = with_test(text, (), NEW)
    left = iter(new.splitlines())
    assert all(line in left for line in text.splitlines())
    assert new.count("\r\n") == (new.count("\n") if "\r\n" in text else 0)
    data = tomllib.loads(text)
    assert tomllib.loads(new) == data | {"tests": [*data.get("tests", []), NEW]}


def test_tests_that_are_no_list_are_not_added_to() -> None:
    with pytest.raises(EditError):
        with_test("[tests]\nquery = 1\n", (), NEW)
