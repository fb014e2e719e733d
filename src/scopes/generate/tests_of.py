"""Which test file goes with which file, by their names alone."""

from __future__ import annotations

import re

from ..kinds import LANGUAGES, suffix_of

_TEST_STEM = re.compile(r"(?:test_(.+)|(.+)_test|(.+)[.-](?:test|spec)|(.+)Tests?)\Z")


def test_target(name: str) -> str | None:
    """The file that a test file is named after: `test_scan.py` after `scan.py`; None if it is no test."""
    stem, dot, suffix = name.rpartition(".")
    if suffix_of(name) not in LANGUAGES:
        return None
    match = _TEST_STEM.match(stem)
    return f"{match[match.lastindex or 0]}{dot}{suffix}" if match else None
