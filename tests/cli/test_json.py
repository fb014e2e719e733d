"""`--json` on every command: one object on standard output, and nothing else there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache.cli import main
from ctxcache.cli.main import COMMANDS
from ctxcache.cli.scope import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

WITHOUT = {"serve", "tui", "completion"}
"""A protocol, a screen and a script are their whole output."""

LINES = {
    "init": "init elsewhere",
    "build": "build",
    "status": "status",
    "ask": "ask back",
    "resolve": "resolve --cache docs --query back --budget 4000",
    "why": "why --query back",
    "show": "show --cache docs page.md",
    "inspect": "inspect --cache docs",
    "list": "list",
    "verify": "verify --cache docs",
    "diff": "diff docs docs",
    "test": "test",
    "eval": "eval queries.jsonl --qrels qrels.tsv --cache docs",
    "scope init": "scope init elsewhere --min-tokens 0",
    "scope status": "scope status .",
    "scope show": "scope show docs",
    "scope validate": "scope validate .",
    "scope rehash": "scope rehash docs",
    "install": "install claude-code",
    "pack": "pack --output docs.ctx.tar",
    "unpack": "unpack packed.tar",
    "doctor": "doctor",
    "clean": "clean",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a cache `docs`, a test, judged queries, contexts and a packed cache; the current one."""
    root = tmp_path / "project"
    for folder in ("docs", "elsewhere/docs"):
        (root / folder).mkdir(parents=True)
        (root / folder / "page.md").write_text("# Roll back\n\nRun `deploy rollback`.\n")
    (root / "ctx.toml").write_text(
        '[caches.docs]\nsources = "docs"\ntokenizer = "bytes4"\n\n'
        '[[tests]]\ncache = "docs"\nquery = "roll back"\nexpect = ["page.md"]\n'
    )
    (root / "queries.jsonl").write_text('{"_id": "1", "text": "roll back"}\n')
    (root / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\tpage.md\t1\n")
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(tmp_path))
    for line in ("build", "pack --output packed.tar", "scope init . --min-tokens 0"):
        assert main([*line.split(), "--quiet"]) == 0
    return root


@pytest.mark.parametrize("name", LINES)
def test_json_is_one_object_on_standard_output(
    name: str, project: Path, ctx: Callable[..., CompletedProcess[str]]
) -> None:
    ran = ctx(*LINES[name].split(), "--json")
    assert ran.returncode in ((0, 8) if name == "doctor" else (0,)), ran.stderr
    assert ran.stdout.endswith("}\n") and isinstance(json.loads(ran.stdout), dict)


def test_every_command_has_it_that_has_a_result() -> None:
    actions = {f"scope {name}" for name in ACTIONS}
    assert LINES.keys() == COMMANDS.keys() - WITHOUT - {"scope"} | actions


def test_a_build_tells_what_became_of_each_cache(
    project: Path, ctx: Callable[..., CompletedProcess[str]]
) -> None:
    """Also of one that failed, with the exit code of the failure."""

    def caches(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
        ran = ctx("build", *arguments, "--json")
        assert ran.returncode == code, ran.stderr
        return list(json.loads(ran.stdout)["caches"])

    (fresh,) = caches()
    assert (fresh["name"], fresh["path"], fresh["state"]) == ("docs", ".ctx/caches/docs", "fresh")
    assert (fresh["document_count"], fresh["report"]) == (1, None)
    (project / "docs/other.md").write_text("# Other\n")
    (project / "docs/broken.md").write_bytes(b"\xff")
    with (project / "ctx.toml").open("a") as file:
        file.write('\n[caches.lost]\nsources = "nowhere"\n')
    built, failed = caches(code=1)
    assert (built["state"], built["document_count"]) == ("built", 2)
    assert [item["path"] for item in built["report"]["skipped"]] == ["broken.md"]
    assert failed["state"] == "failed" and "nowhere: no such folder" in failed["problem"]
    (folder,) = caches("docs", "--cache", "new")
    assert (folder["name"], folder["path"], folder["state"]) == ("new", "new", "built")


def test_what_becomes_of_a_path_can_be_had_as_json(
    project: Path, ctx: Callable[..., CompletedProcess[str]]
) -> None:
    ran = ctx("build", "--explain", "docs/page.md", "--json")
    assert json.loads(ran.stdout) == {"path": "page.md", "taken": True, "rule": "text format .md, utf-8"}


@pytest.mark.parametrize("line", ["build --watch", "install --print json"])
def test_json_is_refused_where_there_is_no_object(
    line: str, project: Path, ctx: Callable[..., CompletedProcess[str]]
) -> None:
    ran = ctx(*line.split(), "--json")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("error: --format json: goes with no --")
