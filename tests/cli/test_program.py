"""One command line in, one exit code out (C8)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from subprocess import CompletedProcess, run
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.cli import main
from ctxcache.cli.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

Ctx = Callable[..., CompletedProcess[str]]


def test_all_names_of_the_program_are_one_program() -> None:
    ours = {
        entry.name: entry.load()
        for entry in entry_points(group="console_scripts")
        if "ctxcache" in entry.value
    }
    assert {"ctx", "context"} <= ours.keys() and set(ours.values()) == {main}


def test_the_version_is_told(ctx: Ctx) -> None:
    told = f"ctx {ctxcache.__version__}\n"
    assert ctx("--version").stdout == ctx("-V").stdout == ctx("version").stdout == told


def test_alone_it_shows_what_it_can_do(ctx: Ctx) -> None:
    assert (ctx().returncode, ctx().stdout) == (0, ctx("--help").stdout)


def test_a_mistyped_action_is_told_the_nearest(ctx: Ctx) -> None:
    assert "did you mean status?" in ctx("scope", "staus").stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_for_json_has_both_spellings(ctx: Ctx, name: str) -> None:
    """`--json` is short for `--format json` wherever there is a choice of forms."""
    shown = ctx(name, *(["status"] if name == "scope" else []), "--help").stdout
    assert ("--json" in shown) == ("--format" in shown)
    assert "--quiet" in shown


def test_the_overview_lists_every_command(ctx: Ctx) -> None:
    overview = ctx("--help")
    assert overview.returncode == 0
    assert all(f"  {name} " in overview.stdout and does in overview.stdout for name, does in COMMANDS.items())


def test_help_is_a_command_too(ctx: Ctx) -> None:
    """What people try first, of the program and of one command."""
    assert ctx("help").stdout == ctx("--help").stdout
    assert ctx("help", "build").stdout == ctx("build", "--help").stdout
    unknown = ctx("help", "biuld")
    assert (unknown.returncode, "did you mean `build`?" in unknown.stderr) == (1, True)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_shows_an_example(ctx: Ctx, name: str) -> None:
    shown = ctx(name, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f":\n  ctx {name}" in shown.stdout


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (["resolv"], "there is no command `resolv`; did you mean `resolve`?"),
        (["frobnicate"], "there is no command `frobnicate`; `ctx --help` lists them"),
        (["--colour"], "there is no command `--colour`; `ctx --help` lists them"),
        (["inspect"], "the following arguments are required: -c/--cache; `ctx inspect --help` shows how"),
        (
            ["inspect", "--cach", "x"],
            "there is no option --cach; did you mean --cache?",
        ),
        (["test", "--josn"], "there is no option --josn; did you mean --json?"),
        (["list", "a", "b"], "unrecognized arguments: b; `ctx list --help` shows how"),
        (["list", "\x1b[31m", "\x1b]0;"], r"unrecognized arguments: \x1b]0;; `ctx list --help` shows how"),
    ],
)
def test_wrong_usage_is_one_line_and_code_1(ctx: Ctx, line: list[str], says: str) -> None:
    ran = ctx(*line)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", f"error: {says}\n")


@pytest.mark.parametrize("name", ["no-such-cache", "", "./no/such", "nul\0byte", "a\nb"])
def test_a_missing_cache_is_one_line_and_code_4(
    ctx: Ctx, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = ctx("inspect", "--cache", name)
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr.startswith("error: ") and ran.stderr.count("\n") == 1


def test_a_fault_of_the_program_itself_is_one_line_and_code_7() -> None:
    """Here a module that is not there; whatever it is, no traceback reaches the user."""
    program = "from ctxcache.cli import main; sys.modules['ctxcache.cli.inspect'] = None; sys.exit(main())"
    ran = run([sys.executable, "-c", f"import sys; {program}", "list"], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (7, b"")
    assert (
        ran.stderr.startswith(b"error: internal error: ModuleNotFoundError: ")
        and ran.stderr.count(b"\n") == 1
    )
