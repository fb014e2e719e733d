"""Ignore rules agree with git, pattern by pattern and file by file."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess

import pytest

from ctxcache.builder.sources.gitignore import IgnoreMatch, IgnoreRules, PatternList
from ctxcache.patterns import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

ATOMS = (
    *("a", "b", "ab", "x.md", "é", "*", "*", "*.md", "?", "/", "/", "**", "**/", "/**", "***", "a**"),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]a]", "[a-]", "[a-c-e]", "[z-a]", "[\\]]", "[a/b]", "[a"),
    *("[[:alpha:]]", "[[:punct:]]", "[[:x:]]", "[[:upper:]b]", "\\", "\\a", "\\*", "!", "#", " ", "\\ "),
    *("\t", "\r", "\\/", "**\\/"),
)  # fmt: skip
NAMES = (
    "a",
    "b",
    "ab",
    "abc",
    "x.md",
    "é",
    "a b",
    "a ",
    " a",
    "#a",
    "!a",
    "*",
    "[a",
    "a]",
    "-",
    "ba",
    "\\a",
    "a\\",
)
GIT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}

# Where text and then `**` come first: older git reads the rest as a pattern of its own.
_AFTER_TEXT = re.compile(r"!?/?[^*?\[\\]*[^*?\[\\/]\*\*")

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="compares with git")


def reads_a_double_star_as_one(root: Path) -> bool:
    """Whether git is so new that it reads a `**` behind text as a `*`, as we do."""
    (root / ".gitignore").write_text("a**/b\n")
    return git_rulings(root, [b"a/x/b"])[b"a/x/b"] is None


def git_rulings(root: Path, paths: list[bytes]) -> dict[bytes, tuple[bool, str] | None]:
    """Ask git which pattern decides for each path: negated or not, and its place."""
    output = subprocess.run(
        ["git", "check-ignore", "--verbose", "--non-matching", "-z", "--stdin", "--no-index"],
        cwd=root,
        env=GIT,
        input=b"".join(path + b"\0" for path in paths),
        stdout=subprocess.PIPE,
    ).stdout.split(b"\0")
    fields = zip(*(output[start::4] for start in range(4)), strict=False)
    return {
        path: (pattern.startswith(b"!"), f"{file.decode()}:{line.decode()} ") if file else None
        for file, line, pattern, path in fields
    }


def our_rulings(root: Path, *, told: bool = False) -> dict[bytes, IgnoreMatch | None]:
    """Descend as a walk does and note the ruling for each path; the rules may be told what folders hold."""
    rulings: dict[bytes, IgnoreMatch | None] = {}

    def descend(below: bytes, rules: IgnoreRules) -> None:
        for entry in os.scandir(os.fsencode(root) + b"/" + below):
            is_dir = entry.is_dir(follow_symlinks=False)
            ruling = rules.decide(entry.name, is_dir)
            if entry.name != b".git":
                rulings[below + entry.name] = ruling
                if is_dir and not (ruling and ruling.excluded):
                    holds = {os.fsdecode(inner.name) for inner in os.scandir(entry.path)} if told else None
                    descend(below + entry.name + b"/", rules.enter(entry.name, holds))

    descend(b"", IgnoreRules.at(os.fsencode(root), (".gitignore",)))
    return rulings


def grow(chance: random.Random, folder: Path, left_out: re.Pattern[str] | None, depth: int = 0) -> None:
    """Write a random tree with ignore files of random patterns, but those `left_out`."""
    for name in chance.sample(NAMES, chance.randint(2, 6)):
        if depth < 4 and chance.random() < 0.5:
            (folder / name).mkdir()
            grow(chance, folder / name, left_out, depth + 1)
        else:
            (folder / name).touch()
    if depth == 0 or chance.random() < 0.4:
        patterns = [
            chance.choice(("", "", "", "!"))
            + chance.choice(("", "", "", "/"))
            + "".join(chance.choices(ATOMS, k=chance.randint(1, 6)))
            + chance.choice(("", "", "", "/"))
            for _ in range(chance.randint(1, 6))
        ]
        patterns = [one for one in patterns if not (left_out and left_out.match(one))]
        text = chance.choice(("", "", "\ufeff")) + chance.choice(("\n", "\r\n")).join(patterns)
        (folder / ".gitignore").write_bytes((text + chance.choice(("", "\n"))).encode())


@needs_git
def test_random_trees_are_ignored_as_git_ignores_them(tmp_path: Path) -> None:
    """The same pattern decides for every path: not only the same outcome."""
    chance = random.Random(20)
    matched = 0
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], env=GIT, check=True)
    left_out = None if reads_a_double_star_as_one(tmp_path) else _AFTER_TEXT
    (tmp_path / ".gitignore").unlink()
    for number in range(50):
        root = tmp_path / str(number)
        subprocess.run(["git", "init", "--quiet", str(root)], env=GIT, check=True)
        grow(chance, root, left_out)
        ours = our_rulings(root)
        assert our_rulings(root, told=True) == ours
        for path, git in git_rulings(root, sorted(ours)).items():
            ruling = ours[path]
            assert (ruling is None) == (git is None), (root, path)
            if ruling and git:
                assert ruling.negated == git[0] and ruling.reason.startswith(git[1]), (root, path)
                matched += 1
    assert matched > 400


def ignored(text: str | bytes, path: str, is_dir: bool = False) -> bool:
    """Whether an ignore file with this text excludes the path, its parents left aside."""
    lines = (text.encode() if isinstance(text, str) else text).split(b"\n")
    patterns = [("", pattern) for line in lines if (pattern := parse(line, 1))]
    ruling = PatternList(patterns).match(path.encode(), path.encode().split(b"/")[-1], is_dir)
    return ruling is not None and ruling.excluded


@pytest.mark.parametrize(
    ("pattern", "matches", "differs"),
    [
        ("build", "a/build", "a/builder"),
        ("/build", "build", "a/build"),
        ("a/b", "a/b", "x/a/b"),
        ("*.md", "a/x.md", "a/x.mdx"),
        ("a/*.md", "a/x.md", "a/b/x.md"),
        ("**/x", "a/b/x", "a/b/y"),
        ("a/**", "a/b/c", "a"),
        ("a/**/z", "a/z", "az"),
        ("a/**/z", "a/b/c/z", "a/b/c/y"),
        ("a**/z", "ab/z", "a/b/z"),
        ("a**/z", "a/z", "az"),
        ("/a**/*z", "ab/cz", "a b/c/z"),
        ("a/**b/z", "a/xb/z", "a/x/b/z"),
        ("[a]**/z", "ab/z", "a/b/z"),
        ("\\\\**/z", "\\b/z", "\\b/c/z"),
        ("trailing  ", "trailing", "trailing  "),
        ("kept\\ ", "kept ", "kept"),
        ("\\#x", "#x", "x"),
        ("\\!x", "!x", "x"),
        ("[!a-c]x", "dx", "ax"),
        ("?", "a", "é"),
    ],
)
def test_one_pattern(pattern: str, matches: str, differs: str) -> None:
    """Each line shows one rule of gitignore's manual; `?` is one byte there."""
    assert ignored(pattern, matches)
    assert not ignored(pattern, differs)


