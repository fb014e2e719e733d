"""A source file that its grammar takes too much memory for costs itself, and no other file."""

from __future__ import annotations

import shutil
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.generate.tree_worker import TreeReader, syntax_facts
from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import query_context
from ctxcache.scopes.write import init

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

with_grammars = pytest.mark.skipif(find_spec("tree_sitter") is None, reason="it is of the extra `code`")

CODE = {
    ".go": "// Package quay moors.\npackage quay\n\nfunc Moor(ship string) error { return nil }\n",
    ".rs": "//! The quay.\nuse tide::table;\npub struct Berth;\nimpl Berth { pub fn free(&self) {} }\n",
    ".ts": 'import { high } from "./tide"\nexport function moor(ship: string): boolean { return high }\n',
    ".java": "import tide.Table;\n/** A berth. */\npublic class Berth { public int free() { return 1; } }\n",
}


PYTHON = (
    '"""The quay."""\nimport os\nfrom tide import table\n__all__ = ["moor"]\n'
    "def moor(ship: str) -> bool: ...\nclass Berth:\n    def free(self): ...\n"
)


@with_grammars
@pytest.mark.parametrize("suffix", CODE)
def test_another_process_finds_the_same(suffix: str) -> None:
    facts = TreeReader()(suffix, CODE[suffix])
    assert facts == syntax_facts(suffix, CODE[suffix])
    assert facts.exports


@pytest.mark.parametrize("text", [PYTHON, "", "x = 1\n", "def", '"""\\ud800"""\n'])
def test_another_process_finds_the_same_in_python(text: str) -> None:
    assert TreeReader()(".py", text) == syntax_facts(".py", text)


@pytest.mark.skipif(shutil.which("false") is None, reason="it stands for an interpreter that fails")
def test_a_reader_that_does_not_start_is_no_file_without_facts(
    tree: Callable[[dict[str, str]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every context would be written, with nothing in it."""
    root = tree({"quay.py": PYTHON})
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(ChildProcessError, match="did not start"):
        init(ScopeProject(root), now=datetime(2026, 3, 1, tzinfo=UTC))
    assert not (root / ".context.yaml").exists()


def test_threads_that_read_python_change_no_setting_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the parser warns of is silenced, and the filters of warnings are those of all threads."""
    monkeypatch.delattr(warnings, "catch_warnings")
    monkeypatch.delattr(warnings, "simplefilter")
    before = list(warnings.filters)
    with ThreadPoolExecutor(8) as pool:
        readers = pool.map(lambda number: TreeReader()(".py", f'def moor{number}(a="\\d"): ...\n'), range(8))
        names = [facts.exports[0].name for facts in readers]
    assert names == [f"moor{number}" for number in range(8)]
    assert warnings.filters == before


@with_grammars
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
def test_a_file_of_rubbish_costs_itself_alone(tree: Callable[[dict[str, str]], Path]) -> None:
    """Unlimited it takes 5 GB."""
    root = tree({"rubbish.ts": "impl = >" * 4000, "quay.ts": CODE[".ts"]})
    init(ScopeProject(root), now=datetime(2026, 3, 1, tzinfo=UTC))
    context = query_context(ScopeProject(root), ".").data["context"]
    assert context["exports"] == ["function moor(ship: string): boolean"]
