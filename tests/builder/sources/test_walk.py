"""A walk takes what it should, says why it leaves the rest, and comes back."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from ctxcache.builder.report import Skipped, SourceError
from ctxcache.builder.sources.source_filter import Rules
from ctxcache.builder.sources.walk import Walk, walk
from ctxcache.errors import IoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctxcache.builder.sources.source_filter import Directory

Tree = Callable[..., Path]


def ids(found: Walk) -> list[str]:
    """The ids of the files that a walk took."""
    return [file.id for file in found.files]


def rules_of(found: Walk) -> dict[str, str]:
    """The rule for each path that a walk left out."""
    return {skipped.path: skipped.rule for skipped in found.skipped}


def test_every_entry_is_a_file_or_has_one_line_with_its_rule(tree: Tree) -> None:
    root = tree(
        {
            "a.md": "a",
            "guide/b.rst": "b",
            "guide/c.txt": "",
            "guide/.gitignore": "# by-products\n\n\nbuild/\n",
            "guide/build/d.md": "d",
            "guide/build/deep/e.md": "e",
            "logo.png": b"\x89PNG\0",
            "main.py": "print()",
            "Makefile": "all:",
            "node_modules/x/README.md": "x",
            "big.md": "x" * 11,
        }
    )
    found = walk(root, Rules(max_file_bytes=10))
    assert ids(found) == ["a.md", "guide/b.rst", "guide/c.txt"]
    assert rules_of(found) == {
        "Makefile": "not a text format (no extension)",
        "big.md": "larger than 10 bytes (11)",
        "guide/build/": "guide/.gitignore:4 build/",
        "logo.png": "not a text format (.png)",
        "main.py": "not a text format (.py)",
        "node_modules/": "default exclusion node_modules/",
    }
    assert [skipped.path for skipped in found.skipped if skipped.fault] == ["big.md"]
    assert found.warnings == ()


def test_a_file_that_was_taken_says_what_it_is(tree: Tree) -> None:
    root = tree({"guide/b.md": "four"})
    [file] = walk(root).files
    assert (file.id, file.size) == ("guide/b.md", 4)
    assert file.path == root / "guide/b.md"
    assert file.mtime_ns == file.path.stat().st_mtime_ns


@pytest.mark.parametrize(
    "name", ["a.md", "a.MD", "a.markdown", "a.mdx", "a.rst", "a.adoc", "a.asciidoc", "a.txt", "a.b.md"]
)
def test_text_formats_are_known_by_their_extension(tree: Tree, name: str) -> None:
    assert ids(walk(tree({name: ""}))) == [name]


def test_two_files_of_the_same_content_are_two_documents(tree: Tree) -> None:
    assert ids(walk(tree({"a.md": "same", "b.md": "same", "c.md": "", "d.md": ""}))) == [
        "a.md",
        "b.md",
        "c.md",
        "d.md",
    ]


def test_the_order_is_that_of_utf8_bytes_whatever_the_folder_says(tree: Tree) -> None:
    """Created in two orders; `a b`, `a-b`, `a/b` and an emoji beside U+FFFD are where locales disagree."""
    names = ["a b.md", "a-b.md", "a/b.md", "a.md", "B.md", "b.md", "é.md", "\uffee.md", "\U0001f600.md"]
    first = ids(walk(tree(dict.fromkeys(names, "x"))))
    assert first == sorted(names, key=str.encode)


def test_names_may_be_strange(tree: Tree) -> None:
    names = [
        " .md",
        "a b.md",
        "a-b.md",
        "'q\".md",
        "new\nline.md",
        "--help.md",
        "\U0001f600.md",
        "\\.md",
        "*.md",
    ]
    assert ids(walk(tree(dict.fromkeys(names, "x")))) == sorted(names)


def test_case_twins_are_two_documents(tree: Tree) -> None:
    assert ids(walk(tree({"Readme.md": "1", "readme.md": "2"}))) == ["Readme.md", "readme.md"]


def test_ids_are_nfc_and_the_file_is_still_found(tree: Tree) -> None:
    [file] = walk(tree({"cafe\u0301/u\u0308.md": "x"})).files
    assert file.id == "caf\xe9/\xfc.md"
    assert file.path.read_text() == "x"


def test_two_files_of_one_id_are_an_error_that_names_both(tree: Tree) -> None:
    root = tree({"cafe\u0301.md": "1", "caf\xe9.md": "2"})
    with pytest.raises(SourceError, match=r"'cafe\\u0301.md' and 'caf\\xe9.md' .* 'caf\\xe9.md'"):
        walk(root)
    assert ids(walk(root, Rules(exclude=("cafe\u0301.md",)))) == ["caf\xe9.md"]


def test_a_name_that_is_not_utf8_is_skipped_and_shown_escaped(tree: Tree) -> None:
    """A lone surrogate must never get out: it would break JSON and terminals."""
    root = tree({"ok.md": ""})
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.md")).touch()
    Path(os.fsdecode(os.fsencode(root) + b"/d\xff")).mkdir()
    found = walk(root)
    assert ids(found) == ["ok.md"]
    assert found.skipped == (
        Skipped("caf\\xe9.md", "name is not UTF-8", fault=True),
        Skipped("d\\xff/", "name is not UTF-8", fault=True),
    )
    assert str(found.skipped).encode()


def test_links_are_never_followed(tree: Tree, tmp_path: Path) -> None:
    """Neither out of the folder nor in a circle; what a link inside leads to is found where it is."""
    root = tree({"sub/a.md": "x"})
    (tmp_path / "secret.md").write_text("secret")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "up").symlink_to("..")
    (root / "sub/loop").symlink_to(".")
    (root / "self.md").symlink_to("self.md")
    (root / "twin.md").symlink_to("sub/a.md")
    found = walk(root)
    assert ids(found) == ["sub/a.md"]
    links = ("out.md", "self.md", "sub/loop", "twin.md", "up")
    assert rules_of(found) == dict.fromkeys(links, "symbolic link, not followed")


def test_the_folder_itself_may_be_a_link(tree: Tree, tmp_path: Path) -> None:
    tree({"a.md": "x"})
    (tmp_path / "link").symlink_to("root")
    assert ids(walk(tmp_path / "link")) == ["a.md"]


def test_pipes_and_sockets_are_not_opened(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"a.md": "x"})
    monkeypatch.chdir(root)  # the path of a socket has little room
    os.mkfifo("pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.md")
        found = walk(root)
    assert rules_of(found) == {
        "pipe.md": "not a regular file (FIFO)",
        "socket.md": "not a regular file (socket)",
    }


def test_a_folder_that_cannot_be_listed_is_reported(unprivileged: Path) -> None:
    (unprivileged / "open").mkdir()
    (unprivileged / "open/a.md").touch()
    (unprivileged / "shut").mkdir(mode=0)
    found = walk(unprivileged)
    assert ids(found) == ["open/a.md"]
    assert found.skipped == (Skipped("shut/", "unreadable (permission denied)", fault=True, unreadable=True),)
    assert found.warnings == ()


def test_a_source_folder_that_cannot_be_listed_is_an_error(unprivileged: Path) -> None:
    """An empty cache would say that there is nothing."""
    (unprivileged / "shut").mkdir(mode=0)
    with pytest.raises(IoError, match=r"shut/?: unreadable \(permission denied\)"):
        walk(unprivileged / "shut")


def test_what_vanishes_while_it_is_walked_is_reported(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder goes after its parent was listed, a file after its folder was."""
    root = tree({"gone/a.md": "x", "here/b.md": "x", "here/c.md": "x"})
    module = import_module("ctxcache.builder.sources.walk")
    list_entries = module.entries

    def entries(folder: bytes, directory: Directory, skipped: list[Skipped]) -> list[os.DirEntry[bytes]]:
        found: list[os.DirEntry[bytes]] = list_entries(folder, directory, skipped)
        if directory.name == b"":
            shutil.rmtree(root / "gone")
        elif directory.name == b"here/":
            (root / "here/b.md").unlink()
        return found

    monkeypatch.setattr(module, "entries", entries)
    found = walk(root)
    assert ids(found) == ["here/c.md"]
    vanished = "vanished while the folder was read"
    assert rules_of(found) == {"gone/": vanished, "here/b.md": vanished}