def test_a_trailing_slash_speaks_of_folders_only() -> None:
    assert ignored("build/", "a/build", is_dir=True)
    assert not ignored("build/", "a/build")


def test_the_last_matching_line_decides() -> None:
    assert not ignored("*.md\n!keep.md", "keep.md")
    assert ignored("!keep.md\n*.md", "keep.md")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/" + "*a" * 30 + "b", "a" * 250),
        ("**/a/" * 30 + "b", "/".join("a" * 1500)),
        ("/" + "**/*a*/" * 20 + "b", "/".join(["aaaa"] * 800)),
        ("x" + "**\\/a" * 10, "x" + "/a" * 2000 + "b"),
    ],
)
def test_no_pattern_takes_forever(pattern: str, path: str) -> None:
    """A matcher that backtracks would not come back from these."""
    assert not ignored(pattern, path)


def test_a_file_of_another_name_can_be_read(tmp_path: Path) -> None:
    """Scopes read `.contextignore`; the later name wins at one level."""
    (tmp_path / ".gitignore").write_text("a\nb\n")
    (tmp_path / ".contextignore").write_text("!b\n")
    rules = IgnoreRules.at(os.fsencode(tmp_path), (".gitignore", ".contextignore"))
    assert rules.decide(b"a", False) == IgnoreMatch(False, ".gitignore:1 a")
    assert rules.decide(b"b", False) == IgnoreMatch(True, ".contextignore:1 !b")


def test_parents_count_up_to_the_root_of_the_work_tree(tmp_path: Path) -> None:
    """As in git, and no further: what lies above the work tree is no part of the project."""
    (tmp_path / ".gitignore").write_text("beyond\n")
    docs = tmp_path / "project" / "docs"
    docs.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    (tmp_path / "project" / ".gitignore").write_text("# top\n/docs/draft\n/docs\n")
    rules = IgnoreRules.at(os.fsencode(docs))
    assert rules.decide(b"draft", True) == IgnoreMatch(False, "../.gitignore:2 /docs/draft")
    assert rules.decide(b"beyond", True) is None


def test_only_ignore_files_that_a_folder_holds_are_looked_for(tmp_path: Path) -> None:
    """Whoever has listed a folder spares the search; one that came later belongs to the next walk."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / ".gitignore").write_text("draft\n")
    rules = IgnoreRules.at(os.fsencode(tmp_path))
    assert rules.enter(b"docs", {"a.md"}).decide(b"draft", False) is None
    assert rules.enter(b"docs", {"a.md", ".gitignore"}).decide(b"draft", False)
    assert rules.enter(b"docs").decide(b"draft", False)


def test_a_folder_outside_of_any_work_tree_has_its_own_rules_only(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("draft\n")
    docs = tmp_path / "docs"
    docs.mkdir()
    assert IgnoreRules.at(os.fsencode(docs)).decide(b"draft", False) is None


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "huge"])
def test_an_ignore_file_that_is_no_file_is_reported(tmp_path: Path, kind: str) -> None:
    """git does not follow a link here either; a pipe must not hang."""
    place = tmp_path / ".gitignore"
    if kind == "link":
        (tmp_path / "elsewhere").write_text("*\n")
        place.symlink_to("elsewhere")
    elif kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.write_bytes(b"x\n" * (1 << 20))
    rules = IgnoreRules.at(os.fsencode(tmp_path))
    assert rules.decide(b"x", False) is None
    [problem] = rules.problems
    assert problem.path == ".gitignore"
    assert re.search("its rules do not apply$", problem.message)
