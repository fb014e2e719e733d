"""The clients that `ctx install` supports: the paths of their files, and the form of an entry in them."""

from __future__ import annotations

import os
import sys
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """The platform, the user and the project that a configuration is written for."""

    platform: str
    """A value of `sys.platform`."""
    home: Path
    project: Path
    variables: Mapping[str, str]
    """The environment variables."""

    @classmethod
    def here(cls, project: str | os.PathLike[str]) -> Environment:
        """The environment of this process and a project."""
        return cls(
            platform=sys.platform, home=Path.home(), project=Path(project).absolute(), variables=os.environ
        )

    def path(self, location: str) -> Path:
        """The path of a client's file, in the project or in a directory named in braces, as in `{home}/…`."""
        config = support = self._directory("XDG_CONFIG_HOME", ".config")
        if self.platform == "darwin":
            support = self.home / "Library" / "Application Support"
        elif self.platform == "win32":
            support = self._directory("APPDATA", "AppData", "Roaming")
        cline = self._directory("CLINE_DATA_DIR", ".cline", "data") / "settings" / "cline_mcp_settings.json"
        directories = {
            "home": self.home,
            "config": config,
            "support": support,
            "vscode": support / "Code" / "User",
            "zed": support / "Zed" if self.platform == "win32" else config / "zed",
            "claude": self._directory("CLAUDE_CONFIG_DIR"),
            "codex": self._directory("CODEX_HOME", ".codex"),
            "copilot": self._directory("COPILOT_HOME", ".copilot"),
            "cline": self._directory("CLINE_MCP_SETTINGS_PATH", *cline.parts),
        }
        return self.project / location.format_map(directories)

    def _directory(self, variable: str, *default: str) -> Path:
        """The directory in an environment variable, else the default one in the home directory."""
        value = self.variables.get(variable)
        return Path(value) if value else self.home.joinpath(*default)


Entry = dict[str, Any]

UNDERSCORE = ("--tool-names", "underscore")
"""For clients that drop tools with a dot in their name, or whose models may refuse them."""
TEXT_ONLY = ("--no-structured-content",)
"""For clients that drop errors or show results twice if there is structured content."""


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers."""

    title: str
    shape: Callable[[list[str]], Entry]
    """Makes the entry for a command line."""
    user_file: str = ""
    """The user's file for all projects, as an argument of `Environment.path`."""
    project_file: str = ""
    """The file of one project, which is committed, so it has no path of this machine."""
    _: KW_ONLY
    project_variable: str = ""
    """The client's variable for the project's directory; empty if it starts servers in that directory."""
    container: str = "mcpServers"
    """The key of the object with the servers by name."""
    syntax: Literal["json", "toml", "yaml"] = "json"
    options: tuple[str, ...] = ()
    """The options of `ctx serve` for this client."""
    name_key: str = ""
    """The key of an entry for the server's name; empty if the client does not need it."""

    def entry(self, name: str, command: list[str]) -> Entry:
        """The entry of a server with a name and a command line."""
        own_name = {self.name_key: name} if self.name_key else {}
        return own_name | self.shape(command)

    @property
    def files(self) -> list[str]:
        """The files of the client; none if it is configured in a dialog or in a file that is not edited."""
        return [location for location in (self.project_file, self.user_file) if location]


def plain(command: list[str]) -> Entry:
    """An entry with a program, its arguments and its environment."""
    return {"command": command[0], "args": command[1:], "env": {}}


def typed(command: list[str]) -> Entry:
    """A plain entry with the transport."""
    return {"type": "stdio", **plain(command)}


def copilot(command: list[str]) -> Entry:
    """An entry of Copilot CLI, which names the allowed tools."""
    return {"type": "local", **plain(command), "tools": ["*"]}


def opencode(command: list[str]) -> Entry:
    """An entry of opencode, with the program and its arguments in one list."""
    return {"type": "local", "command": command, "environment": {}, "enabled": True}


def goose(command: list[str]) -> Entry:
    """An extension of goose, which must have a description."""
    start = {"cmd": command[0], "args": command[1:], "envs": {}}
    return {"type": "stdio", "description": "Context caches", "enabled": True, **start, "timeout": 300}


CLIENTS = {
    "claude-code": Client(
        "Claude Code",
        typed,
        "{claude}/.claude.json",
        ".mcp.json",
        project_variable="${CLAUDE_PROJECT_DIR:-.}",
    ),
    "claude-desktop": Client(
        "Claude Desktop", plain, "{support}/Claude/claude_desktop_config.json", options=UNDERSCORE
    ),
    "cursor": Client(
        "Cursor",
        typed,
        "{home}/.cursor/mcp.json",
        ".cursor/mcp.json",
        project_variable="${workspaceFolder}",
        options=UNDERSCORE,
    ),
    "vscode": Client(
        "VS Code",
        typed,
        "{vscode}/mcp.json",
        ".vscode/mcp.json",
        project_variable="${workspaceFolder}",
        container="servers",
    ),
    "codex": Client("Codex", plain, "{codex}/config.toml", container="mcp_servers", syntax="toml"),
    "gemini": Client(
        "Gemini CLI", plain, "{home}/.gemini/settings.json", ".gemini/settings.json", options=TEXT_ONLY
    ),
    "qwen": Client(
        "Qwen Code", plain, "{home}/.qwen/settings.json", ".qwen/settings.json", options=TEXT_ONLY
    ),
    "copilot": Client(
        "Copilot CLI", copilot, "{copilot}/mcp-config.json", options=(*TEXT_ONLY, "--suggest-budget", "2000")
    ),
    "windsurf": Client("Windsurf", plain, "{home}/.codeium/windsurf/mcp_config.json", options=UNDERSCORE),
    "zed": Client("Zed", plain, "{zed}/settings.json", container="context_servers"),
    "opencode": Client(
        "opencode", opencode, "{config}/opencode/opencode.json", "opencode.json", container="mcp"
    ),
    "cline": Client("Cline", plain, "{cline}", options=UNDERSCORE),
    "roo": Client(
        "Roo Code",
        plain,
        "{vscode}/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ".roo/mcp.json",
        options=UNDERSCORE,
    ),
    "kilo": Client(
        "Kilo Code",
        opencode,
        "{config}/kilo/kilo.json",
        ".kilo/kilo.json",
        container="mcp",
        options=UNDERSCORE,
    ),
    "kiro": Client(
        "Kiro", plain, "{home}/.kiro/settings/mcp.json", ".kiro/settings/mcp.json", options=UNDERSCORE
    ),
    "lmstudio": Client("LM Studio", plain, "{home}/.lmstudio/mcp.json", options=UNDERSCORE),
    "antigravity": Client(
        "Antigravity",
        plain,
        "{home}/.gemini/config/mcp_config.json",
        ".agents/mcp_config.json",
        options=UNDERSCORE,
    ),
    "goose": Client(
        "goose", goose, container="extensions", syntax="yaml", options=UNDERSCORE, name_key="name"
    ),
    "jetbrains": Client("JetBrains IDEs", plain, options=UNDERSCORE),
}
"""The clients by their name in `ctx install`."""

ANY = {
    "json": Client("any client", plain),
    "toml": Client("any client", plain, container="mcp_servers", syntax="toml"),
    "yaml": Client("any client", plain, syntax="yaml"),
}
"""Entries for other clients, by the syntax of their file."""
