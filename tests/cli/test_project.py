"""The commands that keep the caches of a project: init, build, status, diff, test, eval."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from subprocess import CompletedProcess, Popen
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache.builder.convert import converter
from ctxcache.project.edits import update_tests
from ctxcache.resolver.query_tests import Outcome, QueryTest

if TYPE_CHECKING:
    from pathlib import Path

Ctx = Callable[..., CompletedProcess[str]]
Start = Callable[..., Popen[bytes]]

CONFIGURATION = """\
[caches.handbook]
sources = "docs"
tokenizer = "bytes4"

[caches.whole]
sources = "docs"
cache = "made/whole"
tokenizer = "bytes4"
split = "none"
"""
TEST = '\n[[tests]]\ncache = "handbook"\nquery = "{}"\n{}\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two caches of one folder, described and not yet built; the current directory."""
    pages = {
        "docs/rollback.md": "# Roll back\n\nTo roll back a deployment, run `deploy rollback`.\n",
        "docs/oncall.md": "# On call\n\nWho answers the pager at night.\n",
        "docs/evil\x1b.md": "# Evil \x1b[31m\n",
        "ctx.toml": CONFIGURATION,
    }
    (tmp_path / "docs").mkdir()
    for name, text in pages.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def add_test(project: Path, query: str, rest: str) -> None:
    with (project / "ctx.toml").open("a") as file:
        file.write(TEST.format(query, rest))


def test_a_build_without_arguments_brings_all_caches_up_to_date(ctx: Ctx, project: Path) -> None:
    ran = ctx("build")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert [line.split()[:4] for line in ran.stderr.splitlines()] == [
        ["handbook", "built", "3", "documents"],
        ["whole", "built", "3", "documents"],
    ]
    assert [line.split()[-1] for line in ran.stderr.splitlines()] == ["new", "new"]
    assert (project / "made/whole/manifest.json").is_file()
    assert [line.split()[1] for line in ctx("build").stderr.splitlines()] == ["fresh", "fresh"]
    (project / "docs/oncall.md").unlink()
    assert "built" in ctx("build", "whole").stderr
    assert ctx("status", "whole").returncode == 0 and ctx("status", "handbook").returncode == 8
    forced = ctx("build", "whole", "--force").stderr
    assert forced.startswith("whole  built") and forced.endswith("  forced\n")
    (data,) = (project / "made/whole").glob("documents-*.jsonl")
    data.write_bytes(b"xx" + data.read_bytes()[2:])
    assert ctx("status", "whole").stdout.startswith(f"whole  invalid  {data.name}: its SHA-256")
    assert ctx("build", "whole").stderr.endswith("  repaired\n")


def test_a_report_that_cannot_be_written_is_refused_before_the_work(ctx: Ctx, project: Path) -> None:
    (project / "made").mkdir()
    said = {"out/r.json": "there is no folder out to write it in", "made": "a folder; name a file to write"}
    for name, words in said.items():
        for line in (("build", "handbook", "--report"), ("build", "./docs", "--report"), ("test", "--junit")):
            ran = ctx(*line, name)
            assert (ran.returncode, ran.stderr.startswith(f"error: {name}: {words}")) == (1, True)
    assert not (project / ".ctx").exists()


def test_several_caches_can_be_named(ctx: Ctx, project: Path) -> None:
    """Of the configuration; folders are built one at a time."""
    ran = ctx("build", "whole", "handbook", "whole")
    assert [line.split()[:2] for line in ran.stderr.splitlines()] == [
        ["whole", "built"],
        ["handbook", "built"],
    ]
    assert "there is no cache 'handbok'; did you mean handbook?" in ctx("build", "whole", "handbok").stderr
    for names in (("docs", "made"), ("./docs", "whole"), ("docs", "made", "--cache", "x")):
        assert "error: one folder is built at a time" in ctx("build", *names).stderr
    assert "--explain: name one cache" in ctx("build", "whole", "handbook", "--explain", "oncall.md").stderr


