"""What is asked of git: nothing is run for it or fetched, and a missing object costs what needs it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from ctxcache.errors import IoError, UsageError
from ctxcache.git import GitError, blob_reader, read_tree, run_git
from ctxcache.project.project import load_project
from ctxcache.project.revisions import build_revision
from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import status

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "value = 1\n" * 2000
CONTEXT = """version: 1
scope: "."
fingerprint: "00000000"
last_updated: "2026-03-01T00:00:00Z"
summary: "Two folders."
maintenance: "Keep it true."
"""


def command(where: Path, *arguments: str) -> str:
    """Run git without the user's configuration."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(where)}
    name = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    ran = subprocess.run(
        ["git", *name, *arguments], cwd=where, env=environment, check=True, capture_output=True, text=True
    )
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project of two folders of documents and two scopes, with two commits."""
    root = tmp_path / "origin"
    for name in ("one", "two"):
        (root / name).mkdir(parents=True)
        (root / name / "a.py").write_text(f"{TEXT}# {name}\n", "utf-8")
        (root / name / "a.md").write_text(f"# {name}\n\nfirst\n", "utf-8")
        (root / name / ".context.yaml").write_text(CONTEXT, "utf-8")
    tables = (f'[caches.{name}]\nsources = "{name}"\ntokenizer = "bytes4"\n' for name in ("one", "two"))
    (root / "ctx.toml").write_text("".join(tables), "utf-8")
    command(root, "init", "-q")
    command(root, "config", "uploadpack.allowFilter", "true")
    for text in ("first", "second"):
        (root / "one" / "a.md").write_text(f"# one\n\n{text}\n", "utf-8")
        command(root, "add", ".")
        command(root, "commit", "-qm", text)
    return root


def lose(root: Path, revision: str) -> None:
    """Remove an object from the store."""
    id_ = command(root, "rev-parse", revision)
    (root / ".git" / "objects" / id_[:2] / id_[2:]).unlink()


def read_all(directory: Path, *ids: bytes) -> list[bytes | None]:
    """The contents of some objects, None for those that are missing."""
    with blob_reader(directory) as reader:
        contents = (reader.read(id_) for id_ in ids)
        return [None if pieces is None else b"".join(pieces) for pieces in contents]


def test_objects_are_read_in_order_and_a_missing_one_is_none(repository: Path) -> None:
    tree = list(read_tree(run_git(repository, "ls-tree", "-r", "-z", "HEAD")))
    one, two = (id_ for _, id_, path in tree if path.endswith(b"a.md"))
    lose(repository, "HEAD:two/a.md")
    assert read_all(repository, one, b"0" * 40, two, one) == [
        b"# one\n\nsecond\n",
        None,
        None,
        b"# one\n\nsecond\n",
    ]


def test_a_large_object_is_read_in_pieces(repository: Path) -> None:
    data = os.urandom(1 << 16) * 50
    (repository / "large").write_bytes(data)
    id_ = command(repository, "hash-object", "-w", "large").encode()
    with blob_reader(repository) as reader:
        pieces = list(reader.read(id_) or ())
    assert b"".join(pieces) == data
    assert max(map(len, pieces)) < len(data)


def test_an_object_that_is_no_file_is_refused(repository: Path) -> None:
    ids = [command(repository, "rev-parse", name).encode() for name in ("HEAD:one/a.md", "HEAD:one")]
    with pytest.raises(GitError, match="not a file"):
        read_all(repository, *ids)


def test_a_damaged_object_is_an_error_with_the_words_of_git(repository: Path) -> None:
    id_ = command(repository, "rev-parse", "HEAD:one/a.md")
    path = repository / ".git" / "objects" / id_[:2] / id_[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(GitError, match=id_[:6]):
        read_all(repository, id_.encode())


def test_an_output_without_end_is_not_held(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that holds itself a few times over has more files than any memory."""
    monkeypatch.setattr("ctxcache.git.LARGEST_OUTPUT", 100)
    assert run_git(repository, "rev-parse", "HEAD")
    with pytest.raises(GitError, match="ls-tree tells more than"):
        run_git(repository, "ls-tree", "-r", "HEAD")


