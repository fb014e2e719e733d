"""What `ctx scope validate` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.validate import export_name, validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]


def test_every_fault_is_named_with_its_place(tree: Tree, context: Context) -> None:
    root = tree(
        {
            ".context.yaml": context(files=[{"name": "a.py"}], novelty=1),
            "a/.context.yaml": "version: [",
            "b/.context.yaml": context(version=2),
            "c/.context.yaml": context(scope="c"),
            "d/d.py": "no context is no fault",
        }
    )
    assert [(fault.scope, fault.problem) for fault in validate(ScopeProject(root))] == [
        (".", "files[0].purpose: is required"),
        (".", "novelty: is no field of the schema"),
        ("a", "line 2: did not find expected node content"),
        (
            "b",
            "Unsupported schema version 2 (this tool supports version 1). "
            "Upgrade dotcontext to read this file.",
        ),
    ]


def test_strictly_what_is_named_must_be_there(tree: Tree, context: Context) -> None:
    files = [
        {"name": "quay.py", "purpose": "x", "test_file": "tests/test_quay.py"},
        {"name": "gone.py", "purpose": "x", "test_file": "tests/test_gone.py"},
    ]
    text = context(
        scope="port",
        files=files,
        subdirectories=[{"name": "dues/", "summary": "x"}, {"name": "moon/", "summary": "x"}],
        structure=[{"path": "port/dues", "summary": "x"}, {"path": "sea", "summary": "x"}],
        exports=["def moor(ship: Ship) -> Berth", "class Ship", "Ship.sail(self)", "def sink()"],
    )
    root = tree(
        {
            "port/.context.yaml": text,
            "port/quay.py": "class Ship:\n    def sail(self): ...\n\ndef moor(ship): ...\n",
            "port/dues/d.py": "",
            "tests/test_quay.py": "",
        }
    )
    assert validate(ScopeProject(root)) == []
    assert [fault.problem for fault in validate(ScopeProject(root), strict=True)] == [
        "files[1].name: there is no file 'gone.py'",
        "files[1].test_file: there is no file 'tests/test_gone.py'",
        "subdirectories[1].name: there is no directory 'moon/'",
        "structure[1].path: there is no 'sea'",
        "exports[3]: nothing here is called 'sink'",
    ]


def test_strictly_a_context_names_its_own_scope(tree: Tree, context: Context) -> None:
    root = tree({"port/.context.yaml": context(scope="harbour")})
    assert [fault.problem for fault in validate(ScopeProject(root), strict=True)] == [
        "scope: 'harbour' stands in 'port'"
    ]


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("async def load(path: Path) -> dict[str, int]", "load"),
        ("class Ship(Vessel)", "Ship"),
        ("class Ship", "Ship"),
        ("Ship.sail(self, to)", "sail"),
        ("export function moor<T>(ship: T): Berth", "moor"),
        ("moor(ship: Ship): Promise<Berth>", "moor"),
        ("pub struct Berth", "Berth"),
        ("type Tide = High | Low", "Tide"),
        ("func (s *Ship) Sail(to string) error", "Sail"),
        ("MAX_DRAUGHT", "MAX_DRAUGHT"),
        ("const MAX = 3", "MAX"),
        ("...", ""),
    ],
)
def test_the_name_is_found_in_a_signature(signature: str, name: str) -> None:
    assert export_name(signature) == name
