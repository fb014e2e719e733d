"""The examples of `docs/mcp.md` against a server of the sample caches."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctxcache.server.serve import ServeOptions, toolbox_of
from ctxcache.server.toolbox import RequestError

if TYPE_CHECKING:
    from ctxcache.server.toolbox import Toolbox

REPO = Path(__file__).parents[2]
PAGE = (REPO / "docs" / "mcp.md").read_text("utf-8")
EXAMPLES = re.findall(r"^→ (\S+) (\{.*\})\n((?s:.*?))^```$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def toolbox() -> Toolbox:
    return toolbox_of(ServeOptions(cache_root=str(REPO / "sample_caches"), project=str(REPO / "docs")))


@pytest.mark.parametrize(("name", "arguments", "shown"), EXAMPLES)
def test_an_example_is_what_the_server_says(toolbox: Toolbox, name: str, arguments: str, shown: str) -> None:
    """`…` stands for anything."""
    try:
        said = toolbox.call(name, json.loads(arguments)).text
    except RequestError as error:
        said = f"error -32602: {error}"
    pattern = ".*".join(map(re.escape, shown.rstrip("\n").split("…")))
    assert re.fullmatch(pattern, said.rstrip("\n")), said


def test_the_tables_of_costs_are_true_of_the_sample_handbook() -> None:
    """What its answers cost as text, and what each part of a document does."""
    command = [sys.executable, "-m", "benchmarks.answers", "sample_caches/handbook"]
    measured = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout
    shares = re.findall(r"^(\d+) \S+handbook: (\d\.\d\d) x", measured, re.MULTILINE)
    budgets = re.findall(r"^\| ([\d,]+) \| \d+ \| (\d\.\d\d) \|", PAGE, re.MULTILINE)
    assert [(budget.replace(",", ""), share) for budget, share in budgets] == shares
    at_4000 = next(line for line in measured.splitlines() if line.startswith("4000 "))
    parts = re.findall(r"^\| [^|]+ \| (\d+\.\d) \| \d+\.\d \|", PAGE, re.MULTILINE)
    assert sorted(parts) == sorted(re.findall(r" (\d+\.\d)(?:,|$)", at_4000.partition(";")[2]))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 7
