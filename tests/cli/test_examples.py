"""Every command line that the help gives as an example, run in a project as the help describes it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.cli import main
from ctxcache.cli.generated import manual
from ctxcache.cli.main import COMMANDS, command_of
from ctxcache.cli.scope import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

REPO = Path(__file__).parents[2]
GIT = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]

EXAMPLES = {
    name: [*command_of(name).examples]
    + [example for action in ACTIONS.values() if name == "scope" for example in action.examples]
    for name in COMMANDS
}
INTERACTIVE = {"tui"}
"""Its example opens the inspector, which tests of its own start: here it is parsed."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git with a cache `handbook`, tests, judged queries and a context."""
    root = tmp_path_factory.mktemp("project")
    for page, text in {
        "deploy/rollback.md": "# Roll back\n\nTo roll back a deployment, run `deploy rollback`.\n",
        "oncall/paging.md": "# Paging\n\nThe pager wakes whoever is on call.\n",
    }.items():
        (root / "docs" / page).parent.mkdir(parents=True, exist_ok=True)
        (root / "docs" / page).write_text(text)
    (root / "ctx.toml").write_text(
        '[caches.handbook]\nsources = "docs"\ntokenizer = "bytes4"\n\n'
        '[[tests]]\ncache = "handbook"\nquery = "roll back"\nexpect = ["deploy/rollback.md"]\n'
    )
    (root / "queries.jsonl").write_text('{"_id": "1", "text": "roll back"}\n')
    (root / "qrels").mkdir()
    (root / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tdeploy/rollback.md\t1\n")
    subprocess.run(["git", "init", "--quiet", root], check=True)
    for subject in ("one", "two"):
        subprocess.run([*GIT, "add", "."], cwd=root, check=True)
        subprocess.run([*GIT, "commit", "--quiet", "-m", subject, "--allow-empty"], cwd=root, check=True)
    before = Path.cwd()
    os.chdir(root)
    for line in (
        "build",
        "pack --cache handbook --output handbook.ctx.tar",
        "eval queries.jsonl --qrels qrels/test.tsv --cache handbook --save before.json",
        "scope init .",
    ):
        assert main(line.split()) == 0
    os.chdir(before)
    ctxcache.build(root / "docs", root / "sample_caches/handbook")
    return root


@pytest.fixture
def project(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to change; the current directory."""
    root = Path(shutil.copytree(template, tmp_path / "project"))
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(tmp_path))
    return root


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name, lines in EXAMPLES.items() for line in lines]
)
def test_an_example_of_the_help_works(
    name: str,
    line: str,
    ctx: Callable[..., CompletedProcess[str]],
    start: Callable[..., subprocess.Popen[bytes]],
    project: Path,
) -> None:
    program, command, *arguments = shlex.split(line)
    assert (program, command) == ("ctx", name)
    if name == "init":
        (project / "ctx.toml").unlink()
    if name in INTERACTIVE:
        parser = ArgumentParser()
        command_of(name).arguments(parser)
        assert parser.parse_args(arguments)
    elif name == "serve":  # a client that leaves at once
        with start(command, *arguments, stdin=subprocess.DEVNULL) as process:
            _, told = process.communicate(timeout=60)
        assert process.returncode == 0, told.decode()
    else:
        ran = ctx(command, *arguments)
        assert ran.returncode in ((0, 8) if name == "doctor" else (0,)), ran.stderr


@pytest.mark.parametrize("name", ACTIONS)
def test_the_help_of_an_action_has_an_example(name: str, ctx: Callable[..., CompletedProcess[str]]) -> None:
    assert f"  ctx scope {name} " in ctx("scope", name, "--help").stdout


def test_the_manual_is_that_of_the_parsers() -> None:
    """`make samples` renews it; the wheel installs it for `man ctx`."""
    assert (REPO / "docs/ctx.1").read_text("utf-8") == manual()


def test_the_manual_holds_nothing_that_roff_would_take_for_a_request(
    ctx: Callable[..., CompletedProcess[str]],
) -> None:
    requests = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".EX", ".EE"}
    page = ctx("--man").stdout
    assert page == manual()
    for line in page.splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or line.partition(" ")[0] in requests
    assert all(f'.SS "ctx {name}"' in page for name in COMMANDS)
