"""`ctx build`: from the command line to a build, and the narration of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import ctxcache

Ctx = Callable[..., CompletedProcess[str]]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project to work in, which is where every command here runs."""
    (tmp_path / "ctx.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def own_docs(docs: Path, tmp_path: Path) -> Path:
    """A copy of the folder, to be changed."""
    return Path(shutil.copytree(docs, tmp_path / "docs"))


def test_a_build_narrates_and_keeps_standard_output_clean(ctx: Ctx, docs: Path) -> None:
    ran = ctx("build", str(docs), "--cache", "made", "--tokenizer", "bytes4")
    assert (ran.returncode, ran.stdout) == (0, "")
    tokens = ctxcache.open_cache("made").manifest.total_tokens
    assert ran.stderr.endswith(f"from 4 files, {tokens:,} tokens\n") and "built made: " in ran.stderr


def test_a_cache_goes_to_the_project_under_the_name_of_its_folder(
    ctx: Ctx, docs: Path, project: Path
) -> None:
    assert ctx("build", "--sources", str(docs), "--tokenizer", "bytes4").returncode == 0
    assert (project / ".ctx" / "caches" / "docs" / "manifest.json").is_file()
    assert ctx("resolve", "-c", "docs", "-q", "pager", "-b", "100").returncode == 0
    assert json.loads(ctx("list").stdout) == {"caches": [{"path": "docs", "has_manifest": True}]}


def test_a_folder_is_built_again_without_force(ctx: Ctx, own_docs: Path, project: Path) -> None:
    """What has not changed is not compiled again, and the cache has the bytes of a build from nothing."""
    line = ("build", str(own_docs), "-c", "made", "--tokenizer", "bytes4")
    assert ctx(*line).returncode == 0
    assert "made is up to date: " in ctx(*line).stderr
    (own_docs / "new.md").write_text("# New\n")
    (own_docs / "oncall.md").unlink()
    ran = ctx(*line)
    assert (ran.returncode, "built made: " in ran.stderr) == (0, True)
    assert ran.stderr.endswith("; 1 added, 1 removed\n")
    assert ctx(*line[:3], "other", *line[4:]).returncode == 0
    made, other = (
        {path.name: path.read_bytes() for path in (project / name).iterdir()} for name in ("made", "other")
    )
    assert made == other
    assert list((project / ".ctx/records").iterdir())


def test_a_report_is_written_for_a_cache_that_is_up_to_date_too(ctx: Ctx, docs: Path) -> None:
    line = ("build", str(docs), "-c", "made", "--tokenizer", "bytes4", "--report", "report.json")
    assert ctx(*line).returncode == 0
    first = Path("report.json").read_bytes()
    Path("report.json").unlink()
    assert ctx(*line).returncode == 0
    assert json.loads(Path("report.json").read_bytes()) == json.loads(first)


def test_a_cache_that_is_up_to_date_tells_how_many_files_are_left_out(ctx: Ctx, own_docs: Path) -> None:
    """A file that came later and became no document would be lost without a word."""
    line = ("build", str(own_docs), "-c", "made", "--tokenizer", "bytes4")
    assert ctx(*line).returncode == 0
    (own_docs / "latin.md").write_bytes(b"# Caf\xe9\n")
    assert ctx(*line).stderr.endswith("tokens; 1 file left out; --report FILE names it\n")


def test_the_status_tells_how_many_files_are_left_out(ctx: Ctx, own_docs: Path, project: Path) -> None:
    """As a build that finds the cache fresh does."""
    (project / "ctx.toml").write_text('[caches.own]\nsources = "docs"\ntokenizer = "bytes4"\n')
    assert ctx("build").returncode == 0
    (own_docs / "latin.md").write_bytes(b"# Caf\xe9\n")
    ran = ctx("status")
    words = "1 file left out; `ctx build own --report FILE` names it"
    assert (ran.returncode, ran.stdout) == (0, f"own  fresh  {words}\n1 fresh\n")


def test_strict_looks_again_at_a_cache_that_is_up_to_date(ctx: Ctx, own_docs: Path) -> None:
    (own_docs / "broken.md").write_bytes(b"\xff")
    line = ("build", str(own_docs), "-c", "made", "--tokenizer", "bytes4")
    assert ctx(*line).returncode == 0
    ran = ctx(*line, "--strict")
    assert (ran.returncode, "broken.md" in ran.stderr) == (1, True)


def test_the_cache_of_another_folder_needs_force(ctx: Ctx, docs: Path, project: Path) -> None:
    (project / "others").mkdir()
    (project / "others/one.md").write_text("# One\n")
    options = ("-c", "made", "--tokenizer", "bytes4")
    assert ctx("build", str(docs), *options).returncode == 0
    again = ctx("build", "others", *options)
    assert (again.returncode, again.stderr.count("\n")) == (1, 1) and "--force" in again.stderr
    assert ctx("build", "others", *options, "--force").returncode == 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ([], "nothing to build from"),
        ([""], "nothing to build from"),
        (["a", "--sources", "b"], "name the sources once"),
        (["no-such-folder"], "no-such-folder: no such folder"),
        (["no-such-folder", "--watch"], "no-such-folder: no such folder"),
        (["--scopes", "no-such-folder"], "no-such-folder: no such folder"),
        (["ctx.toml"], "ctx.toml: a file; name the folder that it is in"),
        (["/"], "a folder without a name"),
        ([".", "--jobs", "0"], "--jobs: 0 is not a positive number"),
        ([".", "--max-file-bytes", "-1"], "--max-file-bytes: -1 is not a positive number"),
        ([".", "--profile", "v0", "--split", "auto"], "leave out --split"),
        ([".", "--tokenizer", "abacus"], "invalid choice: 'abacus'"),
        ([".", "--max-tokens", "many"], "invalid int value: 'many'"),
    ],
)
def test_wrong_usage_builds_nothing(ctx: Ctx, project: Path, line: list[str], says: str) -> None:
    ran = ctx("build", *line)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert says in ran.stderr
    assert sorted(path.name for path in project.iterdir()) == ["ctx.toml"]


