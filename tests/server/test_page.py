"""The examples of `docs/mcp.md` against a server of the sample caches."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctxcache.server.serve import ServeOptions, toolbox_of
from ctxcache.server.tools.tool import RequestError

if TYPE_CHECKING:
    from ctxcache.server.tools.toolbox import Toolbox

REPO = Path(__file__).parents[2]
EXAMPLES = re.findall(
    r"^→ (\S+) (\{.*\})\n((?s:.*?))^```$", (REPO / "docs" / "mcp.md").read_text("utf-8"), re.MULTILINE
)


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


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 7
