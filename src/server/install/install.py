"""Writing a server into a client's configuration, and taking it out again.

An entry that is there keeps what is not ours: its environment, and keys that we do not
know. The file is replaced in one step, or not touched at all; what another
program writes meanwhile is noticed.
"""

from __future__ import annotations

import json
import os
import sys
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...safeio import ChangedMeanwhile, bytes_now, decode_text, replace_bytes
from . import jsonc, toml_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

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
        """The text of a file that holds the entry and nothing else."""
        if self.client.syntax == "yaml":
            return to_yaml({self.client.container: {self.name: self._entry}})
        return self._with_entry("")

    def install(self) -> bool:
        """Write the entry; whether anything changed. Raises `UsageError` and leaves the file alone."""
        return self._change(self._with_entry)

    def remove(self) -> bool:
        """Take the entry out, and the file away if it held nothing else; whether anything changed."""
        return self._change(self._without_entry)

    def _change(self, edit: Callable[[str], str]) -> bool:
        for _ in range(2):  # once more if another program wrote it meanwhile
            try:
                return self._change_once(edit)
            except ChangedMeanwhile:
                continue
            except ValueError as error:
                raise UsageError(f"{self.file}: {error}; the file was left as it is") from None
        raise UsageError(f"{self.file}: another program writes it; close {self.client.title} and try again")

    def _change_once(self, edit: Callable[[str], str]) -> bool:
        """Edit the file. Raises `ValueError`, and `ChangedMeanwhile` if another program wrote it."""
        data = bytes_now(self.file)
        before = decode_text(data)
        after = edit(before)
        if after == before:
            return False
        others = [
            repr(self._others(text)) for text in (before, after)
        ]  # a `nan` equals no other, but for its name
        if others[0] != others[1]:
            raise ValueError("it is written in a way that cannot be edited safely")
        if after in ("", "{}\n") and not self.file.is_symlink():
            self.file.unlink()
        else:
            mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
            replace_bytes(self.file, mark + after.encode(), expected=data)
        return True

    @property
    def _entry(self) -> dict[str, Any]:
        return self.client.entry(self.name, self.command)

    @property
    def _path(self) -> tuple[str, str]:
        return self.client.container, self.name

    @property
    def _syntax(self) -> ModuleType:
        return jsonc if self.client.syntax == "json" else toml_tables

    def _entry_in(self, text: str) -> Any:
        """The entry that a text holds, None where there is none."""
        servers = self._syntax.read(text).get(self.client.container)
        return servers.get(self.name) if isinstance(servers, dict) else None

    def _with_entry(self, text: str) -> str:
        entry = self._entry
        if self.client.syntax == "toml":  # an empty table says nothing there
            entry = {key: value for key, value in entry.items() if value != {}}
        present = self._entry_in(text)
        if isinstance(present, dict):
            return self._renewed(text, present, entry)
        after: str = self._syntax.put(text, self._path, entry)
        if text.strip() and present is None and self._without_entry(after) != text:
            raise ValueError("it is written in a way that cannot be restored afterwards")
        return after

    def _renewed(self, text: str, present: dict[str, Any], entry: dict[str, Any]) -> str:
        """The text with our keys of an entry that is there; the others stay."""
        for key, value in entry.items():
            if key not in present or (key in _OURS and present[key] != value):
                text = self._syntax.put(text, (*self._path, key), value)
        return text

    def _without_entry(self, text: str) -> str:
        after: str = self._syntax.remove(text, self._path)
        if self._entry_in(after) is not None:
            raise ValueError(f"`{'.'.join(self._path)}` stands there in a way that cannot be edited safely")
        return after

    def _others(self, text: str) -> dict[str, Any]:
        """Everything in a text but the entry, and but a container without servers."""
        data: dict[str, Any] = self._syntax.read(text)
        servers = data.get(self.client.container)
        if isinstance(servers, dict):
            others = {name: entry for name, entry in servers.items() if name != self.name}
            data = {key: value for key, value in data.items() if key != self.client.container}
            return data | ({self.client.container: others} if others else {})
        return data


def to_yaml(value: dict[str, Any], indent: str = "") -> str:
    """Objects as block mappings; what is in them as JSON, which YAML reads."""
    lines = []
    for key, each in value.items():
        if isinstance(each, dict) and each:
            lines.append(f"{indent}{key}:\n{to_yaml(each, indent + '  ')}")
        else:
            lines.append(f"{indent}{key}: {json.dumps(each)}\n")
    return "".join(lines)


def program() -> list[str]:
    """The absolute command line of `ctx`: clients start it with another path and directory.

    Where there is no script, `-P`: a client starts it in a project, whose `ctxcache.py` would be imported.
    """
    script = Path(sys.executable).with_name("ctx.exe" if sys.platform == "win32" else "ctx")
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "ctxcache"]


def serve_command(client: Client, *, project: str, cache_root: str, is_shared: bool) -> list[str]:
    """The command that a client's file holds; both paths are absolute.

    With `is_shared`, for a file that people commit, there is no path of this machine in it: `ctx` by
    name, and directories relative to the project.
    """
    start = program()
    if is_shared:
        start, here = ["ctx"], client.project_variable or os.curdir
        cache_root = _below(here, os.path.relpath(cache_root, project))
        project = here
    return [*start, "serve", "--cache-root", cache_root, "--project", project, *client.options]


def _below(directory: str, path: str) -> str:
    """A relative path below the project's directory as a client spells that, with slashes."""
    path = path.replace(os.sep, "/")
    return path if directory == os.curdir else f"{directory}/{path}"
