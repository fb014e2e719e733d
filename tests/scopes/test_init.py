"""`ctx scope init`: what is written is derived, true and valid."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import list_contexts, query_context, status
from ctxcache.scopes.validate import validate
from ctxcache.scopes.write import init

if TYPE_CHECKING:
    from collections.abc import Callable

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]

NOW = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)

HARBOUR = {
    "README.md": (
        "# Harbour\n\n[![ci](a)](b)\n\nKeeps berths and who lies there. Made for small ports. And more.\n"
    ),
    "pyproject.toml": (
        '[project]\nname = "harbour"\ndescription = "Berths for small ports"\n'
        'dependencies = ["numpy>=2", "flask>=3"]\n[project.scripts]\nmoor = "quay.cli:main"\n[tool.pytest]\n'
    ),
    "uv.lock": "",
    "quay/__init__.py": '"""The quay: berths, and who lies there."""\n',
    "quay/berth.py": (
        '"""One berth."""\n\nimport numpy as np\nfrom tide.table import high\nimport requests\n\n'
        "def moor(ship: str, at: int = 0) -> bool: ...\ndef _knot(): ...\n"
        "class Berth:\n    def free(self) -> bool: ...\n"
    ),
    "tide/table.py": "def high(at: int) -> float: ...\n",
    "tide/port.py": 'import os\nPORT = os.environ["PORT_NAME"]\n',
    "tests/test_berth.py": "def test_berth(): ...\n",
    "docs/dues.md": "# What a berth costs\n\nBy length.\n",
    "docs/tides.md": "# Reading the tides\n",
    "empty/data.bin": "\x00",
}


def written(root: Path, *, full: bool = False) -> dict[str, dict[str, Any]]:
    """Init a project with every directory a scope, and read what was written."""
    project = ScopeProject(root, min_tokens=0)
    report = init(project, full=full, now=NOW)
    return {item.scope: query_context(project, item.scope).data["context"] for item in report.written}


def test_a_lean_root_has_summary_project_and_structure(tree: Tree) -> None:
    root = written(tree(HARBOUR))["."]
    assert root["summary"] == "Harbour: Keeps berths and who lies there. Made for small ports."
    assert root["project"] == {
        "name": "harbour",
        "description": "Berths for small ports",
        "language": "Python",
        "framework": "flask",
        "package_manager": "uv",
    }
    assert root["dependencies"] == {"external": ["flask>=3", "numpy>=2"]}
    assert root["structure"][:2] == [
        {"path": "docs", "summary": "2 documents: What a berth costs; Reading the tides"},
        {"path": "quay", "summary": "The quay: berths, and who lies there"},
    ]
    assert [below["name"] for below in root["subdirectories"]] == ["docs/", "quay/", "tests/", "tide/"]
    assert root["last_updated"] == "2026-03-01T08:30:00.000Z"
    assert "ctx scope rehash ." in root["maintenance"]


def test_a_lean_package_has_exports_and_internal_dependencies(tree: Tree) -> None:
    quay = written(tree(HARBOUR))["quay"]
    assert quay["summary"] == "The quay: berths, and who lies there."
    assert quay["exports"] == ["def moor(ship: str, at: int = 0) -> bool", "class Berth"]
    assert quay["dependencies"] == {"internal": ["tide"]}
    assert quay["derived_fields"] == [
        *("version", "scope", "fingerprint", "last_updated", "summary", "exports", "dependencies.internal")
    ]
    assert "files" not in quay


def test_a_full_context_has_everything_that_can_be_derived(tree: Tree) -> None:
    contexts = written(tree(HARBOUR), full=True)
    quay, tide = contexts["quay"], contexts["tide"]
    assert quay["files"] == [
        {"name": "__init__.py", "purpose": "The quay: berths, and who lies there"},
        {"name": "berth.py", "purpose": "One berth", "test_file": "tests/test_berth.py"},
    ]
    assert quay["exports"][-1] == "Berth.free() -> bool"
    assert quay["dependencies"] == {"internal": ["tide"], "external": ["numpy>=2"]}
    assert tide["environment"] == ["PORT_NAME"]
    assert tide["files"] == [{"name": "table.py", "purpose": "Defines high"}]
    assert contexts["."]["interfaces"] == [{"name": "moor", "description": "Command; runs quay.cli:main"}]
    assert contexts["."]["testing"] == ["pytest"]
    assert contexts["."]["config"] == ["pyproject.toml"]


def test_what_no_source_says_is_told_by_what_is_there(tree: Tree) -> None:
    contexts = written(tree(HARBOUR))
    assert contexts["tide"]["summary"] == "2 Python files: table.py (high); port.py."
    assert contexts["tests"]["summary"] == "Python test file: test_berth.py (test_berth)."
    assert "exports" not in contexts["tests"]


def test_what_is_written_is_fresh_valid_and_strictly_true(tree: Tree) -> None:
    for full in (False, True):
        root = tree(HARBOUR)
        project = ScopeProject(root, min_tokens=0)
        init(project, full=full, now=NOW)
        assert validate(project, strict=True) == []
        assert status(project).clean
        assert {entry["state"] for entry in list_contexts(project).data["entries"]} == {"fresh"}
        for path in root.rglob(".context.yaml"):
            path.unlink()


def test_the_same_project_gives_the_same_bytes(tree: Tree, tmp_path: Path) -> None:
    def everything(root: Path) -> dict[str, bytes]:
        init(ScopeProject(root, min_tokens=0), full=True, now=NOW)
        return {
            str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob(".context.yaml"))
        }

    first = everything(tree(HARBOUR))
    other = tmp_path / "elsewhere"
    for name in reversed(HARBOUR):
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_bytes(HARBOUR[name].encode())
    assert everything(other) == first


def test_an_existing_file_is_never_touched(tree: Tree, context: Context) -> None:
    """Not even one that is broken; and a good one speaks for its directory."""
    root = tree(HARBOUR | {"quay/.context.yaml": context(summary="By hand."), "tide/.context.yaml": "["})
    project = ScopeProject(root, min_tokens=0)
    report = init(project, now=NOW)
    assert report.kept == ("quay", "tide")
    assert (root / "quay" / ".context.yaml").read_text() == context(summary="By hand.")
    assert (root / "tide" / ".context.yaml").read_text() == "["
    below = query_context(project, ".").data["context"]["subdirectories"]
    assert {"name": "quay/", "summary": "By hand"} in below


def test_small_directories_have_a_line_in_the_one_above(tree: Tree) -> None:
    """They have no context of their own, so the parent's is the only one that tells of them."""
    project = ScopeProject(tree(HARBOUR))
    report = init(project, now=NOW)
    assert [item.scope for item in report.written] == ["."]
    assert report.skipped == 4
    below = query_context(project, ".").data["context"]["subdirectories"]
    assert {"name": "quay/", "summary": "The quay: berths, and who lies there"} in below


