"""The clients that `ctx install` knows: whose file it is, where that is, and the shape of an entry in it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """The platform, the user and the project that a configuration is written for."""

    platform: str
    """As `sys.platform` has it."""
    home: Path
    project: Path
    variables: Mapping[str, str]
    """The environment."""

    @classmethod
    def here(cls, project: str | os.PathLike[str]) -> Environment:
        """Those of this process."""
        return cls(
            platform=sys.platform, home=Path.home(), project=Path(project).absolute(), variables=os.environ
        )

    def directory(self, variable: str, *default: str) -> Path:
        """The directory that a variable names, else one below the home directory."""
        named = self.variables.get(variable)
        return Path(named) if named else self.home.joinpath(*default)

    @property
    def config(self) -> Path:
        """Where programs keep what a user configures, on Linux."""
        return self.directory("XDG_CONFIG_HOME", ".config")

    @property
    def vscode(self) -> Path:
        """Where VS Code keeps what a user configures, and extensions keep what is theirs."""
        return self.application_support / "Code" / "User"

    @property
    def application_support(self) -> Path:
        """Where desktop applications keep what a user configures."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.directory("APPDATA", "AppData", "Roaming")
        return self.config


if TYPE_CHECKING:
    Location = Callable[[Environment], Path]
    Entry = dict[str, Any]

UNDERSCORE = ("--tool-names", "underscore")
"""For clients that drop tools with a dot in their name, or whose models may."""
TEXT_ONLY = ("--no-structured-content",)
"""For clients that lose an error, or show everything twice, where there is structured content."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """A program that starts MCP servers."""

    title: str
    project_file: Location | None = None
    """The file of one project, which people commit: it holds no path of this machine."""
    user_file: Location | None = None
    """The user's own file, for all projects."""
    project_variable: str = ""
    """How the project's file spells the project's directory; without it the server starts there."""
    container: str = "mcpServers"
    """The key of the object that holds the servers by name."""
    shape: Callable[[list[str]], Entry]
    """From a command to the entry that makes the client run it."""
    syntax: Literal["json", "toml", "yaml"] = "json"
    options: tuple[str, ...] = ()
    """The options of `ctx serve` for this client."""
    name_key: str = ""
    """The key under which an entry repeats the server's name, for a client that wants that."""

    def entry(self, name: str, command: list[str]) -> Entry:
        """The entry of a server."""
        named = {self.name_key: name} if self.name_key else {}
        return named | self.shape(command)

    @property
    def is_by_hand(self) -> bool:
        """Whether the entry can only be shown, for a dialog or a file that is not edited."""
        return self.project_file is None and self.user_file is None


def plain(command: list[str]) -> Entry:
    """A program, its arguments, its environment."""
    return {"command": command[0], "args": command[1:], "env": {}}


def typed(command: list[str]) -> Entry:
    """The same, with the transport named."""
    return {"type": "stdio", **plain(command)}


def copilot(command: list[str]) -> Entry:
    """Copilot CLI wants to be told which tools may be used."""
    return {"type": "local", **plain(command), "tools": ["*"]}


def opencode(command: list[str]) -> Entry:
    """One list for program and arguments."""
    return {"type": "local", "command": command, "environment": {}, "enabled": True}


def goose(command: list[str]) -> Entry:
    """An extension of goose, which refuses one without a description."""
    start = {"cmd": command[0], "args": command[1:], "envs": {}}
    return {"type": "stdio", "description": "Context caches", "enabled": True, **start, "timeout": 300}


def in_project(*parts: str) -> Location:
    """A file below the project."""
    return lambda environment: environment.project.joinpath(*parts)


def in_home(*parts: str) -> Location:
    """A file below the home directory."""
    return lambda environment: environment.home.joinpath(*parts)


def in_extension(name: str, file: str) -> Location:
    """A settings file of an extension of VS Code."""
    return lambda environment: environment.vscode / "globalStorage" / name / "settings" / file


def _cline(environment: Environment) -> Path:
    """One file for the extension and the command line."""
    data = environment.directory("CLINE_DATA_DIR", ".cline", "data")
    return environment.directory(
        "CLINE_MCP_SETTINGS_PATH", *data.parts, "settings", "cline_mcp_settings.json"
    )


def _zed(environment: Environment) -> Path:
    """Zed keeps to `~/.config` on macOS too."""
    if environment.platform == "win32":
        return environment.application_support / "Zed" / "settings.json"
    return environment.config / "zed" / "settings.json"