def test_a_walk_survives_a_folder_that_changes_under_it(tree: Tree) -> None:
    """Another process makes and removes folders all the while: no walk fails, and what stays is found."""
    root = tree({"stay.md": "x"})
    script = (
        "import pathlib, shutil, sys\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "while True:\n"
        "    for i in range(20): (root / f'd{i}/e').mkdir(parents=True); (root / f'd{i}/e/f.md').touch()\n"
        "    for i in range(20): shutil.rmtree(root / f'd{i}')\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(root)]) as other:
        try:
            assert all("stay.md" in ids(walk(root)) for _ in range(100))
        finally:
            other.kill()


def test_a_folder_deeper_than_a_path_may_be_is_reported(tree: Tree) -> None:
    root = tree({"a.md": "x"})
    at = os.open(root, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("x" * 200, dir_fd=at)
        inner = os.open("x" * 200, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    found = walk(root)
    assert ids(found) == ["a.md"]
    assert [(skipped.rule, skipped.fault) for skipped in found.skipped] == [
        ("unreadable (ENAMETOOLONG)", True)
    ]


def test_there_must_be_a_folder(tree: Tree) -> None:
    root = tree({"a.md": "x"})
    for place in (root / "none", root / "a.md"):
        with pytest.raises(SourceError, match="no such folder"):
            walk(place)


def test_an_empty_folder_is_an_empty_walk(tree: Tree) -> None:
    assert walk(tree()) == Walk(files=(), skipped=(), warnings=())


@pytest.mark.parametrize("name", ["..md", "...md", ".notes.md", "-.md", " .md", "a..md"])
def test_a_name_of_dots_and_a_suffix_is_a_document(tree: Tree, name: str) -> None:
    """Only a name that begins with its last dot, such as `.md`, is a hidden file without a suffix."""
    found = walk(tree({name: "x", ".md": "x"}))
    assert ids(found) == [name]
    assert rules_of(found) == {".md": "not a text format (no extension)"}


def test_a_file_that_is_named_as_a_sheet_of_a_workbook_is_no_document(tree: Tree) -> None:
    """`stock.xlsx/prices` is the sheet `prices` of a workbook, whose path is `stock.xlsx`."""
    root = tree({"stock.xlsx/prices": "1", "stock.xlsx/read.md": "# Read\n", "plain/prices": "1"})
    walked = walk(root, Rules(include=("**",)))
    assert [file.id for file in walked.files] == ["plain/prices", "stock.xlsx/read.md"]
    rule = "named as a sheet of a workbook is: rename its folder"
    assert walked.skipped == (Skipped("stock.xlsx/prices", rule, fault=True),)
