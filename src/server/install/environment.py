"""Where a user's files are, on each platform."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


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
