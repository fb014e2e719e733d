"""Writing a server into a client's configuration, and taking it out again.

An entry that is there keeps what is not ours: its environment, and keys that we do not
know. The file is replaced in one step, or not touched at all.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...textfile import read_text, replace_text
from . import json_edits, toml_edits

if TYPE_CHECKING:
    from collections.abc import Callable

    from .clients import Client

_OURS = ("type", "command", "args")
"""The keys of an entry that decide what is run; the others are written only where there are none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """One server in one client's file."""

    client: Client
    file: Path
    name: str
    command: list[str]

    def fragment(self) -> str:
        """A file that holds the entry and nothing else."""
        return self._with_entry("")

    def install(self) -> bool:
        """Write the entry; whether anything changed. Raises `UsageError` and leaves the file alone."""
        return self._change(self._with_entry)

    def remove(self) -> bool:
        """Take the entry out, and the file away if it held nothing else; whether anything changed."""
        return self._change(self._without_entry)

    def _change(self, edit: Callable[[str], str]) -> bool:
        try:
            before = read_text(self.file)
            after = edit(before)
            if after == before:
                return False
            if self._others(before) != self._others(after):
                raise ValueError("it is written in a way that cannot be edited safely")
        except ValueError as error:
            raise UsageError(f"{self.file}: {error}; the file was left as it is") from None
        if after.strip() in ("", "{}") and not self.file.is_symlink():
            self.file.unlink()
        else:
            replace_text(self.file, after)
        return True

    @property
    def _path(self) -> tuple[str, str]:
        return self.client.container, self.name

    def _read(self, text: str) -> dict[str, Any]:
        return json_edits.read(text) if self.client.syntax == "json" else toml_edits.read(text)

    def _put(self, text: str, path: tuple[str, ...], value: Any) -> str:
        put = json_edits.put if self.client.syntax == "json" else toml_edits.put
        return put(text, path, value)

    def _with_entry(self, text: str) -> str:
        entry = self.client.shape(self.command)
        if self.client.syntax == "toml":  # an empty table says nothing there
            entry = {key: value for key, value in entry.items() if value != {}}
        servers = self._read(text).get(self.client.container)
        there = servers.get(self.name) if isinstance(servers, dict) else None
        if not isinstance(there, dict):
            return self._put(text, self._path, entry)
        for key, value in entry.items():
            if key not in there or (key in _OURS and there[key] != value):
                text = self._put(text, (*self._path, key), value)
        return text

    def _without_entry(self, text: str) -> str:
        remove = json_edits.remove if self.client.syntax == "json" else toml_edits.remove
        return remove(text, self._path)

    def _others(self, text: str) -> dict[str, Any]:
        """Everything in a text but the entry, and but a container without servers."""
        data = self._read(text)
        servers = data.get(self.client.container)
        if isinstance(servers, dict):
            kept = {name: entry for name, entry in servers.items() if name != self.name}
            data = {key: value for key, value in data.items() if key != self.client.container}
            return data | ({self.client.container: kept} if kept else {})
        return data


def program() -> list[str]:
    """The absolute command line of `ctx`: clients start it with another path and directory."""
    script = Path(sys.executable).with_name("ctx.exe" if sys.platform == "win32" else "ctx")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "ctxcache"]
