"""The two fingerprints (rule C14), computed here a second time by the letter of the rule."""

from __future__ import annotations

import errno
import hashlib
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from ctxcache.safeio import new_beside
from ctxcache.scopes import fingerprint
from ctxcache.scopes.fingerprint import Memo, content_fingerprint, stat_fingerprint
from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import scope_documents, status
from ctxcache.scopes.validate import validate
from ctxcache.scopes.write import init, rehash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]

NAMES = [
    "b.py",
    "a",
    "a.py",
    "a-b",
    "Z",
    "é.md",
    "日本.md",
    "\U0001f600.md",
    "\uff5e.md",
    "data.bin",
    ".hidden",
]


def by_rule(lines: list[str]) -> str:
    """The first 8 hex digits of the SHA-256 of the sorted lines, joined by a newline."""
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:8]


def by_times(root: Path) -> str:
    """The fingerprint by times of the project's root."""
    return stat_fingerprint(ScopeProject(root).listing(str(root.resolve())).files)


def by_content(root: Path) -> str:
    """The fingerprint by content of the project's root."""
    return content_fingerprint(str(root), ScopeProject(root).listing(str(root.resolve())).files, Memo())


def test_by_times_it_is_names_milliseconds_and_sizes(tree: Tree) -> None:
    root = tree({name: name * 3 for name in NAMES} | {".context.yaml": "x", "below/c.py": "x"})
    for number, name in enumerate(NAMES):
        os.utime(root / name, ns=(0, 1_700_000_000_999_999_999 + number * 10**6))
    expected = by_rule(
        [
            f"{name}:{1_700_000_000_999 + number}:{len((name * 3).encode())}"
            for number, name in enumerate(NAMES)
        ]
    )
    assert by_times(root) == expected


def test_milliseconds_are_rounded_down_before_1970_too(tree: Tree) -> None:
    root = tree({"a.py": ""})
    os.utime(root / "a.py", ns=(0, -1))
    assert by_times(root) == by_rule(["a.py:-1:0"])


def test_by_content_it_is_names_and_hashes(tree: Tree) -> None:
    root = tree({name: name for name in NAMES} | {".context.yaml": "x"})
    assert by_content(root) == by_rule(
        [f"{name}:{hashlib.sha256(name.encode()).hexdigest()}" for name in NAMES]
    )


def test_a_folder_without_files_has_a_fingerprint(tree: Tree) -> None:
    root = tree({"below/c.py": ""})
    assert by_times(root) == by_content(root) == by_rule([]) == "e3b0c442"


def test_links_pipes_and_folders_do_not_count(tree: Tree) -> None:
    root = tree({"a.py": "x", "below/c.py": ""})
    before = by_times(root), by_content(root)
    (root / "link.py").symlink_to("a.py")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe.py")
    assert (by_times(root), by_content(root)) == before


def test_an_ignored_file_counts_by_times_only(tree: Tree) -> None:
    """A clone does not have it, so by content it must not count; the original tool counts all."""
    root = tree({"a.py": "x", ".gitignore": "*.log\n"})
    before = by_times(root), by_content(root)
    tree({"run.log": "noise"})
    assert by_times(root) != before[0]
    assert by_content(root) == before[1]


def test_a_name_that_is_not_utf8_counts_by_its_bytes(tree: Tree) -> None:
    root = tree({"a.py": "x"})
    before = by_content(root)
    with open(os.fsencode(root) + b"/\xff.py", "wb"):  # noqa: PTH123 - a name in bytes
        pass
    assert by_content(root) != before


def test_a_file_larger_than_one_read_counts_whole(tree: Tree) -> None:
    text = "x" * (3 * 2**20) + "end"
    root = tree({"a.txt": text})
    assert by_content(root) == by_rule([f"a.txt:{hashlib.sha256(text.encode()).hexdigest()}"])


def refuse_to_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse a file, whoever asks: root may read what nobody else may."""
    hash_file = fingerprint._hash_file

    def hash_or_fail(path: str, size: int) -> str:
        if path.endswith(name):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return hash_file(path, size)

    monkeypatch.setattr(fingerprint, "_hash_file", hash_or_fail)


def test_a_file_that_cannot_be_read_is_not_told_to_be_unchanged(
    tree: Tree, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its scope is stale, which says why, and no command says that its context is true again."""
    root = tree({"a.py": "x", "b.py": "y"})
    file = root / ".context.yaml"
    file.write_text(context(scope="."), "utf-8")
    rehash(ScopeProject(root), now=datetime(2026, 3, 1, tzinfo=UTC))
    before = file.read_bytes()
    refuse_to_read("b.py", monkeypatch)
    (scope,) = status(ScopeProject(root)).scopes
    assert (scope.state, scope.reasons) == ("stale", ("b.py: cannot be read",))
    with pytest.raises(OSError, match=r"b\.py"):
        rehash(ScopeProject(root), now=datetime(2026, 3, 2, tzinfo=UTC))
    assert file.read_bytes() == before
    assert status(ScopeProject(root)).count("stale") == 1


