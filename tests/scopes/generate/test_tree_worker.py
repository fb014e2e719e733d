"""A source file that its grammar takes too much memory for costs itself, and no other file."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.generate.tree_worker import TreeReader
from ctxcache.scopes.generate.treesitter import tree_facts
from ctxcache.scopes.project import Project
from ctxcache.scopes.queries import query_context
from ctxcache.scopes.write import init

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("tree_sitter", reason="of the extra `code`")

CODE = {
    ".go": "// Package quay moors.\npackage quay\n\nfunc Moor(ship string) error { return nil }\n",
    ".rs": "//! The quay.\nuse tide::table;\npub struct Berth;\nimpl Berth { pub fn free(&self) {} }\n",
    ".ts": 'import { high } from "./tide"\nexport function moor(ship: string): boolean { return high }\n',
    ".java": "import tide.Table;\n/** A berth. */\npublic class Berth { public int free() { return 1; } }\n",
}


@pytest.mark.parametrize("suffix", CODE)
def test_another_process_finds_the_same(suffix: str) -> None:
    facts = TreeReader()(suffix, CODE[suffix])
    assert facts == tree_facts(suffix, CODE[suffix])
    assert facts.exports


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
def test_a_file_of_rubbish_costs_itself_alone(tree: Callable[[dict[str, str]], Path]) -> None:
    """Unlimited it takes 5 GB."""
    root = tree({"rubbish.ts": "impl = >" * 4000, "quay.ts": CODE[".ts"]})
    init(Project(root), now=datetime(2026, 3, 1, tzinfo=UTC))
    context = query_context(Project(root), ".").data["context"]
    assert context["exports"] == ["function moor(ship: string): boolean"]
