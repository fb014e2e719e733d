"""The time of every parser of documents and ignore files grows with the text and no faster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ctxcache.builder.splitting.blocks import announces
from ctxcache.builder.splitting.formats import scan

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("size", "mixtures"),
    [(1_000, 20), pytest.param(4_000, 250, marks=pytest.mark.slow)],
)
def test_no_family_of_texts_takes_more_than_its_length(size: int, mixtures: int) -> None:
    """A pasted log must not hang a build; CPU time, since most of the work is in regular expressions."""
    options = ("--check", "--size", str(size), "--mixtures", str(mixtures))
    outcome = subprocess.run(
        [sys.executable, "-m", "benchmarks.families", *options], cwd=ROOT, capture_output=True, text=True
    )
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout


def test_a_fence_in_a_list_item_ends_with_the_item() -> None:
    """Nothing behind the item can close it, so nothing there is searched."""
    breaks = scan("- ```\n  # code\n\n# Heading\n\n```\n# code\n```\n", "markdown", 0)
    assert list(breaks.headings.values()) == ["Heading"]


@pytest.mark.parametrize("mark", ["```", "~~~"])
def test_a_fence_in_a_list_item_ends_at_its_closing_line(mark: str) -> None:
    """A shorter one closes nothing, nor does one that is indented as code."""
    longer = mark + mark[0]
    text = f"- {longer}\n  {mark}\n      {longer}\n  # code\n  {longer}\n\n# Heading\n\ntext\n"
    breaks = scan(text, "markdown", 0)
    assert list(breaks.headings.values()) == ["Heading"]


@pytest.mark.parametrize("blank", [0, 1, 15, 16, 17, 1_000])
def test_a_colon_announces_over_any_number_of_blank_lines(blank: int) -> None:
    for text, announced in (("a:", True), ("a：", True), ("a.", False), (":a", False), ("", False)):  # noqa: RUF001 - the CJK colon is meant
        with_blanks = text + "\n" * blank
        assert announces(with_blanks + "b", len(with_blanks)) is announced
