"""The clients that `ctx install` knows: whose file it is, where in it servers stand, and in which shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .surroundings import Surroundings

    Place = Callable[[Surroundings], Path]
    Entry = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """A program that starts MCP servers."""

    title: str
    place: Place
    """The file that is written."""
    home_place: Place | None = None
    """The file for all projects, where `place` is that of one project."""
    container: str = "mcpServers"
    """The key of the object that holds the servers by name."""
    shape: Callable[[list[str]], Entry]
    """From a command to the entry that makes the client run it."""
    syntax: Literal["json", "toml"] = "json"
    refuses_dots: bool = False
    """Whether it drops tools with a dot in their name."""


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


def in_project(*parts: str) -> Place:
    """A file below the project."""
    return lambda around: around.project.joinpath(*parts)


def in_home(*parts: str) -> Place:
    """A file below the home directory."""
    return lambda around: around.home.joinpath(*parts)


def _zed(around: Surroundings) -> Path:
    """Zed keeps to `~/.config` on macOS too."""
    if around.platform == "win32":
        return around.application_support / "Zed" / "settings.json"
    return around.config / "zed" / "settings.json"


CLIENTS = {
    "claude-code": Client(title="Claude Code", place=in_project(".mcp.json"), shape=typed),
    "claude-desktop": Client(
        title="Claude Desktop",
        place=lambda around: around.application_support / "Claude" / "claude_desktop_config.json",
        shape=plain,
        refuses_dots=True,
    ),
    "cursor": Client(
        title="Cursor",
        place=in_project(".cursor", "mcp.json"),
        home_place=in_home(".cursor", "mcp.json"),
        shape=typed,
        refuses_dots=True,
    ),
    "vscode": Client(
        title="VS Code", place=in_project(".vscode", "mcp.json"), container="servers", shape=typed
    ),
    "codex": Client(
        title="Codex",
        place=lambda around: around.directory("CODEX_HOME", ".codex") / "config.toml",
        container="mcp_servers",
        shape=plain,
        syntax="toml",
    ),
    "gemini": Client(
        title="Gemini CLI",
        place=in_project(".gemini", "settings.json"),
        home_place=in_home(".gemini", "settings.json"),
        shape=plain,
    ),
    "copilot": Client(
        title="Copilot CLI",
        place=lambda around: around.directory("COPILOT_HOME", ".copilot") / "mcp-config.json",
        shape=copilot,
    ),
    "windsurf": Client(
        title="Windsurf",
        place=in_home(".codeium", "windsurf", "mcp_config.json"),
        shape=plain,
        refuses_dots=True,
    ),
    "zed": Client(title="Zed", place=_zed, container="context_servers", shape=plain),
    "opencode": Client(
        title="opencode",
        place=in_project("opencode.json"),
        home_place=lambda around: around.config / "opencode" / "opencode.json",
        container="mcp",
        shape=opencode,
    ),
}
"""By the name that `ctx install` takes."""
