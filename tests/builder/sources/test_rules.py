"""Patterns: what they take, what they leave, what they take back, and which did nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxcache.builder.report import Notice, SourceError
from ctxcache.builder.sources.source_filter import DEFAULT_EXCLUSIONS, OWN, Rules
from ctxcache.builder.sources.walk import Walk, explain_path, walk
from ctxcache.errors import UsageError

Tree = Callable[..., Path]

FILES = {
    "README.md": "",
    "guide/a.md": "",
    "guide/b.rst": "",
    "guide/pic.png": b"\0",
    "src/main.py": "",
    "src/notes.md": "",
    "drafts/x.md": "",
}


def ids(found: Walk) -> list[str]:
    """The ids of the files that a walk took."""
    return [file.id for file in found.files]


@pytest.mark.parametrize(
    ("include", "taken"),
    [
        (("*.rst",), ["guide/b.rst"]),
        (("**/*.md", "!drafts/"), ["README.md", "guide/a.md", "src/notes.md", "drafts/x.md"]),
        (("*.md", "!drafts/*"), ["README.md", "guide/a.md", "src/notes.md"]),
        (("guide/",), ["guide/a.md", "guide/b.rst"]),
        (("guide/**",), ["guide/a.md", "guide/b.rst", "guide/pic.png"]),
        (("src/*.py", "/*.md"), ["README.md", "src/main.py"]),
        (("!drafts/",), ["README.md", "guide/a.md", "guide/b.rst", "src/notes.md"]),
    ],
)
def test_include_patterns_narrow_the_walk_and_open_formats(
    tree: Tree, include: tuple[str, ...], taken: list[str]
) -> None:
    """A pattern for the file itself takes any format, one for a folder takes the text formats in it."""
    assert ids(walk(tree(FILES), Rules(include=include))) == sorted(taken)


def test_what_no_include_pattern_takes_has_its_line(tree: Tree) -> None:
    found = walk(tree({"a.md": "", "b.md": "", "c.py": ""}), Rules(include=("*.md", "!b.md")))
    assert [(skipped.path, skipped.rule) for skipped in found.skipped] == [
        ("b.md", "include pattern !b.md"),
        ("c.py", "no include pattern matches"),
    ]


def test_exclude_patterns_come_before_every_ignore_file(tree: Tree) -> None:
    root = tree({".ctxignore": "!drafts/\nguide/\n", **FILES})
    found = walk(root, Rules(exclude=("drafts/", "!guide/")))
    assert ids(found) == ["README.md", "guide/a.md", "guide/b.rst", "src/notes.md"]
    assert ("drafts/", "exclude pattern drafts/") in [
        (skipped.path, skipped.rule) for skipped in found.skipped
    ]


def test_ctxignore_wins_over_gitignore_at_its_level(tree: Tree) -> None:
    root = tree(
        {".gitignore": "a.md\nb.md\n", ".ctxignore": "!a.md\nc.md\n", "a.md": "", "b.md": "", "c.md": ""}
    )
    assert ids(walk(root)) == ["a.md"]


def test_a_deeper_gitignore_wins_over_a_ctxignore_above(tree: Tree) -> None:
    root = tree({".ctxignore": "!x.md\n", "sub/.gitignore": "x.md\n", "sub/x.md": "", "x.md": ""})
    assert ids(walk(root)) == ["x.md"]


def test_what_lies_in_an_excluded_folder_cannot_be_taken_back(tree: Tree) -> None:
    root = tree({".gitignore": "out/\n!out/keep.md\n", "out/keep.md": "", "out/.gitignore": "!keep.md\n"})
    assert ids(walk(root)) == []


@pytest.mark.parametrize("pattern", DEFAULT_EXCLUSIONS)
def test_each_default_exclusion_can_be_seen_and_taken_back(tree: Tree, pattern: str) -> None:
    folder = pattern.rstrip("/").replace("*", "x")
    root = tree({f"{folder}/a.md": "", f"deep/{folder}/b.md": ""})
    found = walk(root)
    assert [skipped.rule for skipped in found.skipped] == [f"default exclusion {pattern}"] * 2
    assert len(walk(root, Rules(exclude=(f"!{pattern}",))).files) == 2
    tree({".ctxignore": f"!/{folder}/"})
    assert ids(walk(root)) == [f"{folder}/a.md"]


def test_an_include_pattern_that_names_a_default_exclusion_takes_it_back(tree: Tree) -> None:
    root = tree({"node_modules/lib/a.md": "", "a.md": ""})
    assert ids(walk(root, Rules(include=("node_modules/**/*.md",)))) == ["node_modules/lib/a.md"]
    assert ids(walk(root, Rules(include=("**/*.md",)))) == ["a.md"]


def test_folders_named_like_build_outputs_are_documents(tree: Tree) -> None:
    """`docs/build/` is as often a guide to building as the outcome of one."""
    names = ["build/a.md", "dist/a.md", "target/a.md", "vendor/a.md", ".github/a.md"]
    assert ids(walk(tree(dict.fromkeys(names, "")))) == sorted(names)


def test_a_pattern_that_matches_nothing_is_reported(tree: Tree) -> None:
    rules = Rules(include=("*.md", "*.mkd"), exclude=("drafts/", "draft/", "drafts/x.md"))
    assert walk(tree(FILES), rules).warnings == (
        Notice("", "include pattern *.mkd matches nothing that other rules leave"),
        Notice("", "exclude pattern draft/ matches nothing that other rules leave"),
        Notice("", "exclude pattern drafts/x.md matches nothing that other rules leave"),
    )


def test_an_ignore_file_that_does_not_apply_is_reported(tree: Tree) -> None:
    root = tree({"sub/a.md": ""})
    (root / "sub/.ctxignore").symlink_to("a.md")
    assert walk(root).warnings == (
        Notice("sub/.ctxignore", "symbolic link, not followed: its rules do not apply"),
    )


def test_rules_of_the_work_tree_above_apply_to_a_folder_in_it(tree: Tree) -> None:
    root = tree(
        {
            ".gitignore": "*.log.md\n/docs/draft/\n",
            "docs/a.log.md": "",
            "docs/draft/b.md": "",
            "docs/c.md": "",
        }
    )
    (root / ".git").mkdir()
    found = walk(root / "docs")
    assert ids(found) == ["c.md"]
    assert [(skipped.path, skipped.rule) for skipped in found.skipped] == [
        ("a.log.md", "../.gitignore:1 *.log.md"),
        ("draft/", "../.gitignore:2 /docs/draft/"),
    ]


def test_files_that_speak_to_this_program_are_no_documents(tree: Tree) -> None:
    """Whatever pattern asks for them; and they are no input that was left out."""
    own = {"ctx.toml": "", "sub/.context.yaml": "a: 1", ".ctxignore": "", ".contextignore": ""}
    root = tree(own | {"a.md": "", "other.toml": "", "b/ctx.toml/c.md": ""})
    assert [item.path for item in walk(root).skipped] == ["other.toml"]
    found = walk(root, Rules(include=("**", "ctx.toml", ".context.yaml")))
    assert (ids(found), found.skipped) == (["a.md", "b/ctx.toml/c.md", "other.toml"], ())
    assert explain_path(root, Rules(include=("*",)), "ctx.toml")[1:] == (False, OWN)


def test_format_1_takes_md_files_with_ids_in_lower_case(tree: Tree) -> None:
    root = tree({"Guide/README.md": "", "a.rst": "", "B.MD": "", "node_modules/x.md": ""})
    found = walk(root, Rules(format1=True))
    assert ids(found) == ["guide/readme.md"]
    assert found.files[0].path == root / "Guide/README.md"
    assert [skipped.path for skipped in found.skipped] == ["B.MD", "a.rst", "node_modules/"]


def test_format_1_refuses_two_files_of_one_lower_case_id(tree: Tree) -> None:
    with pytest.raises(SourceError, match=r"'README.md' and 'readme.md' .* 'readme.md'"):
        walk(tree({"README.md": "1", "readme.md": "2"}), Rules(format1=True))


def test_the_size_limit_keeps_the_same_files_in_any_order(tree: Tree, tmp_path: Path) -> None:
    """The limit is one for each file, so that no order can show."""
    names = [f"{n}.md" for n in range(20)]
    here = ids(walk(tree({name: "x" * (n % 5) for n, name in enumerate(names)}), Rules(max_file_bytes=3)))
    other = tmp_path / "other"
    other.mkdir()
    for n, name in reversed(list(enumerate(names))):
        (other / name).write_text("x" * (n % 5))
    assert ids(walk(other, Rules(max_file_bytes=3))) == here
    assert len(here) == 16


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"include": "*.md"}, r"include: '\*.md' is one text; write a list of patterns, \['\*.md'\]"),
        ({"exclude": "drafts/"}, "exclude: 'drafts/' is one text"),
        ({"include": 3}, "include: int is no list of patterns"),
        ({"include": ("a", b"b")}, r"include\[1\]: bytes is no pattern"),
        ({"max_file_bytes": "8"}, "max_file_bytes: '8' is not a positive number"),
        ({"max_file_bytes": 0}, "max_file_bytes: 0 is not"),
    ],
)
def test_what_is_no_list_of_patterns_is_refused(rules: dict[str, Any], says: str) -> None:
    """A text would be read letter by letter, as patterns that match nothing."""
    with pytest.raises(UsageError, match=says):
        Rules(**rules)