def test_a_configured_name_goes_before_a_folder_and_a_path_does_not(ctx: Ctx, project: Path) -> None:
    (project / "handbook").mkdir()
    assert "handbook  built  3 documents" in ctx("build", "handbook").stderr
    assert "handbook: no document was found" in ctx("build", "./handbook", "--force").stderr


def test_a_mistyped_name_is_answered_with_the_near_one(ctx: Ctx, project: Path) -> None:
    """Of a cache or of a folder; and what is a cache is no folder."""
    for name, near in (("handbok", "handbook"), ("dosc", "docs"), ("./dosc", "./docs"), ("zebra", "")):
        ran = ctx("build", name)
        hint = f"; did you mean {near.removeprefix('./')}?" if near else ""
        assert (ran.returncode, ran.stderr) == (1, f"error: {name}: no such folder{hint}\n")
    ran = ctx("build", "handbook", "--cache", "made")
    assert ran.stderr.endswith(
        "handbook: no such folder; `ctx build handbook` alone builds the cache of this name\n"
    )


@pytest.mark.parametrize(
    "option", ["--strict", "--split=none", "--include=*.md", "--profile=v2", "--no-convert", "--max-tokens=0"]
)
def test_what_the_configuration_says_is_not_said_twice(ctx: Ctx, project: Path, option: str) -> None:
    ran = ctx("build", "handbook", option)
    assert (ran.returncode, "change it there" in ran.stderr) == (1, True)


def test_one_cache_that_fails_does_not_hold_up_the_others(ctx: Ctx, project: Path) -> None:
    """The exit code is that of the failure."""
    with (project / "ctx.toml").open("a") as file:
        file.write('[caches.third]\nsources = "nowhere"\n')
    ran = ctx("build")
    assert (ran.returncode, ran.stderr.count("built")) == (1, 2)
    assert "third" in ran.stderr and "nowhere: no such folder" in ran.stderr.splitlines()[-1]


def test_a_report_and_an_explanation_are_of_one_cache(ctx: Ctx, project: Path) -> None:
    assert ctx("build", "handbook", "--report", "report.json").returncode == 0
    assert json.loads((project / "report.json").read_text())["documents"] == 3
    assert "name one cache" in ctx("build", "--report", "report.json").stderr
    assert "name one cache" in ctx("build", "--explain", "oncall.md").stderr
    assert ctx("build", "whole", "--explain", "oncall.md").stdout.startswith("taken oncall.md")


def test_status_names_what_changed(ctx: Ctx, project: Path) -> None:
    """In words and as JSON; the exit code is for a CI."""
    assert ctx("status").stdout.splitlines()[-1] == "2 missing; `ctx build` brings them up to date"
    assert ctx("status", "whole").stdout.splitlines()[-1] == "1 missing; `ctx build` brings it up to date"
    ctx("build")
    assert (ctx("status").returncode, ctx("status").stdout.splitlines()[-1]) == (0, "2 fresh")
    (project / "docs/oncall.md").write_text("# Changed\n")
    (project / "docs/new\x1b.md").write_text("# New\n")
    (project / "docs/rollback.md").unlink()
    ran = ctx("status", "handbook")
    assert (ran.returncode, "\x1b" in ran.stdout) == (8, False)
    assert ran.stdout.splitlines()[:4] == [
        "handbook  stale  1 added, 1 removed, 1 changed",
        "  + new\\x1b.md",
        "  - rollback.md",
        "  ~ oncall.md",
    ]
    (found,) = json.loads(ctx("status", "handbook", "--json").stdout)["caches"]
    assert (found["name"], found["state"], found["added"]) == ("handbook", "stale", ["new\x1b.md"])


def test_status_of_many_changes_is_short(ctx: Ctx, project: Path) -> None:
    ctx("build")
    for number in range(30):
        (project / f"docs/{number:02}.md").write_text("x")
    assert "  + … and 20 more" in ctx("status", "handbook").stdout


def test_without_a_configuration_there_is_a_way_to_one(ctx: Ctx, project: Path) -> None:
    (project / "ctx.toml").unlink()
    (project / ".git").mkdir()
    for command in ("status", "test"):
        ran = ctx(command)
        assert (ran.returncode, "`ctx init` writes one" in ran.stderr) == (1, True)


