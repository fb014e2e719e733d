"""Which directories are scopes (rule C15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.errors import UsageError
from ctxcache.scopes.project import Scan, ScopeProject, scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]

LARGE = "x" * 4 * 4096
SMALL = LARGE[:-4]


def scopes(found: Scan) -> list[str]:
    """The names of the eligible directories."""
    return [directory.scope for directory in found.eligible]


def test_the_threshold_counts_the_directorys_own_sources(tree: Tree) -> None:
    root = tree(
        {
            "exact/a.py": LARGE,
            "rounded/a.py": SMALL + "x",
            "below/a.py": SMALL,
            "together/a.py": SMALL[:9000],
            "together/b.md": SMALL[:9000],
            "data/a.json": LARGE,
            "data/picture.png": LARGE,
        }
    )
    found = scan(ScopeProject(root))
    assert scopes(found) == [".", "exact", "rounded", "together"]
    assert found.skipped == 1


def test_what_leads_to_a_scope_is_one(tree: Tree) -> None:
    found = scan(ScopeProject(tree({"a/b/c/d.py": LARGE, "a/x/y/z.py": "small"})))
    assert scopes(found) == [".", "a", "a/b", "a/b/c"]
    assert found.skipped == 2


def test_the_root_is_a_scope_even_when_it_is_empty(tree: Tree) -> None:
    found = scan(ScopeProject(tree({})))
    assert scopes(found) == ["."]
    assert found.skipped == 0


def test_hidden_dependency_and_build_folders_are_skipped(tree: Tree) -> None:
    skipped = [".git", ".venv", ".github", "node_modules", "vendor", "build", "dist", "target", "__pycache__"]
    root = tree(
        {f"{name}/a.py": LARGE for name in [*skipped, "x.egg-info", "src/node_modules", "src/builder"]}
    )
    assert scopes(scan(ScopeProject(root))) == [".", "src", "src/builder"]


def test_a_skipped_folder_can_be_taken_back(tree: Tree) -> None:
    root = tree({".contextignore": "!build/\n", ".gitignore": "!.github/\n"})
    tree({"build/a.py": LARGE, ".github/a.yml": LARGE, "dist/a.py": LARGE})
    assert scopes(scan(ScopeProject(root))) == [".", ".github", "build"]


def test_ignore_files_decide_as_git_does(tree: Tree) -> None:
    root = tree(
        {
            ".gitignore": "/generated/\n*.gen.py\n",
            ".contextignore": "old/\n!keep.gen.py\n",
            "src/.contextignore": "inner/\n",
            **{f"{name}/a.py": LARGE for name in ("generated", "src/generated", "old", "src/inner", "inner")},
            "gen/a.gen.py": LARGE,
            "kept/keep.gen.py": LARGE,
        }
    )
    assert scopes(scan(ScopeProject(root))) == [".", "inner", "kept", "src", "src/generated"]


def test_a_folder_behind_a_link_is_no_scope(tree: Tree) -> None:
    root = tree({"src/a.py": LARGE})
    (root / "alias").symlink_to("src")
    (root / "src" / "up").symlink_to("..")
    assert scopes(scan(ScopeProject(root))) == [".", "src"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ctx.toml", "[scopes]\nmin_tokens = 10\n"),
        ("pyproject.toml", "[tool.ctx.scopes]\nmin_tokens = 10\n"),
    ],
)
def test_a_project_sets_its_threshold(tree: Tree, name: str, text: str) -> None:
    root = tree({name: text, "src/a.py": "x" * 40, "tests/a.py": "x" * 36})
    assert scopes(scan(ScopeProject(root))) == [".", "src"]
    assert scopes(scan(ScopeProject(root, min_tokens=0))) == [".", "src", "tests"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[scopes]\nmin_tokens = '10'\n", "ctx.toml: scopes.min_tokens: must be a valid integer"),
        ("[scopes]\nminimum = 10\n", "ctx.toml: scopes.minimum: there is no such key"),
        ("scopes = 1\n", "ctx.toml: scopes: must be a table"),
        ("[scopes\n", "ctx.toml: cannot be read as TOML"),
    ],
)
def test_wrong_settings_name_the_file_and_the_key(tree: Tree, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        scan(ScopeProject(tree({"ctx.toml": text})))


def test_a_hundred_levels_are_walked(tree: Tree) -> None:
    found = scan(ScopeProject(tree({"/".join("d" * 100) + "/a.py": LARGE})))
    assert len(found.eligible) == 101


@pytest.mark.parametrize("text", ["x = " + "[" * 5_000, "x = " + "9" * 5_000, "#" * (3 << 20)])
def test_settings_that_no_parser_takes_are_refused_in_a_line(tree: Tree, text: str) -> None:
    """Somebody else's `pyproject.toml` is no reason for an internal error."""
    root = tree({"pyproject.toml": text, "a.py": LARGE})
    with pytest.raises(UsageError, match=r"pyproject\.toml: cannot be read as TOML") as refused:
        scan(ScopeProject(root))
    assert "\n" not in str(refused.value)
