"""Patterns that name documents."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys

import pytest

from ctxcache.resolver.query_tests import DocumentPattern


@pytest.mark.parametrize(
    ("pattern", "id_", "source", "matches"),
    [
        ("a/b.md", "a/b.md", "a/b.md", True),
        ("a/b.md", "a/b.md#part", "a/b.md", True),
        ("a/b.md#part", "a/b.md#part", "a/b.md", True),
        ("a/b.md#part", "a/b.md#other", "a/b.md", False),
        ("b.md", "a/b.md", "a/b.md", False),
        ("a/", "a/b.md", "a/b.md", True),
        ("a/", "a/c/b.md", "a/c/b.md", True),
        ("a/", "ab/b.md", "ab/b.md", False),
        ("a/*.md", "a/b.md#part", "a/b.md", True),
        ("a/*.md", "a/c/b.md", "a/c/b.md", False),
        ("a/**/*.md", "a/b.md", "a/b.md", True),
        ("a/**/*.md", "a/c/d/b.md", "a/c/d/b.md", True),
        ("**/b.md", "b.md", "b.md", True),
        ("?.md", "b.md", "b.md", True),
        ("?.md", "bc.md", "bc.md", False),
        ("*#part", "b.md#part", "b.md", True),
        ("a.md", "axmd", "axmd", False),
        ("[x].md", "[x].md", "[x].md", True),
        ("what?*.md", "what?*.md", "what?*.md", True),
        ("*\n.md", "a\n.md", "a\n.md", True),
    ],
)
def test_a_pattern_means_an_id_a_source_a_folder_or_a_glob(
    pattern: str, id_: str, source: str, matches: bool
) -> None:
    assert DocumentPattern(pattern).matches(id_, source) is matches


def test_a_glob_means_what_its_wildcards_mean_one_by_one() -> None:
    """Held against the plain translation, which tries everything, over all small globs and names."""
    plain = {"*": "[^/]*", "**": ".*", "**/": "(?:.*/)?"}
    names = ["".join(name) for size in range(6) for name in itertools.product("ab/", repeat=size)]
    for pieces in itertools.product(("*", "**", "a", "b", "/"), repeat=4):
        glob = "".join(pieces)
        if glob.endswith("/"):
            continue
        cut = re.findall(r"(?<![^/])\*\*/|\*{2,}|.", glob)
        expected = re.compile("".join(plain.get(p, plain["**"] if p.startswith("**") else p) for p in cut))
        match = DocumentPattern(glob).matches
        assert [n for n in names if match(n, n)] == [
            n for n in names if expected.fullmatch(n) or n == glob
        ], glob


def test_no_pattern_takes_long() -> None:
    """A guard against hanging: trying everything takes longer than anybody lives."""
    program = """
from ctxcache.resolver.query_tests import DocumentPattern
for unit, name in (("**/", "a/"), ("*a", "a"), ("**/a/", "a/"), ("**a*", "a"), ("a**/", "a/"), ("?*", "a")):
    print(DocumentPattern(unit * 40 + "x").matches(name * 100, name * 100))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True)
    assert found.stdout.split() == [b"False"] * 6
