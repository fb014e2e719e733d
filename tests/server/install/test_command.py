"""`ctx install` from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ctxcache.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project to stand in, with a home directory of its own."""
    (tmp_path / "project" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    for variable in ("XDG_CONFIG_HOME", "APPDATA", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "project"


def test_the_caches_and_scopes_of_the_project_are_served(project: Path) -> None:
    assert main(["install", "claude-code"]) == 0
    entry = json.loads((project / ".mcp.json").read_text())["mcpServers"]["ctxcache"]
    here = "${CLAUDE_PROJECT_DIR:-.}"
    assert entry["command"] == "ctx"
    assert entry["args"] == ["serve", "--cache-root", f"{here}/.ctx/caches", "--project", here]
    assert str(project) not in (project / ".mcp.json").read_text()


def test_a_users_own_file_holds_absolute_paths(project: Path) -> None:
    assert main(["install", "claude-code", "--user"]) == 0
    file = project.parent / "home" / ".claude.json"
    entry = json.loads(file.read_text())["mcpServers"]["ctxcache"]
    caches = str(project / ".ctx" / "caches")
    assert entry["args"][-5:] == ["serve", "--cache-root", caches, "--project", str(project)]
    assert not (project / ".mcp.json").exists()


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["--print", "json"], '{\n  "mcpServers": {\n    "ctxcache": {'),
        (["--print", "toml"], "[mcp_servers.ctxcache]\ncommand = "),
        (["--print", "yaml"], "mcpServers:\n  ctxcache:\n    command: "),
        (["--print", "goose"], 'extensions:\n  ctxcache:\n    name: "ctxcache"\n    type: "stdio"\n'),
        (["jetbrains", "--print"], '{\n  "mcpServers": {'),
    ],
)
def test_an_entry_is_shown_for_any_other_client(
    arguments: list[str], begins: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", *arguments]) == 0
    printed = capfd.readouterr().out
    assert printed.startswith(begins)
    assert str(project / ".ctx" / "caches") in printed


def test_a_relative_root_is_written_absolute_and_a_client_may_need_other_names(project: Path) -> None:
    assert main(["install", "cursor", "--user", "--name", "docs", "--cache-root", "caches"]) == 0
    file = project.parent / "home" / ".cursor" / "mcp.json"
    arguments = json.loads(file.read_text())["mcpServers"]["docs"]["args"]
    assert str(project / "caches") in arguments
    assert arguments[-2:] == ["--tool-names", "underscore"]


def test_what_is_printed_is_what_would_be_written(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "opencode", "--print"]) == 0
    printed = capfd.readouterr()
    assert not (project / "opencode.json").exists()
    assert main(["install", "opencode"]) == 0
    assert (project / "opencode.json").read_text() == printed.out
    assert str(project / "opencode.json") in printed.err


def test_what_was_installed_can_be_removed(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for arguments, said in (
        (["zed"], "written to"),
        (["zed"], "already"),
        (["zed", "--remove"], "removed from"),
    ):
        assert main(["install", *arguments]) == 0
        assert said in capfd.readouterr().err
    assert main(["install", "zed", "--remove"]) == 0
    assert "was not in" in capfd.readouterr().err


def test_a_root_without_caches_is_told_and_the_entry_is_written(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Installing before building is right, a wrong directory is not: only the user knows which it is."""
    assert main(["install", "claude-code", "--cache-root", "docs"]) == 0
    assert f"note: there is no directory {project / 'docs'}: " in capfd.readouterr().err
    assert (project / ".mcp.json").exists()
    assert main(["install", "claude-code", "--remove"]) == 0
    assert "note: " not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["emacs"], "there is no client `emacs`; there are claude-code, "),
        ([], "name a client: claude-code, "),
        (["goose"], "goose: configured by hand; --print shows the entry"),
        (["zed", "--name", "a b"], "--name must be"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", *arguments]) == 1
    assert said in capfd.readouterr().err


def test_a_file_that_does_not_parse_is_named(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / ".mcp.json").write_text("{\n  oops\n}")
    assert main(["install", "claude-code"]) == 1
    assert f"{project / '.mcp.json'}: line 2: " in capfd.readouterr().err
    assert (project / ".mcp.json").read_text() == "{\n  oops\n}"