def test_init_writes_a_configuration_that_works(ctx: Ctx, project: Path) -> None:
    (project / "ctx.toml").unlink()
    assert ctx("init").returncode == 0
    text = (project / "ctx.toml").read_text("utf-8")
    assert 'sources = "docs"  # 3 .md\n' in text
    titles = r"Roll back, On call, Evil \\x1b[31m"
    assert f'[caches.docs]\ndescription = "Docs of {project.name}: {titles}"' in text
    assert sorted(path.name for path in project.iterdir()) == ["ctx.toml", "docs"]
    (project / "ctx.toml").write_text(text.replace("# [[", "[[").replace("# cache", "cache").replace(
        "# query", "query").replace("# expect", "expect"), "utf-8")  # fmt: skip
    assert ctx("build").returncode == 0
    assert ctx("test").stdout.splitlines()[-1] == "1 passed"


def test_init_replaces_nothing(ctx: Ctx, project: Path) -> None:
    before = (project / "ctx.toml").read_bytes()
    assert ctx("init").returncode == 1
    (project / "empty").mkdir()
    assert "no documents found" in ctx("init", "empty").stderr
    (project / "docs/pyproject.toml").write_text("[tool.ctx]\n")
    assert "configures caches already" in ctx("init", "docs").stderr
    assert (project / "ctx.toml").read_bytes() == before


def test_init_elsewhere_says_how_to_go_on_from_here(ctx: Ctx, project: Path) -> None:
    """A configuration is looked for upwards, so its folder is the one to build in; it is no input itself."""
    assert "look it over, then `cd docs` and `ctx build`" in ctx("init", "docs").stderr
    os.chdir("docs")
    assert "ctx.toml" not in ctx("build").stderr
    os.chdir("..")
    (project / "ctx.toml").unlink()
    assert "look it over, then `ctx build`" in ctx("init", str(project)).stderr


def test_init_without_a_folder_of_a_usual_name_takes_all(ctx: Ctx, project: Path) -> None:
    assert ctx("init", "docs").returncode == 0
    text = (project / "docs/ctx.toml").read_text("utf-8")
    assert 'sources = "."  # 3 .md\n' in text
    assert 'description = "Docs: Roll back, ' in text, "a folder is not called a part of itself"


def test_init_describes_the_folders_that_were_built(ctx: Ctx, project: Path) -> None:
    """Whoever tries `ctx build FOLDER` first keeps the caches that agents may know by now."""
    (project / "ctx.toml").unlink()
    (project / "rust-book").mkdir()
    (project / "rust-book/a.md").write_text("# Ownership\n\nA value has one owner.\n")
    assert ctx("build", "rust-book").returncode == 0
    assert ctx("init").returncode == 0
    text = (project / "ctx.toml").read_text("utf-8")
    tables = [line for line in text.splitlines() if line.startswith("[")]
    assert tables == ["[caches.docs]", "[caches.rust-book]"]
    assert ctx("build").returncode == 0, "its description is new, its documents are the same"
    assert ctx("status", "rust-book").stdout.splitlines()[0].split() == ["rust-book", "fresh"]


def test_init_counts_what_is_to_be_converted(ctx: Ctx, project: Path) -> None:
    """A page that is to be converted is never read as text, and asked for by nobody."""
    (project / "ctx.toml").unlink()
    (project / "docs/readme.html").write_text(f"<title>Old</title>{'x' * 5000}")
    assert ctx("init").returncode == 0
    text = (project / "ctx.toml").read_text("utf-8")
    kinds = "3 .md, 1 .html" if converter() else "3 .md"
    assert f'sources = "docs"  # {kinds}\n' in text
    assert "readme.html" not in text and "Old" not in text


def test_a_first_page_gives_a_new_cache_its_description(ctx: Ctx, project: Path) -> None:
    (project / "ctx.toml").unlink()
    (project / "docs/README.md").write_text("# Harbour\n")
    assert ctx("init").returncode == 0
    assert 'description = "Harbour: Roll back, On call' in (project / "ctx.toml").read_text("utf-8")


