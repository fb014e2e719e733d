"""The line on which a key of a TOML file stands."""

from __future__ import annotations

import pytest

from ctxcache.project.toml_file import line_of, lines_of_tables

TEXT = '''# a comment
top = 1

[caches.one]
sources = "docs"
include = [
    "a",
    "b",
]
text = """
[caches.two]
split = 1
"""

[caches.two]
split = "none"

[[tests]]
query = "first"

  # indented comment
[[tests]]
inline = {a = 1, b = {c = 2}}
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("caches", "one"), 4),
        (("caches", "one", "include", 1), 6),
        (("caches", "one", "text"), 10),
        (("caches", "two"), 15),
        (("caches", "two", "split"), 16),
        (("tests", 0, "query"), 19),
        (("tests", 1), 22),
        (("tests", 1, "inline", "b", "c"), 23),
        (("tests", 1, "missing"), 22),
        (("nowhere",), 1),
        ((), 1),
    ],
)
def test_a_key_is_found_where_its_statement_begins(path: tuple[str | int, ...], line: int) -> None:
    """A header in a string is none; what is not there is looked for in the table around it."""
    assert line_of(TEXT, path) == line


def test_a_file_of_many_lines_is_searched_in_few_steps() -> None:
    """By halving: a parse for each line would take minutes."""
    text = "".join(f"key{number} = {number}\n" for number in range(20_000))
    assert line_of(text, ("key15000",)) == 15_001


def test_the_tables_of_a_list_are_found_in_one_pass() -> None:
    """Twenty thousand tests are read at once; what only looks like a header is none."""
    many = '[[ tests ]]\nquery = "q"\n\n' * 20_000
    assert lines_of_tables(many, ("tests",), 20_000)[-1] == 59_998
    text = f'x = """\n[[tests]]\n"""\n{many[:25]}[[tests]]\n'
    assert lines_of_tables(text, ("tests",), 2) == [4, 7]


def test_a_list_of_tests_in_one_statement_has_one_place() -> None:
    """It was searched once for each of its tests: eighty took a minute."""
    tests = '  { cache = "docs", query = "how", expect = ["a.md"] },\n' * 2_000
    text = f"# first\ntests = [\n{tests}]\n"
    assert lines_of_tables(text, ("tests",), 2_000) == [2] * 2_000


def test_a_key_below_a_long_list_is_found_in_few_steps() -> None:
    """Each line of a list was tried as the end of the file."""
    text = "x = [\n" + "1,\n" * 50_000 + "]\n[caches.docs]\nspilt = 1\n"
    assert line_of(text, ("caches", "docs", "spilt")) == 50_004
