"""`explain_path` names the rule that a build would report, in every case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxcache.builder.report import SourceError
from ctxcache.builder.sources.source_filter import Rules
from ctxcache.builder.sources.walk import Verdict, explain_path, walk

Tree = Callable[..., Path]

FILES = {
    ".gitignore": "build/\n*.log.md\n!keep.log.md\n",
    "a.md": "a",
    "build/b.md": "b",
    "keep.log.md": "c",
    "latin.md": b"caf\xe9",
    "logo.png": b"\0",
    "main.py": "d",
    "mark.md": b"\xef\xbb\xbfe",
}


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("a.md", Verdict("a.md", True, "text format .md, utf-8")),
        ("mark.md", Verdict("mark.md", True, "text format .md, utf-8-sig")),
        ("keep.log.md", Verdict("keep.log.md", True, ".gitignore:3 !keep.log.md, text format .md, utf-8")),
        ("main.py", Verdict("main.py", True, "include pattern *.py, utf-8")),
        ("build/b.md", Verdict("build/", False, ".gitignore:1 build/")),
        ("build", Verdict("build/", False, ".gitignore:1 build/")),
        ("latin.md", Verdict("latin.md", False, "not UTF-8 (byte 0xE9 at offset 3)")),
        ("logo.png", Verdict("logo.png", False, "not a text format (.png)")),
        (".", Verdict("./", True, "folder that is walked")),
    ],
)
def test_the_rule_for_one_path(tree: Tree, path: str, verdict: Verdict) -> None:
    root = tree(FILES)
    rules = Rules(include=("*.py", "/*.md")) if path == "main.py" else Rules()
    assert explain_path(root, rules, path) == verdict
    assert explain_path(root, rules, root / path) == verdict


def test_a_path_relative_to_the_current_folder_is_understood(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree({"docs/a.md": "a"})
    monkeypatch.chdir(root)
    assert explain_path(Path("docs"), Rules(), "docs/a.md").path == "a.md"
    assert explain_path(Path("docs"), Rules(), "a.md").path == "a.md"


def test_explain_and_walk_agree(tree: Tree) -> None:
    root = tree(FILES)
    found = walk(root)
    for skipped in found.skipped:
        assert explain_path(root, Rules(), skipped.path) == Verdict(skipped.path, False, skipped.rule)


@pytest.mark.parametrize("path", ["none.md", "a.md/b", "../other", "/etc/hostname", "nul\0"])
def test_a_path_that_is_not_there_is_an_error(tree: Tree, path: str) -> None:
    with pytest.raises(SourceError):
        explain_path(tree({"sub/a.md": ""}), Rules(), path)


def test_a_link_decides_for_all_below_it(tree: Tree, tmp_path: Path) -> None:
    root = tree({"a.md": "a"})
    (root / "up").symlink_to("..")
    assert explain_path(root, Rules(), "up/root/a.md") == Verdict("up", False, "symbolic link, not followed")