def test_a_scope_whose_objects_are_missing_does_not_end_the_status(repository: Path) -> None:
    """It falls back to dates; the other one is as exact as ever."""
    (repository / "one" / "a.py").write_text("x", "utf-8")
    lose(repository, "HEAD:one/a.md")
    found = {scope.scope: scope for scope in status(ScopeProject(repository)).scopes}
    assert found["one"].state == found["two"].state == "stale"
    assert not found["one"].changes.exact


@pytest.mark.parametrize(
    "content", ['summary: "\\Uffffffff"', 'summary: "\\U00110000"', "a: &a [*a]", "? [a]\n: b", "\t"]
)
def test_one_scope_that_cannot_be_read_does_not_end_the_status(repository: Path, content: str) -> None:
    (repository / "one" / ".context.yaml").write_text(CONTEXT + content + "\n", "utf-8")
    found = {scope.scope: scope.state for scope in status(ScopeProject(repository)).scopes}
    assert (found["one"], found["two"]) == ("invalid", "stale")


def test_a_revision_whose_objects_are_missing_is_told_and_the_others_are_built(
    repository: Path, tmp_path: Path
) -> None:
    lose(repository, "HEAD:one/a.md")
    one, two = (load_project(repository / "ctx.toml").cache(name) for name in ("one", "two"))
    with pytest.raises(UsageError, match=r"HEAD: git lacks the content of one/a.md here; `git fetch"):
        build_revision(one, "HEAD", tmp_path / "scratch-one")
    build_revision(two, "HEAD", tmp_path / "scratch-two")
    build_revision(one, "HEAD~1", tmp_path / "scratch-before")


@pytest.mark.skipif(os.name == "nt", reason="no limit of the size of files there")
def test_a_full_disk_under_a_revision_is_told_with_its_place(repository: Path, tmp_path: Path) -> None:
    import resource

    cache, scratch = load_project(repository / "ctx.toml").cache("one"), tmp_path / "scratch"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, hard))
    try:
        with pytest.raises(IoError, match=f"^{scratch}: File too large"):
            build_revision(cache, "HEAD", scratch)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_clone_without_blobs_fetches_nothing(repository: Path, tmp_path: Path) -> None:
    """Neither a status nor a comparison goes to the network; what is lacking is told."""
    command(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repository}", "clone")
    clone = tmp_path / "clone"
    store = sorted(path.name for path in (clone / ".git" / "objects").rglob("*"))
    assert {scope.state for scope in status(ScopeProject(clone)).scopes} >= {"stale"}
    cache = load_project(clone / "ctx.toml").cache("one")
    build_revision(cache, "HEAD", tmp_path / "scratch-head")  # was checked out, so it is here
    with pytest.raises(UsageError, match=r"partial clone|lacks the content"):
        build_revision(cache, "HEAD~1", tmp_path / "scratch-before")
    assert sorted(path.name for path in (clone / ".git" / "objects").rglob("*")) == store


def test_a_shallow_clone_knows_what_it_has(repository: Path, tmp_path: Path) -> None:
    command(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "clone")
    cache = load_project(tmp_path / "clone" / "ctx.toml").cache("one")
    build_revision(cache, "HEAD", tmp_path / "scratch-head")
    with pytest.raises(UsageError, match="git knows no such revision"):
        build_revision(cache, "HEAD~1", tmp_path / "scratch-before")


def test_a_revision_runs_no_program_and_heeds_no_hook(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "filter.x.smudge", "diff.external"):
        command(repository, "config", key, str(program))
    (tmp_path / "ran").unlink(missing_ok=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    build_revision(load_project(repository / "ctx.toml").cache("one"), "HEAD", tmp_path / "scratch")
    assert not (tmp_path / "ran").exists()


def test_without_git_the_reason_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not installed"):
        run_git(tmp_path, "version")


def test_a_git_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitError, match="took longer than"):
        run_git(tmp_path, "version", seconds=0.2)
    with pytest.raises(GitError, match="took longer than"), blob_reader(tmp_path, seconds=0.2) as reader:
        reader.read(b"0" * 40)


def test_a_git_that_ends_too_soon_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = tmp_path / "git"
    short.write_text("#!/bin/sh\nread id; echo $id blob 100; echo short; echo broken disk >&2\n", "utf-8")
    short.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitError, match="broken disk"):
        read_all(tmp_path, b"0" * 40)
