"""A run of any length is read in a time and a space that grow with it, no faster."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import pytest

from ctxcache.text import Analyzer

LENGTH = 100_000
UNITS = ("a", "1", "_", "-", "aB", "v1", "1.", "-a", "a_", "a#", "1.2a-b", "é", "中a", "\\_")
READ = f"""
from ctxcache.text import Analyzer
english = Analyzer("english-2")
for unit in {UNITS!a}:
    for ending in (".b", "+a"):
        print(english.frequencies(unit * ({LENGTH} // len(unit)) + ending).words)
"""
HANGS = 60  # seconds; what rescans a run from each of its characters takes many minutes


def test_a_long_run_of_any_shape_is_read_without_scanning_it_again() -> None:
    found = subprocess.run([sys.executable, "-c", READ], capture_output=True, timeout=HANGS, check=True)
    assert len(found.stdout.split()) == 2 * len(UNITS)


@pytest.mark.parametrize(
    ("run", "terms"),
    [
        ("1.2a-b#", {"1", "2a", "2", "a", "b"}),  # what hangs on a version is no name, nor are its parts
        ("1.2a-b-1.2", {"1", "2a", "2", "a", "b"}),
        ("__c++", {"c", "c++"}),
        ("_a-b", {"a", "b"}),
    ],
)
def test_names_begin_where_a_stretch_begins(run: str, terms: set[str]) -> None:
    assert set(Analyzer("english-2").frequencies(run).terms) == terms


def test_a_text_in_one_run_takes_little_memory() -> None:
    """Han without punctuation, as in a long table of characters, is one run of very many words."""
    text = "".join(chr(0x4E00 + 7919 * place % 5003) for place in range(LENGTH))
    tracemalloc.start()
    found = Analyzer("english-2").frequencies(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.words == LENGTH - 1
    assert peak < 250 * LENGTH