def test_options_reach_the_build(ctx: Ctx, docs: Path) -> None:
    ran = ctx(
        "build", str(docs), "-c", "made", "--tokenizer", "bytes4", "--split", "none", "--exclude", "deploy/"
    )
    assert ran.returncode == 0
    cache = ctxcache.open_cache("made")
    assert [document.id for document in cache.documents()] == ["Größe \u202e.md", "oncall.md"]
    assert cache.manifest.build_config["split"] == {"mode": "none"}
    assert "skipped deploy/: " in ran.stderr


def test_format_1_is_a_profile(ctx: Ctx, docs: Path) -> None:
    assert ctx("build", str(docs), "-c", "made", "--profile", "v0").returncode == 0
    assert ctxcache.open_cache("made").manifest.format == "1"
    assert ctx("verify", "-c", "made").returncode == 0


def test_what_was_left_out_is_told_without_obeying_its_name(ctx: Ctx, docs: Path, project: Path) -> None:
    sources = project / "sources"
    sources.mkdir()
    (sources / "evil\x1b]0;\n.md").write_bytes(b"caf\xe9 au lait")
    (sources / "fine.md").write_text("fine", "utf-8")
    line = ("build", "sources", "-c", "made", "--tokenizer", "bytes4")
    ran = ctx(*line, "--report", "report.json")
    assert ran.returncode == 0 and "\x1b" not in ran.stderr
    assert r"skipped evil\x1b]0;\n.md: " in ran.stderr
    assert (
        json.loads((project / "report.json").read_text("utf-8"))["skipped"][0]["path"] == "evil\x1b]0;\n.md"
    )
    strict = ctx(*line, "--force", "--strict")
    assert (strict.returncode, strict.stderr.count("\n")) == (1, 1)


def test_a_strict_build_names_every_file_that_cannot_be_a_document(ctx: Ctx, project: Path) -> None:
    """So that one run is enough to mend them all."""
    (project / "sources").mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (project / "sources" / name).write_bytes(b"caf\xe9 au lait")
    ran = ctx("build", "sources", "--tokenizer", "bytes4", "--strict")
    assert ran.returncode == 1
    *each, last = ran.stderr.splitlines()
    assert [line.split(":")[0] for line in each] == [f"skipped {name}.md" for name in "abc"]
    assert last == "error: --strict: 3 files that should be documents cannot be"


def test_a_build_tells_of_includes_and_data_in_documents(ctx: Ctx, project: Path) -> None:
    """Both make a document less useful than its author thinks. The rebuild says it again."""
    (project / "sources").mkdir()
    data = "data:image/png;base64," + "iVBORw0KGgo" * 50
    (project / "sources/a.md").write_text(f"# A\n\n{{{{#include b.rs}}}}\n\n![x]({data})\n")
    line = ("build", "sources", "--tokenizer", "bytes4", "--report", "report.json")
    for _ in range(2):
        told = ctx(*line).stderr
        assert "note: 1 document with directives to include other files, whose text is left out: a.md" in told
        assert "note: 1 document with data in them (data: URIs)" in told
        found = json.loads((project / "report.json").read_text("utf-8"))["findings"]
        assert [(each["path"], each["detail"].partition(":")[0]) for each in found] == [
            ("a.md", "line 5"), ("a.md", "line 3")
        ]  # fmt: skip


