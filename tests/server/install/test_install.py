"""Installing into the files of real clients: what is written, where, and what is left alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from ctxcache.errors import UsageError
from ctxcache.server.install.clients import CLIENTS, Environment
from ctxcache.server.install.install import Installation, program, serve_command

COMMAND = ["/opt/ctx", "serve", "--cache-root", "/srv/caches"]


def installation(client: str, file: Path, command: list[str] = COMMAND) -> Installation:
    return Installation(client=CLIENTS[client], file=file, name="docs", command=command)


def around(platform: str, **variables: str) -> Environment:
    return Environment(platform=platform, home=Path("/home/u"), project=Path("/p"), variables=variables)


@pytest.mark.parametrize("client", [name for name, client in CLIENTS.items() if client.files])
def test_an_installation_is_idempotent_and_undoes_itself(client: str, tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "config"
    it = installation(client, file)
    assert not it.remove()
    assert it.install()
    written = file.read_bytes()
    assert written.decode() == it.fragment()
    assert not it.install()
    assert file.read_bytes() == written
    assert it.remove()
    assert not file.exists()


@pytest.mark.parametrize(
    ("client", "entry"),
    [
        (
            "claude-code",
            {
                "mcpServers": {
                    "docs": {"type": "stdio", "command": "/opt/ctx", "args": COMMAND[1:], "env": {}}
                }
            },
        ),
        ("claude-desktop", {"mcpServers": {"docs": {"command": "/opt/ctx", "args": COMMAND[1:], "env": {}}}}),
        (
            "vscode",
            {"servers": {"docs": {"type": "stdio", "command": "/opt/ctx", "args": COMMAND[1:], "env": {}}}},
        ),
        (
            "copilot",
            {
                "mcpServers": {
                    "docs": {
                        "type": "local",
                        "command": "/opt/ctx",
                        "args": COMMAND[1:],
                        "env": {},
                        "tools": ["*"],
                    }
                }
            },
        ),
        ("zed", {"context_servers": {"docs": {"command": "/opt/ctx", "args": COMMAND[1:], "env": {}}}}),
        (
            "opencode",
            {"mcp": {"docs": {"type": "local", "command": COMMAND, "environment": {}, "enabled": True}}},
        ),
    ],
)
def test_an_entry_has_the_shape_that_the_client_reads(client: str, entry: object, tmp_path: Path) -> None:
    assert json.loads(installation(client, tmp_path / "x").fragment()) == entry


def test_an_extension_of_goose_is_yaml(tmp_path: Path) -> None:
    assert installation("goose", tmp_path / "x").fragment() == (
        "extensions:\n"
        "  docs:\n"
        '    name: "docs"\n'
        '    type: "stdio"\n'
        '    description: "Context caches"\n'
        "    enabled: true\n"
        '    cmd: "/opt/ctx"\n'
        '    args: ["serve", "--cache-root", "/srv/caches"]\n'
        "    envs: {}\n"
        "    timeout: 300\n"
    )


@pytest.mark.parametrize(
    ("client", "linux", "macos", "windows"),
    [
        ("claude-code", "/p/.mcp.json", "/p/.mcp.json", "/p/.mcp.json"),
        (
            "claude-desktop",
            "/home/u/.config/Claude/claude_desktop_config.json",
            "/home/u/Library/Application Support/Claude/claude_desktop_config.json",
            "/roaming/Claude/claude_desktop_config.json",
        ),
        ("codex", *["/home/u/.codex/config.toml"] * 3),
        ("windsurf", *["/home/u/.codeium/windsurf/mcp_config.json"] * 3),
        (
            "zed",
            "/home/u/.config/zed/settings.json",
            "/home/u/.config/zed/settings.json",
            "/roaming/Zed/settings.json",
        ),
    ],
)
def test_each_platform_has_its_file(client: str, linux: str, macos: str, windows: str) -> None:
    location = CLIENTS[client].files[0]
    environments = (around("linux"), around("darwin"), around("win32", APPDATA="/roaming"))
    assert [each.path(location).as_posix() for each in environments] == [linux, macos, windows]


def test_variables_move_what_they_are_made_for() -> None:
    variables = {"CODEX_HOME": "/c", "COPILOT_HOME": "/d", "XDG_CONFIG_HOME": "/x", "CLAUDE_CONFIG_DIR": "/e"}
    moved = around("linux", **variables, CLINE_DATA_DIR="/f")
    files = {
        name: moved.path(CLIENTS[name].user_file).as_posix()
        for name in ("codex", "copilot", "zed", "claude-code", "cline")
    }
    assert files == {
        "codex": "/c/config.toml",
        "copilot": "/d/mcp-config.json",
        "zed": "/x/zed/settings.json",
        "claude-code": "/e/.claude.json",
        "cline": "/f/settings/cline_mcp_settings.json",
    }
    usual, named = around("linux"), around("linux", CLINE_MCP_SETTINGS_PATH="/g/mcp.json")
    cline = CLIENTS["cline"].user_file
    assert usual.path(cline).as_posix() == "/home/u/.cline/data/settings/cline_mcp_settings.json"
    assert named.path(cline).as_posix() == "/g/mcp.json"


def test_many_clients_have_a_file_for_one_project_and_one_for_all() -> None:
    files = {
        name: tuple(around("linux").path(location).as_posix() for location in client.files)
        for name, client in CLIENTS.items()
        if len(client.files) == 2
    }
    storage = "/home/u/.config/Code/User/globalStorage"
    assert files == {
        "claude-code": ("/p/.mcp.json", "/home/u/.claude.json"),
        "cursor": ("/p/.cursor/mcp.json", "/home/u/.cursor/mcp.json"),
        "vscode": ("/p/.vscode/mcp.json", "/home/u/.config/Code/User/mcp.json"),
        "gemini": ("/p/.gemini/settings.json", "/home/u/.gemini/settings.json"),
        "qwen": ("/p/.qwen/settings.json", "/home/u/.qwen/settings.json"),
        "opencode": ("/p/opencode.json", "/home/u/.config/opencode/opencode.json"),
        "roo": ("/p/.roo/mcp.json", f"{storage}/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
        "kilo": ("/p/.kilo/kilo.json", "/home/u/.config/kilo/kilo.json"),
        "kiro": ("/p/.kiro/settings/mcp.json", "/home/u/.kiro/settings/mcp.json"),
        "antigravity": ("/p/.agents/mcp_config.json", "/home/u/.gemini/config/mcp_config.json"),
    }


@pytest.mark.parametrize("client", [name for name, client in CLIENTS.items() if client.project_file])
def test_a_file_that_people_commit_names_no_path_of_this_machine(client: str) -> None:
    project, caches = str(Path("/p/docs").absolute()), str(Path("/p/caches").absolute())
    command = serve_command(CLIENTS[client], project=project, cache_root=caches, is_shared=True)
    here = CLIENTS[client].project_variable
    root = f"{here}/../caches" if here else "../caches"
    assert command[:6] == ["ctx", "serve", "--cache-root", root, "--project", here or "."]


def test_options_follow_what_a_client_does_with_answers() -> None:
    """Gemini CLI loses errors and Copilot CLI doubles answers with structured content; others refuse dots."""
    options = {name: " ".join(client.options) for name, client in CLIENTS.items()}
    assert options["gemini"] == options["qwen"] == "--no-structured-content"
    assert options["copilot"] == "--no-structured-content --suggest-budget 2000"
    assert options["cursor"] == options["claude-desktop"] == "--tool-names underscore"
    assert options["claude-code"] == options["codex"] == ""


def test_an_entry_keeps_what_its_user_added(tmp_path: Path) -> None:
    """A changed command is renewed; an environment and unknown keys stay."""
    file = tmp_path / "mcp.json"
    mine = {"command": "old", "args": [], "env": {"A": "1"}, "disabled": True}
    file.write_text(json.dumps({"mcpServers": {"docs": mine, "other": {}}, "x": 1}))
    assert installation("windsurf", file).install()
    assert json.loads(file.read_text()) == {
        "mcpServers": {"docs": {**mine, "command": "/opt/ctx", "args": COMMAND[1:]}, "other": {}},
        "x": 1,
    }


@pytest.mark.parametrize("client", ["cursor", "codex"])
@pytest.mark.parametrize("content", [b"{ not a configuration", b"\xff\xfe{}\x00"])
def test_a_file_that_does_not_parse_is_left_alone_and_named(
    client: str, content: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "config"
    file.write_bytes(content)
    for act in (installation(client, file).install, installation(client, file).remove):
        with pytest.raises(UsageError, match=r"config: .*; the file was left as it is"):
            act()
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_file_keeps_its_permissions_its_mark_and_its_link(tmp_path: Path) -> None:
    kept, file = tmp_path / "dotfiles", tmp_path / "mcp.json"
    kept.write_bytes(b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n')
    kept.chmod(0o640)
    file.symlink_to(kept)
    it = installation("windsurf", file)
    assert it.install()
    assert file.is_symlink()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert it.remove()
    assert kept.read_bytes() == b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n'


def test_the_program_is_named_by_an_absolute_path() -> None:
    """Clients start it with a bare environment, anywhere."""
    command = program()
    assert Path(command[0]).is_absolute()
    assert Path(command[0]).exists()
    assert command[1:] in ([], ["-P", "-m", "ctxcache"])


def test_a_client_that_writes_its_file_meanwhile_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edit begins anew once; a client that keeps writing is named."""
    file = tmp_path / "mcp.json"
    file.write_text('{"a": 0}')
    it = installation("windsurf", file)
    edits: list[str] = []

    def meanwhile(text: str) -> str:
        edits.append(text)
        file.write_text(f'{{"a": {len(edits)}}}')
        return text + "\n"

    monkeypatch.setattr(Installation, "_with_entry", lambda _, text: meanwhile(text))
    with pytest.raises(UsageError, match="another program writes it; close Windsurf and try again"):
        it.install()
    assert file.read_text() == '{"a": 2}'

    def once(_: Installation, text: str) -> str:
        return meanwhile(text) if len(edits) < 3 else text + "\n"

    monkeypatch.setattr(Installation, "_with_entry", once)
    assert it.install()
    assert file.read_text() == '{"a": 3}\n'


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_an_entry_that_stands_twice_or_inline_is_told_and_left(client: str, tmp_path: Path) -> None:
    file = tmp_path / "config"
    if client == "codex":
        text = "mcp_servers = {docs = {command = 'x'}}\n"
        file.write_text(text)
        for act in (installation(client, file).install, installation(client, file).remove):
            with pytest.raises(UsageError, match="the file was left as it is"):
                act()
    else:
        text = '{"mcpServers": {"docs": {}, "x": 1, "docs": {"command": "a"}}}'
        file.write_text(text)
        with pytest.raises(UsageError, match="the file was left as it is"):
            installation(client, file).remove()
    assert file.read_text() == text


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
def test_a_pipe_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="it is not a regular file; the file was left as it is"):
        installation("codex", tmp_path / "pipe").install()


def test_a_directory_in_place_of_the_file_is_told_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{tmp_path}: it is not a regular file"):
        installation("codex", tmp_path).install()