def _claude_code(environment: Environment) -> Path:
    """Its settings stand beside `.claude`, or inside the directory that takes the place of that."""
    named = environment.variables.get("CLAUDE_CONFIG_DIR")
    return (environment.directory("CLAUDE_CONFIG_DIR") if named else environment.home) / ".claude.json"


CLIENTS = {
    "claude-code": Client(
        title="Claude Code",
        project_file=in_project(".mcp.json"),
        project_variable="${CLAUDE_PROJECT_DIR:-.}",
        user_file=_claude_code,
        shape=typed,
    ),
    "claude-desktop": Client(
        title="Claude Desktop",
        user_file=lambda environment: (
            environment.application_support / "Claude" / "claude_desktop_config.json"
        ),
        shape=plain,
        options=UNDERSCORE,
    ),
    "cursor": Client(
        title="Cursor",
        project_file=in_project(".cursor", "mcp.json"),
        project_variable="${workspaceFolder}",
        user_file=in_home(".cursor", "mcp.json"),
        shape=typed,
        options=UNDERSCORE,
    ),
    "vscode": Client(
        title="VS Code",
        project_file=in_project(".vscode", "mcp.json"),
        project_variable="${workspaceFolder}",
        user_file=lambda environment: environment.vscode / "mcp.json",
        container="servers",
        shape=typed,
    ),
    "codex": Client(
        title="Codex",
        user_file=lambda environment: environment.directory("CODEX_HOME", ".codex") / "config.toml",
        container="mcp_servers",
        shape=plain,
        syntax="toml",
    ),
    "gemini": Client(
        title="Gemini CLI",
        project_file=in_project(".gemini", "settings.json"),
        user_file=in_home(".gemini", "settings.json"),
        shape=plain,
        options=TEXT_ONLY,
    ),
    "qwen": Client(
        title="Qwen Code",
        project_file=in_project(".qwen", "settings.json"),
        user_file=in_home(".qwen", "settings.json"),
        shape=plain,
        options=TEXT_ONLY,
    ),
    "copilot": Client(
        title="Copilot CLI",
        user_file=lambda environment: environment.directory("COPILOT_HOME", ".copilot") / "mcp-config.json",
        shape=copilot,
        options=(*TEXT_ONLY, "--suggest-budget", "2000"),
    ),
    "windsurf": Client(
        title="Windsurf",
        user_file=in_home(".codeium", "windsurf", "mcp_config.json"),
        shape=plain,
        options=UNDERSCORE,
    ),
    "zed": Client(title="Zed", user_file=_zed, container="context_servers", shape=plain),
    "opencode": Client(
        title="opencode",
        project_file=in_project("opencode.json"),
        user_file=lambda environment: environment.config / "opencode" / "opencode.json",
        container="mcp",
        shape=opencode,
    ),
    "cline": Client(
        title="Cline",
        user_file=_cline,
        shape=plain,
        options=UNDERSCORE,
    ),
    "roo": Client(
        title="Roo Code",
        project_file=in_project(".roo", "mcp.json"),
        user_file=in_extension("rooveterinaryinc.roo-cline", "mcp_settings.json"),
        shape=plain,
        options=UNDERSCORE,
    ),
    "kilo": Client(
        title="Kilo Code",
        project_file=in_project(".kilo", "kilo.json"),
        user_file=lambda environment: environment.config / "kilo" / "kilo.json",
        container="mcp",
        shape=opencode,
        options=UNDERSCORE,
    ),
    "kiro": Client(
        title="Kiro",
        project_file=in_project(".kiro", "settings", "mcp.json"),
        user_file=in_home(".kiro", "settings", "mcp.json"),
        shape=plain,
        options=UNDERSCORE,
    ),
    "lmstudio": Client(
        title="LM Studio", user_file=in_home(".lmstudio", "mcp.json"), shape=plain, options=UNDERSCORE
    ),
    "antigravity": Client(
        title="Antigravity",
        project_file=in_project(".agents", "mcp_config.json"),
        user_file=in_home(".gemini", "config", "mcp_config.json"),
        shape=plain,
        options=UNDERSCORE,
    ),
    "goose": Client(
        title="goose",
        container="extensions",
        shape=goose,
        syntax="yaml",
        options=UNDERSCORE,
        name_key="name",
    ),
    "jetbrains": Client(title="JetBrains IDEs", shape=plain, options=UNDERSCORE),
}
"""By the name that `ctx install` takes."""

ANY = {
    "json": Client(title="any client", shape=plain),
    "toml": Client(title="any client", shape=plain, container="mcp_servers", syntax="toml"),
    "yaml": Client(title="any client", shape=plain, syntax="yaml"),
}
"""For a client that is not listed, by the syntax of its file."""
