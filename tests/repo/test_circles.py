"""No import circle of more than two files, whether at run time or for the type checker alone.

Whoever reads one file of a circle must read them all.
"""

from __future__ import annotations

import ast
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name below the package."""
    paths = sorted(SRC.rglob("*.py"))
    return {
        ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that this file names in an import."""
    package = path.relative_to(SRC).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            name = ".".join(part for part in base if part)
            found |= {
                deeper if (deeper := f"{name}.{alias.name}".lstrip(".")) in known else name
                for alias in node.names
            }
    return found & known.keys() - {""}


def reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    """All that `start` leads to."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The groups of modules in which each leads to each other."""
    below = {name: reachable(name, graph) for name in graph}
    return {
        frozenset(each for each in below[name] if name in below[each])
        for name in graph
        if name in below[name]
    }


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": {"d"}, "f": {"a"}}
    assert circles(graph) == {frozenset("abc"), frozenset("de")}


def test_no_import_circle_has_more_than_two_files() -> None:
    known = modules()
    graph = {name: imports(path, known) - {name} for name, path in known.items()}
    assert sum(map(len, graph.values())) > 2 * len(graph)
    assert sorted(sorted(circle) for circle in circles(graph) if len(circle) > 2) == []