def test_nothing_is_invented(tree: Tree) -> None:
    """A project that says nothing of itself gets no project and a summary that asks for one."""
    contexts = written(tree({"x.dat": "1"}))
    assert set(contexts["."]) == {
        *("version", "scope", "fingerprint", "last_updated", "summary", "maintenance", "derived_fields")
    }
    assert "summary" not in contexts["."]["derived_fields"]


def test_a_chain_of_folders_is_followed_to_its_sources(tree: Tree) -> None:
    contexts = written(
        tree({"java/src/main/com/Quay.java": "/** A quay with berths. */\npublic class Quay {}\n"})
    )
    assert contexts["java"]["summary"].startswith("Leads to src/main/com/")
    assert [part["path"] for part in contexts["."]["structure"]] == ["java/src/main/com"]


def test_very_many_exports_become_names_or_nothing(tree: Tree) -> None:
    many = "".join(f"def function_{number}(): ...\n" for number in range(150))
    contexts = written(tree({"many/a.py": many, "most/a.py": many, "most/b.py": many.replace("_", "__")}))
    assert contexts["many"]["exports"][0] == "function_0"
    assert "exports" not in contexts["most"]


def test_an_odd_scope_is_quoted_in_the_command(tree: Tree) -> None:
    contexts = written(tree({"it's here/a.py": "x = 1\n"}))
    assert "`ctx scope rehash 'it'\\''s here'`" in contexts["it's here"]["maintenance"]


def test_a_scope_is_never_an_option_of_the_command(tree: Tree) -> None:
    contexts = written(tree({"-x/a.py": "A = 1\n"}))
    assert "`ctx scope rehash ./-x`" in contexts["-x"]["maintenance"]


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names are UTF-8 there")
def test_a_file_whose_name_is_no_text_ends_nothing(tree: Tree) -> None:
    """No context can name it; it counts for the fingerprint as ever."""
    root = tree({"quay/a.py": "x = 1\n"})
    Path(os.fsdecode(os.fsencode(root / "quay") + b"/\xff.py")).write_text("y = 1\n")
    assert written(root)["quay"]["summary"] == "Python file: a.py."
    assert status(ScopeProject(root, min_tokens=0)).clean


def test_a_full_context_that_would_be_too_large_is_a_lean_one(tree: Tree) -> None:
    """A file that its own reader refuses would be worse than a short one."""
    name = "a" * 100
    root = tree({f"{name}{number}.md": f"# {'Title ' * 25}\n" for number in range(1000)})
    assert "files" not in written(root, full=True)["."]
