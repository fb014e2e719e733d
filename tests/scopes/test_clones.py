"""Freshness by content: a checkout and a `touch` are no change, an edit is, and its file is named."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import ProjectStatus, ScopeStatus, status
from ctxcache.scopes.write import rehash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]

LARGE = "value = 1\n" * 2000
SCOPES = (".", "quay", "quay/dues")


def git(where: Path, *arguments: str) -> None:
    """Run git without the user's configuration."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(where)}
    name = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *name, *arguments], cwd=where, env=environment, check=True, capture_output=True)


@pytest.fixture
def clones(tree: Tree, context: Context, tmp_path: Path) -> tuple[Path, Path]:
    """Two clones of a project with three scopes whose contexts are fresh."""
    files = {"README.md": "# Port\n", ".gitignore": "*.log\n", "run.log": "not in a clone"}
    for scope in SCOPES[1:]:
        files |= {f"{scope}/a.py": LARGE, f"{scope}/b.py": LARGE + "b", f"{scope}/c d.md": "é\n"}
    root = tree(files | {f"{scope}/.context.yaml": context(scope=scope) for scope in SCOPES})
    rehash(ScopeProject(root), now=datetime(2026, 3, 1, tzinfo=UTC))
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "All")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", str(root), name)
    return tmp_path / "one", tmp_path / "two"


def states(found: ProjectStatus) -> dict[str, str]:
    """The state of each scope."""
    return {scope.scope: scope.state for scope in found.scopes}


def only_stale(root: Path) -> ScopeStatus:
    """The one scope that is stale, where all others are fresh."""
    found = status(ScopeProject(root))
    stale = [scope for scope in found.scopes if scope.state != "fresh"]
    assert [scope.state for scope in stale] == ["stale"]
    return stale[0]


def test_every_clone_is_fresh(clones: tuple[Path, Path]) -> None:
    for root in clones:
        assert states(status(ScopeProject(root))) == dict.fromkeys(SCOPES, "fresh")


def test_a_touched_file_changes_nothing(clones: tuple[Path, Path]) -> None:
    os.utime(clones[0] / "quay" / "a.py", (1, 1))
    assert status(ScopeProject(clones[0])).clean


def test_an_edited_file_makes_its_scope_stale_and_is_named(clones: tuple[Path, Path]) -> None:
    with (clones[0] / "quay" / "a.py").open("a") as file:
        file.write("more = 2\n")
    scope = only_stale(clones[0])
    assert scope.scope == "quay"
    assert scope.changes.lines() == ["changed a.py"]
    assert scope.changes.exact
    assert status(ScopeProject(clones[1])).clean


def test_an_edit_of_equal_size_and_time_is_seen(clones: tuple[Path, Path]) -> None:
    path = clones[0] / "quay" / "dues" / "a.py"
    times = path.stat()
    path.write_text(LARGE.replace("1", "2"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert only_stale(clones[0]).changes.changed == ("a.py",)


def test_added_removed_and_renamed_files_are_named(clones: tuple[Path, Path]) -> None:
    quay = clones[0] / "quay"
    (quay / "new.py").write_text("x")
    (quay / "c d.md").unlink()
    (quay / "b.py").rename(quay / "z.py")
    assert only_stale(clones[0]).changes.lines() == [
        "added new.py",
        "added z.py",
        "removed b.py",
        "removed c d.md",
    ]


def test_a_later_commit_is_compared_with_the_one_of_the_context(clones: tuple[Path, Path]) -> None:
    (clones[0] / "quay" / "a.py").write_text("x")
    git(clones[0], "commit", "-qam", "Edit")
    assert only_stale(clones[0]).changes.lines() == ["changed a.py"]


def test_without_git_younger_files_are_named(tree: Tree, context: Context) -> None:
    """As well as those that the context lists and that are gone."""
    listed = [{"name": name, "purpose": "x"} for name in ("a.py", "gone.py")]
    root = tree({"a.py": "x", "b.py": "y", ".context.yaml": context(files=listed)})
    os.utime(root / "a.py", (1, 1))
    scope = only_stale(root)
    assert scope.changes.lines() == ["changed b.py", "removed gone.py"]
    assert not scope.changes.exact


def test_the_status_says_what_is_wrong_with_a_file(tree: Tree, context: Context) -> None:
    root = tree({".context.yaml": context(version=3), "bad/a.py": LARGE, "no/a.py": LARGE, "tiny/a.py": "x"})
    tree({"bad/.context.yaml": context(summary=None, extra="x"), "tiny/.context.yaml": context()})
    found = status(ScopeProject(root))
    assert states(found) == {".": "invalid", "bad": "invalid", "no": "missing", "tiny": "stale"}
    assert not found.clean
    reasons = {scope.scope: scope.reasons for scope in found.scopes}
    assert reasons["bad"] == ("summary: is required", "extra: is no field of the schema")
    assert reasons["."][0].startswith("Unsupported schema version 3")
    assert '"reasons": [' in found.to_json()


def test_the_configuration_of_a_work_tree_runs_nothing(clones: tuple[Path, Path], tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "gpg.program", "core.pager", "core.sshCommand", "diff.external"):
        git(clones[0], "config", key, str(program))
    git(clones[0], "config", "log.showSignature", "true")
    (tmp_path / "ran").unlink(missing_ok=True)
    (clones[0] / "quay" / "a.py").write_text("x")
    assert only_stale(clones[0]).changes.exact
    assert not (tmp_path / "ran").exists()


def test_a_shallow_or_rewritten_history_falls_back_to_dates(clones: tuple[Path, Path]) -> None:
    """No commit has the fingerprint: what is younger than the context is named, and not called exact."""
    path = clones[0] / "quay" / ".context.yaml"
    path.write_text(path.read_text().replace('fingerprint: "', 'fingerprint: "0'))
    scope = only_stale(clones[0])
    assert not scope.changes.exact
    assert "a.py" in scope.changes.changed


def test_a_context_without_a_date_names_only_what_is_gone(tree: Tree, context: Context) -> None:
    root = tree(
        {"a.py": "x", ".context.yaml": context(last_updated="once", files=[{"name": "b", "purpose": "x"}])}
    )
    assert only_stale(root).changes.lines() == ["removed b"]
