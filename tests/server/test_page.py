"""The examples of `docs/mcp.md` against a server of the sample caches."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctxcache import open_cache
from ctxcache.server.serve import ServeOptions, toolbox_of
from ctxcache.server.tools.tool import RequestError
from ctxcache.text.tokens import token_counter

if TYPE_CHECKING:
    from ctxcache.server.tools.toolbox import Toolbox

REPO = Path(__file__).parents[2]
PAGE = (REPO / "docs" / "mcp.md").read_text("utf-8")
EXAMPLES = re.findall(r"^→ (\S+) (\{.*\})\n((?s:.*?))^```$", PAGE, re.MULTILINE)
QUESTIONS = [
    *("how do we roll back a deployment", "who is on call", "paging escalation", "rotate a secret"),
    *("database migration fails", "incident severity levels", "feature flags", "expense report"),
    *("code review rules", "new employee laptop", "backups restore test", "monitoring alerts"),
    *("release train schedule", "vacation policy", "VPN access"),
]


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


def test_the_table_of_budgets_is_true_of_the_sample_handbook() -> None:
    """What the answers of its fifteen questions cost as text, beside the tokens of the documents in them."""
    rows = re.findall(r"^\| ([\d,]+) \| \d+ \| (\d\.\d\d) \|", PAGE, re.MULTILINE)
    assert len(rows) == 5
    cache, tokens = open_cache(REPO / "sample_caches" / "handbook"), token_counter("o200k_base")
    for budget, shown in rows:
        answers = [cache.resolve(question, int(budget.replace(",", ""))) for question in QUESTIONS]
        used = sum(answer.tokens_used for answer in answers)
        assert sum(tokens(answer.to_json()) for answer in answers) / used == pytest.approx(
            float(shown), abs=0.02
        )


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 7
