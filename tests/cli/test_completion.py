"""The completion scripts, each in its shell."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from ctxcache.cli.main import COMMANDS

Ctx = Callable[..., CompletedProcess[str]]

ASK_BASH = """
source ./script
COMP_WORDS=({words} "$1"); COMP_CWORD={count}; _ctx; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
CASES = [
    ("", "sta", {"status"}),
    ("build", "--prof", {"--profile"}),
    ("build --profile", "", {"v0", "v2"}),
    ("scope", "sh", {"show"}),
    ("resolve -c", "hand", {"handbook"}),
]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a cache to complete, the current directory."""
    (tmp_path / ".ctx/caches/handbook").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
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
    assert {line.split("\t")[0] for line in lines} == offered


def test_zsh_accepts_its_script(ctx: Ctx) -> None:
    Path("_ctx").write_text(ctx("completion", "zsh").stdout)
    script = "autoload -Uz compinit; compinit -u -D; source ./_ctx; print $_comps[ctx] $_comps[context]"
    assert shell("zsh", "-f", "-c", script).split() == ["_ctx", "_ctx"]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_command_is_offered(ctx: Ctx, name: str) -> None:
    script = ctx("completion", name).stdout
    assert all(command in script for command in COMMANDS)