def test_one_path_can_be_asked_about(ctx: Ctx, docs: Path, project: Path) -> None:
    assert ctx("build", str(docs), "--explain", "oncall.md").stdout.startswith("taken oncall.md: ")
    left_out = ctx("build", str(docs), "--exclude", "deploy/", "--explain", "deploy/guide.md")
    assert left_out.stdout.startswith("skipped deploy/: ")
    for path, problem in (("nowhere.md", "no such file in"), (str(project / "ctx.toml"), "not in")):
        asked = ctx("build", str(docs), "--explain", path)
        assert (asked.returncode, asked.stderr) == (1, f"error: {path}: {problem} {docs}\n")
    assert sorted(path.name for path in project.iterdir()) == ["ctx.toml"]


@pytest.mark.parametrize("profile", ["v0", "v2"])
def test_a_folder_without_a_document_is_refused(ctx: Ctx, project: Path, profile: str) -> None:
    """It is the wrong one, as a rule: no cache is made of it, and none is replaced."""
    (project / "nothing").mkdir()
    line = ("build", "nothing", "-c", "made", "--profile", profile)
    ran = ctx(*line)
    said = "error: nothing: no document was found, so nothing was built; "
    assert (ran.returncode, ran.stderr) == (1, f"{said}it is empty\n")
    (project / "nothing" / "a.md").write_bytes(b"\xe9")
    (project / "nothing" / "b.bin").write_bytes(b"\0")
    assert ctx(*line).stderr == f"{said}left out: a.md (not UTF-8 (byte 0xE9 at offset 0)) and 1 more\n"
    assert not (project / "made").exists()


def test_the_contexts_of_a_project_become_a_cache_that_leads_to_directories(ctx: Ctx, project: Path) -> None:
    """One document a scope, under its name; without a context there is nothing to build."""
    (project / "deploy").mkdir()
    (project / "deploy" / "rollback.md").write_text("# Rolling back\n\n" + "How to roll back. " * 1000)
    assert "no directory has a context; `ctx scope init` writes them" in ctx("build", "--scopes", ".").stderr
    assert ctx("scope", "init", ".").returncode == 0
    assert ctx("build", "--scopes", ".", "--cache", "scopes", "--tokenizer", "bytes4").returncode == 0
    found = json.loads(ctx("resolve", "-c", "scopes", "-q", "rolling back", "-b", "1000").stdout)
    assert found["documents"][0]["id"] == "deploy"
    again = ctx("build", "--scopes", ".", "--cache", "scopes", "--tokenizer", "bytes4")
    assert again.stderr.startswith("scopes is up to date: 2 documents, ")
    shutil.rmtree(project / ".ctx")  # as in a clone
    (project / "deploy/.context.yaml").write_text(
        (project / "deploy/.context.yaml").read_text().replace("summary: ", "summary: Changed. ", 1)
    )
    again = ctx("build", "--scopes", ".", "--cache", "scopes", "--tokenizer", "bytes4")
    assert again.stderr.startswith("built scopes: 2 documents ")
    ctxcache.build(project / "deploy", project / "other", config=ctxcache.BuildConfig(tokenizer="bytes4"))
    assert "--force replaces it" in ctx("build", "--scopes", ".", "--cache", "other").stderr
    assert ctx("build", "docs", "--scopes", ".").returncode == 1


def test_a_source_that_cannot_be_read_ends_a_build_unless_it_may_be_left_out(
    ctx: Ctx, unprivileged: Path
) -> None:
    """The system refused, which is exit code 6."""
    (unprivileged / "docs").mkdir()
    (unprivileged / "docs/a.md").write_text("# A\n")
    (unprivileged / "docs/shut.md").write_text("# Shut\n")
    (unprivileged / "docs/shut.md").chmod(0)
    line = ("build", str(unprivileged / "docs"), "-c", str(unprivileged / "made"), "--tokenizer", "bytes4")
    ran = ctx(*line)
    assert ran.returncode == 6
    assert ran.stderr.startswith("error: shut.md: unreadable (permission denied); make it readable")
    assert ctx(*line, "--skip-unreadable").returncode == 0