def test_a_scope_that_cannot_be_read_costs_no_other_its_context(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = "value = 1\n" * 2000
    root = tree({"a.py": "x", "one/b.py": large, "two/c.py": large})
    refuse_to_read("b.py", monkeypatch)
    with pytest.raises(OSError, match=r"b\.py"):
        init(ScopeProject(root), now=datetime(2026, 3, 1, tzinfo=UTC))
    assert sorted(path.parent.name for path in root.rglob(".context.yaml")) == sorted([root.name, "two"])


@pytest.mark.parametrize("replaced", [".context.yaml", "ctx.toml", ".mcp.json"])
def test_a_new_file_that_a_killed_run_leaves_is_no_file_of_the_directory(
    tree: Tree, context: Context, replaced: str
) -> None:
    root = tree({"a.py": "x", ".context.yaml": context(scope=".")})
    rehash(ScopeProject(root), now=datetime(2026, 3, 1, tzinfo=UTC))
    with new_beside(root / replaced) as (new, _):
        assert new.exists()
        assert status(ScopeProject(root)).count("fresh") == 1


@pytest.mark.skipif(os.name == "nt", reason="no permission keeps a file from being read there")
@pytest.mark.parametrize("shut", ["below/README.md", "pyproject.toml", "below/.context.yaml", "below"])
def test_a_context_is_not_written_from_less_than_is_there(unprivileged: Path, shut: str) -> None:
    """What cannot be read, or listed, is not absent: its directory and those above it get no context."""
    (unprivileged / "below").mkdir()
    for name in ("below/README.md", "below/.context.yaml", "pyproject.toml"):
        (unprivileged / name).write_text("# Moors ships\n\nMoors ships at the quay.\n", "utf-8")
    (unprivileged / shut).chmod(0)
    with pytest.raises(PermissionError) as refused:
        init(ScopeProject(unprivileged, min_tokens=0), now=datetime(2026, 3, 1, tzinfo=UTC))
    assert str(refused.value.filename).endswith(shut)
    assert not (unprivileged / ".context.yaml").exists()


@pytest.mark.skipif(os.name == "nt", reason="no permission keeps a file from being read there")
@pytest.mark.parametrize("shut", ["below", "below/.context.yaml", "below/.gitignore"])
def test_what_cannot_be_read_costs_its_own_scope(unprivileged: Path, context: Context, shut: str) -> None:
    (unprivileged / "below").mkdir()
    (unprivileged / ".context.yaml").write_text(context(scope="."), "utf-8")
    (unprivileged / "below/.context.yaml").write_text(context(scope="below"), "utf-8")
    (unprivileged / "below/.gitignore").write_text("", "utf-8")
    (unprivileged / shut).chmod(0)
    project = ScopeProject(unprivileged)
    scopes = {scope.scope: scope for scope in status(project).scopes}
    assert (scopes["."].state, scopes["below"].state) == ("stale", "invalid")
    faults = [fault for fault in validate(project) if fault.scope == "below"]
    assert [fault.problem for fault in faults] == list(scopes["below"].reasons) != []
    with pytest.raises(OSError, match="Permission denied"):
        rehash(project, now=datetime(2026, 3, 1, tzinfo=UTC))
    with pytest.raises(OSError, match="Permission denied"):
        scope_documents(project)


@pytest.mark.skipif(os.name == "nt", reason="no permission keeps a file from being read there")
def test_a_name_is_not_told_to_be_wrong_where_it_cannot_be_looked_up(
    unprivileged: Path, context: Context
) -> None:
    text = context(scope=".", exports=["def moor()"])
    (unprivileged / ".context.yaml").write_text(text, "utf-8")
    (unprivileged / "quay.py").write_text("def moor(): ...\n", "utf-8")
    assert validate(ScopeProject(unprivileged), strict=True) == []
    (unprivileged / "quay.py").chmod(0)
    faults = validate(ScopeProject(unprivileged), strict=True)
    assert [fault.problem for fault in faults] == ["quay.py: unreadable (permission denied)"]
