"""The completion scripts, each in its shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import tree_sitter
import tree_sitter_powershell

from ctxcache import build
from ctxcache.cli.generated import SHELLS
from ctxcache.cli.main import COMMANDS

Ctx = Callable[..., CompletedProcess[str]]

ASK_BASH = """
source ./script
COMP_WORDS=({words} "$1"); COMP_CWORD={count}
_shtab_ctx ctx "$1"; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
CASES = [
    ("", "sta", {"status"}),
    ("build", "--prof", {"--profile"}),
    ("build --profile", "v", {"v0", "v2"}),
    ("scope", "sh", {"show"}),
    ("resolve -c", "hand", {"handbook"}),
    ("install", "claude-d", {"claude-desktop"}),
    ("help", "verif", {"verify"}),
    ("scope status", "../d", {"../docs"}),
    ("install cursor --name", "hand", set()),
]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a cache to complete, the current directory."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/pager.md").write_text("# Pager\n\nThe pager wakes you.\n")
    (tmp_path / "docs/$(touch run).md").write_text("# Trap\n\nA name that a shell would obey.\n")
    build(tmp_path / "docs", tmp_path / ".ctx/caches/handbook")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def shell(name: str, *arguments: str) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    ran = subprocess.run([name, *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


@pytest.mark.parametrize(("before", "word", "offered"), CASES)
def test_bash_completes(ctx: Ctx, before: str, word: str, offered: set[str]) -> None:
    Path("script").write_text(ctx("completion", "bash").stdout)
    words = f"ctx {before}".strip()
    script = ASK_BASH.format(words=words, count=len(words.split()))
    assert set(shell("bash", "--norc", "-c", script, "bash", word).split()) == offered


@pytest.mark.parametrize(("before", "word", "offered"), CASES)
def test_fish_completes(ctx: Ctx, before: str, word: str, offered: set[str]) -> None:
    Path("script").write_text(ctx("completion", "fish").stdout)
    line = f"ctx {before} {word}".replace("  ", " ")
    lines = shell("fish", "--no-config", "-c", f"source ./script; complete -C '{line}'").splitlines()
    assert {line.split("\t")[0].rstrip("/") for line in lines} == offered


def test_zsh_accepts_its_script(ctx: Ctx) -> None:
    Path("_ctx").write_text(ctx("completion", "zsh").stdout)
    script = 'autoload -Uz compinit; compinit -u -D; eval "$(<_ctx)"; print $_comps[ctx] $_comps[context]'
    assert shell("zsh", "-f", "-c", script).split() == ["_shtab_ctx", "_shtab_context"]


def test_tcsh_accepts_its_script(ctx: Ctx) -> None:
    Path("script").write_text(ctx("completion", "tcsh").stdout + "\ncomplete ctx\n")
    assert "status" in shell("tcsh", "-f", "script")


def test_powershell_parses_its_script(ctx: Ctx) -> None:
    """No registry of the tests has PowerShell itself: a grammar of its language reads every token."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
    script = ctx("completion", "powershell").stdout.encode()
    assert not parser.parse(script).root_node.has_error
    assert parser.parse(script.replace(b"}", b"", 1)).root_node.has_error


@pytest.mark.parametrize("name", SHELLS)
def test_every_command_is_offered(ctx: Ctx, name: str) -> None:
    script = ctx("completion", name).stdout
    assert all(command in script for command in COMMANDS)


def test_a_name_that_a_shell_would_obey_is_not_offered(ctx: Ctx, project: Path) -> None:
    """`compgen -W` expands its words, so a document must not put a command among them."""
    assert ctx("completion", "--names", "documents").stdout == "pager.md\n"
    Path("script").write_text(ctx("completion", "bash").stdout)
    assert shell("bash", "--norc", "-c", ASK_BASH.format(words="ctx why", count=2), "bash", "").split()
    assert not (project / "below/run").exists()


def test_without_a_shell_it_names_those_that_there_are(ctx: Ctx) -> None:
    ran = ctx("completion")
    assert (ran.returncode, ran.stderr) == (1, "error: name a shell: bash, zsh, fish, tcsh, powershell\n")