def test_the_folder_of_caches_keeps_itself_out_of_git(ctx: Ctx, project: Path) -> None:
    """One that is there already is left alone: its caches may be committed."""
    assert ctx("build").returncode == 0
    assert (project / ".ctx/.gitignore").read_text().endswith("\n*\n")
    (project / ".ctx/.gitignore").unlink()
    assert ctx("build", "--force").returncode == 0
    assert not (project / ".ctx/.gitignore").exists()


def test_sources_that_are_not_there_are_named_where_they_are_configured(ctx: Ctx, project: Path) -> None:
    add_cache = '[caches.typed]\n# a typo\nsources = "dosc"\n'
    (project / "ctx.toml").write_text(add_cache + CONFIGURATION, "utf-8")
    told = "ctx.toml:3: caches.typed.sources: dosc: no such folder; did you mean docs?"
    assert f"error: {told}\n" in ctx("build").stderr
    status = ctx("status").stdout
    assert f"typed     invalid  {told}\n" in status
    assert status.endswith("\n2 fresh · 1 invalid\n")  # no build would mend it


def test_query_tests_pass_fail_or_cannot_be_run(ctx: Ctx, project: Path) -> None:
    """Each with an exit code of its own, and the worst counts."""
    ctx("build")
    add_test(project, "roll back", 'expect = ["rollback.md"]')
    ran = ctx("test")
    assert (ran.returncode, ran.stdout) == (0, "ok     handbook: roll back\n1 passed\n")
    add_test(project, "pager \\u001b", 'expect = ["rollback.md"]')
    ran = ctx("test")
    assert ran.returncode == 8 and "\x1b" not in ran.stdout
    assert "expects rollback.md: does not match; lacks pager" in ran.stdout
    assert "ctx.toml:16, budget 4,000" in ran.stdout
    add_test(project, "pager", 'expect = ["nowhere.md"]')
    ran = ctx("test", "--junit", "junit.xml")
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (9, "1 passed · 1 failed · 1 error")
    add_test(project, "pager", 'expect = ["gone.md"]')
    assert ctx("test").stdout.splitlines()[-1] == "1 passed · 1 failed · 2 errors"
    (suite,) = ET.parse(project / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert json.loads(ctx("test", "--json").stdout)["tests"][1]["state"] == "failed"


def test_junit_xml_holds_what_no_xml_may_as_escapes(ctx: Ctx, project: Path) -> None:
    """A query is any text; a reader of XML refuses some characters wherever they stand."""
    ctx("build")
    add_test(project, 'pager \\u0001\\uffff\\ufffe\\u2028\\ud7ff ]]> <&\\"', 'expect = ["rollback.md"]')
    ctx("test", "--junit", "junit.xml")
    (suite,) = ET.parse(project / "junit.xml").getroot()
    (case,) = suite
    assert (case.get("name") or "").startswith('pager \\x01\\uffff\\ufffe\\u2028\ud7ff ]]> <&"')


def test_a_test_of_a_cache_that_is_not_built_cannot_be_run(ctx: Ctx, project: Path) -> None:
    add_test(project, "roll back", 'forbid = ["oncall.md"]')
    ran = ctx("test")
    assert (ran.returncode, "1 error" in ran.stdout, "passed" in ran.stdout) == (9, True, False)
    assert "handbook: not built yet; `ctx build handbook` builds it" in ran.stdout


def test_a_test_of_a_cache_that_is_not_described_holds_up_nothing_else(ctx: Ctx, project: Path) -> None:
    """It is an error of `ctx test` alone, with the name that may be meant."""
    add_test(project, "roll back", 'expect = ["rollback.md"]')
    with (project / "ctx.toml").open("a") as file:
        file.write('\n[[tests]]\ncache = "handbok"\nquery = "pager"\nforbid = ["x.md"]\n')
    assert ctx("build").returncode == ctx("status").returncode == 0
    assert ctx("diff", "handbook", "whole").returncode == 0
    ran = ctx("test")
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (9, "1 passed · 1 error")
    assert (
        "ERROR  handbok: pager\n       ctx.toml: there is no cache 'handbok'; did you mean handbook?"
        in ran.stdout
    )


@pytest.mark.parametrize("name", ["handbook", "whole"])
def test_a_cache_that_is_described_and_not_built_says_how_it_is(ctx: Ctx, project: Path, name: str) -> None:
    """Wherever it is to go; the exit code is that of a missing cache."""
    for line in (
        ("resolve", "-c", name, "-q", "pager", "-b", "1"),
        ("why", "-c", name, "-q", "pager"),
        ("inspect", "-c", name),
        ("verify", "-c", name),
        ("diff", name, name),
    ):
        ran = ctx(*line)
        assert (ran.returncode, ran.stdout) == (4, "")
        assert ran.stderr == f"error: {name}: not built yet; `ctx build {name}` builds it\n"


def test_no_tests_are_no_success(ctx: Ctx, project: Path) -> None:
    ran = ctx("test")
    assert (ran.returncode, "so nothing was tested" in ran.stderr) == (1, True)


def test_tests_can_be_in_a_file_of_their_own(ctx: Ctx, project: Path) -> None:
    """Caches are then named as `--cache` names them."""
    ctx("build")
    (project / "own.toml").write_text(TEST.format("roll back", 'expect = ["rollback.md"]'))
    assert ctx("test", "own.toml").returncode == 0
    (project / "own.toml").write_text('[[tests]]\ncache = "x"\nquery = "q"\nforbit = ["a"]\n')
    assert (
        "own.toml:4: tests[0].forbit: there is no such key; did you mean forbid?"
        in ctx("test", "own.toml").stderr
    )


def test_update_rewrites_what_does_not_pass_and_nothing_else(ctx: Ctx, project: Path) -> None:
    ctx("build")
    add_test(project, "roll back", 'expect = ["rollback.md"]  # stays')
    add_test(project, "pager", 'expect = ["nowhere.md"]  # goes')
    before = (project / "ctx.toml").read_text()
    ran = ctx("test", "--update")
    assert ran.returncode == 0 and "1 test rewritten" in ran.stderr
    assert (project / "ctx.toml").read_text() == before.replace("nowhere.md", "oncall.md")
    assert ctx("test").returncode == 0


def test_update_looks_at_nothing_once_it_has_written(
    ctx: Ctx, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails then would leave it half told: all that is said is known before."""
    ctx("build")
    add_test(project, "roll back", 'expect = ["rollback.md"]')
    add_test(project, "pager", 'expect = ["nowhere.md"]')

    def write_and_lose(*arguments: Any) -> list[int]:
        lines = update_tests(*arguments)
        shutil.rmtree(project / ".ctx")
        return lines

    monkeypatch.setattr("ctxcache.cli.test.update_tests", write_and_lose)
    ran = ctx("test", "--update")
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "2 passed")


def test_update_leaves_a_test_that_cannot_be_run_with_what_it_would_become(
    ctx: Ctx, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx("build")
    add_test(project, "pager", 'expect = ["nowhere.md"]')
    before = (project / "ctx.toml").read_text()
    refusal = Outcome(test=QueryTest(cache="handbook", query="pager", expect=[], forbid=[]), state="error")
    monkeypatch.setattr("ctxcache.cli.test._Suite._run_with", lambda *_: refusal)
    ran = ctx("test", "--update")
    assert ran.returncode == 9 and "0 tests rewritten" in ran.stderr
    assert (project / "ctx.toml").read_text() == before


def test_update_cannot_help_a_cache_that_is_not_there(ctx: Ctx, project: Path) -> None:
    add_test(project, "roll back", 'expect = ["rollback.md"]')
    before = (project / "ctx.toml").read_text()
    assert ctx("test", "--update").returncode == 9
    assert (project / "ctx.toml").read_text() == before


def test_two_caches_are_compared(ctx: Ctx, project: Path) -> None:
    ctx("build")
    ctx("build", "docs", "--cache", "before", "--tokenizer", "bytes4")
    (project / "docs/rollback.md").write_text("# Revert\n\nNow it is called revert.\n")
    (project / "docs/new\x1b.md").write_text("# New\n\nHow to roll back.\n")
    ctx("build")
    (project / "queries.txt").write_text("roll back\n")
    ran = ctx("diff", "before", "handbook", "--queries", "queries.txt", "-q", "-x", "--text", "-b", "100")
    assert ran.returncode == 0 and "\x1b" not in ran.stdout
    assert "+ new\\x1b.md\n" in ran.stdout and "  -# Roll back\n" in ran.stdout
    assert "documents: 1 added, 0 removed, 1 changed, 2 unchanged" in ran.stdout
    assert "entered: not in the cache before" in ran.stdout
    found = json.loads(ctx("diff", "before", "whole", "-q", "roll back", "--json").stdout)
    assert found["documents"]["added"] == ["new\x1b.md"]
    assert found["queries"][0]["entered"] == 1


def git(project: Path, *arguments: str) -> None:
    identity = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    line = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
    subprocess.run(line, check=True, capture_output=True, env=os.environ | identity)


def test_a_revision_is_compared_with_a_cache(ctx: Ctx, project: Path) -> None:
    """Its sources are built with the present configuration and the ignore rules of that time."""
    (project / "docs/draft.md").write_text("# Draft\n")
    outside = ctx("diff", "handbook")
    assert (outside.returncode, outside.stderr.startswith("error: git says of ")) == (1, True)
    git(project, "init", "--quiet")
    git(project, "add", ".")
    (project / ".gitignore").write_text("draft.md\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "one")
    (project / "docs/oncall.md").unlink()
    (project / "docs/draft.md").unlink()
    ctx("build")
    lines = ["- oncall.md", "documents: 0 added, 1 removed, 0 changed, 2 unchanged"]
    for names in (("handbook@HEAD", "handbook"), ("HEAD", "handbook")):
        assert ctx("diff", *names).stdout.splitlines() == lines
    assert "git knows no such revision" in ctx("diff", "handbook@nowhere", "handbook").stderr
    assert "git knows no such revision" in ctx("diff", "handbook@--help", "handbook").stderr
    assert ctx("diff", "HEAD", "nowhere").returncode == 4
    assert ctx("build", "docs", "-c", ".ctx/caches/loose").returncode == 0
    told = "loose@HEAD: ctx.toml has no cache loose, so the sources of it at HEAD are not known"
    assert told in ctx("diff", "loose").stderr


def test_a_cache_is_measured_on_judged_queries(ctx: Ctx, project: Path) -> None:
    ctx("build")
    (project / "queries.jsonl").write_text(
        '{"_id": "1", "text": "roll back"}\n{"_id": "2", "text": "pager"}\n'
    )
    (project / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\trollback.md\t1\n2\tgone.md\t1\n")
    line = ("eval", "queries.jsonl", "--qrels", "qrels.tsv")
    ran = ctx(*line, "--cache", "handbook", "--save", "before.json")
    assert ran.returncode == 0 and "the cache lacks 1 relevant document, the first is gone.md" in ran.stderr
    assert ran.stdout.splitlines()[-1].split() == ["mean", "of", "2", "0.500", "0.500", "0.500", "0.500"]
    again = ctx(*line, "--cache", "handbook", "--baseline", "before.json", "--budget", "0")
    assert "1.000 +0.000" in again.stdout and "0.000 -1.000" in again.stdout
    assert json.loads(ctx(*line, "-c", "handbook", "--json").stdout)["means"]["mrr"] == 0.5
    (project / "corpus.jsonl").write_text('{"_id": "rollback.md", "title": "", "text": "roll back"}\n')
    assert ctx(*line, "--corpus", "corpus.jsonl").returncode == 0
    (project / "before.json").write_text("{}")
    assert "not figures" in ctx(*line, "-c", "handbook", "--baseline", "before.json").stderr


def test_what_is_not_there_ends_alike_in_every_command(ctx: Ctx, project: Path) -> None:
    """A folder, a file or a described cache that was mistyped is wrong usage; a cache is missing."""
    (project / "q.txt").write_text("roll back\n")
    lines = {
        ("build", "no"): 1,
        ("build", "--scopes", "no"): 1,
        ("init", "no"): 1,
        ("scope", "status", "no"): 1,
        ("status", "no"): 1,
        ("test", "no.toml"): 1,
        ("eval", "no", "--qrels", "no", "-c", "no"): 1,
        ("eval", "q.txt", "--qrels", "no", "-c", "no"): 1,
        ("diff", "no", "no", "--queries", "no"): 1,
        ("diff", "no", "handbook"): 4,
        ("list", "no"): 4,
        ("list", "--cache-root", "no"): 4,
        ("inspect", "-c", "no"): 4,
        ("verify", "-c", "no"): 4,
        ("resolve", "-c", "no", "-q", "a", "-b", "1"): 4,
    }
    for line, code in lines.items():
        ran = ctx(*line)
        assert (line, ran.returncode, ran.stdout, ran.stderr.count("\n")) == (line, code, "", 1)
    assert "`ctx list` alone lists the caches of this project" in ctx("list", "no").stderr


def test_a_listing_tells_which_caches_lie_elsewhere(ctx: Ctx, project: Path) -> None:
    """It knows one directory (C6); its JSON is that of the tool and nothing else."""
    made = "whole lies in made/whole, not in .ctx/caches; `ctx list made` lists it"
    (project / "ctx.toml").write_text(CONFIGURATION.partition("\n\n")[2])
    assert ctx("list").stderr == f"error: {made}\n"
    (project / "ctx.toml").write_text(CONFIGURATION)
    ctx("build")
    ran = ctx("list", "--format", "table")
    assert (ran.stdout, ran.stderr) == ("handbook\n", f"note: {made}\n")
    assert ctx("list").stderr == ctx("list", "made", "--format", "table").stderr == ""


def test_a_server_tells_which_caches_it_does_not_serve(ctx: Ctx, start: Start, project: Path) -> None:
    """When its caches are those of the project by default; a client is configured with the same words."""
    note = "note: whole lies in made/whole, not in .ctx/caches; `ctx {} --cache-root made` serves it"
    with start("serve", stdin=subprocess.DEVNULL) as process:
        assert note.format("serve").encode() in process.communicate(timeout=60)[1]
    with start("serve", "--cache-root", "made", stdin=subprocess.DEVNULL) as process:
        assert b"note" not in process.communicate(timeout=60)[1]
    assert note.format("install claude-code") in ctx("install", "claude-code", "--print").stderr


def test_a_cache_is_found_by_its_configured_name(ctx: Ctx, project: Path) -> None:
    """Wherever the configuration puts it."""
    ctx("build")
    assert ctx("resolve", "-c", "whole", "-q", "pager", "-b", "100").returncode == 0
    assert ctxcache.verify("made/whole").valid


def heed_interrupts() -> None:
    """A shell makes what it starts in the background deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_watch_rebuilds_until_it_is_interrupted(start: Start, project: Path) -> None:
    """As a process of its own: each rebuild is a line, Ctrl-C is the end."""
    process = start("build", "handbook", "--watch", preexec_fn=heed_interrupts)
    assert process.stderr is not None
    assert process.stderr.readline() == b"watching; Ctrl-C ends it\n"
    assert process.stderr.readline().startswith(b"handbook  built  3 documents")
    (project / "docs/new.md").write_text("# New\n")
    assert process.stderr.readline().startswith(b"handbook  built  4 documents")
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 130


def test_a_watch_keeps_a_cache_whose_sources_are_mostly_gone(start: Start, project: Path) -> None:
    """Whoever deletes or moves a folder does not mean to publish what is left of it meanwhile."""
    process = start("build", "handbook", "--watch", preexec_fn=heed_interrupts)
    assert process.stderr is not None
    lines = [process.stderr.readline() for _ in range(2)]
    assert lines[1].startswith(b"handbook  built  3 documents")
    for page in sorted((project / "docs").glob("*.md"))[:2]:
        page.unlink()
    assert process.stderr.readline().startswith(b"handbook  kept  2 of 3 sources are gone")
    (project / "docs").rename(project / "away")
    assert (
        b"handbook  failed  ctx.toml:2: caches.handbook.sources: docs: no such" in process.stderr.readline()
    )
    (project / "away").rename(project / "docs")
    assert process.stderr.readline().startswith(b"handbook  kept  2 of 3 sources are gone")
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert (process.returncode, told.startswith(b"error: handbook: 2 of 3 sources are gone")) == (1, True)
    assert ctxcache.open_cache(".ctx/caches/handbook").document_count == 3


def test_a_watch_of_a_folder_that_is_gone_at_last_fails(start: Start, project: Path) -> None:
    process = start("build", "handbook", "--watch", preexec_fn=heed_interrupts)
    assert process.stderr is not None
    lines = [process.stderr.readline() for _ in range(2)]
    assert lines[1].startswith(b"handbook  built  3 documents")
    (project / "docs").rename(project / "away")
    assert process.stderr.readline().startswith(b"handbook  failed  ctx.toml:2: ")
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert (process.returncode, told.startswith(b"error: handbook: ctx.toml:2: ")) == (1, True)


def test_a_bare_folder_can_be_watched(start: Start, project: Path) -> None:
    process = start("build", "docs", "--cache", "made", "--tokenizer", "bytes4", "--watch")
    assert process.stderr is not None
    process.stderr.readline()
    assert process.stderr.readline().startswith(b"made  built  3 documents")
    process.kill()
    process.communicate(timeout=60)
    assert ctxcache.verify("made").valid


def first_lines(process: Popen[bytes], count: int) -> list[bytes]:
    """What a process told at first; then it is ended."""
    assert process.stderr is not None
    lines = [process.stderr.readline() for _ in range(count)]
    process.kill()
    process.communicate(timeout=60)
    return lines


def test_a_watch_goes_on_with_its_own_cache_and_spares_others(ctx: Ctx, start: Start, project: Path) -> None:
    """A cache that holds nothing but pages of the folder was built from it; one page is no proof."""
    line = ("build", "docs", "--cache", "made", "--tokenizer", "bytes4")
    ctx(*line)
    (project / "docs/new.md").write_text("# New\n")
    assert first_lines(start(*line, "--watch"), 2)[1].startswith(b"made  built  4 documents")
    (project / "others").mkdir()
    (project / "others/rollback.md").write_bytes((project / "docs/rollback.md").read_bytes())
    ran = ctx("build", "others", "--cache", "made", "--tokenizer", "bytes4", "--watch")
    assert (ran.returncode, "there is a cache already; --force replaces it" in ran.stderr) == (1, True)


def test_a_forced_watch_builds_from_nothing_once(ctx: Ctx, start: Start, project: Path) -> None:
    ctx("build")
    process = start("build", "handbook", "--watch", "--force")
    assert process.stderr is not None
    lines = [process.stderr.readline() for _ in range(2)]
    assert lines[1].startswith(b"handbook  built") and lines[1].endswith(b"forced\n")
    (project / "docs/new.md").write_text("# New\n")
    assert first_lines(process, 1)[0].endswith(b"1 added\n")


def test_a_report_is_written_of_a_cache_that_is_fresh(ctx: Ctx, project: Path) -> None:
    """What was found in its sources is there all the same."""
    assert ctx("build").returncode == 0
    for _ in range(2):
        assert ctx("build", "handbook", "--report", "report.json").returncode == 0
        report = json.loads((project / "report.json").read_text("utf-8"))
        assert (report["documents"], report["sources"]) == (3, 3)
        (project / "report.json").unlink()


def test_a_cache_that_becomes_strict_is_looked_at_again(ctx: Ctx, project: Path) -> None:
    """Nothing has changed but what its author puts up with."""
    (project / "docs/latin.md").write_bytes(b"caf\xe9 au lait")
    assert ctx("build", "whole").returncode == 0
    (project / "ctx.toml").write_text(CONFIGURATION + "strict = true\n", "utf-8")
    ran = ctx("build", "whole")
    assert ran.returncode == 1 and "error: --strict: skipped latin.md: not UTF-8" in ran.stderr
    (project / "docs/latin.md").unlink()
    assert "fresh" in ctx("build", "whole").stderr
