"""Writing the entry of the server into a client's configuration, and removing it.

An existing entry keeps its environment and unknown keys. The file is replaced atomically, or not changed
at all; if another program writes it meanwhile, the edit is tried once more.
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
from ...safeio import ChangedMeanwhile, decode_text, read_if_any, replace_bytes
from . import jsonc, toml_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .clients import Client

_OURS = ("type", "command", "args")
"""The keys of an entry that are overwritten; the others are only added."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """The entry of a server in a client's file."""

    client: Client
    file: Path
    name: str
    command: list[str]

    def fragment(self) -> str:
        """The text of a file with the entry alone."""
        if self.client.syntax == "yaml":
            return to_yaml({self.client.container: {self.name: self._entry}})
        return self._with_entry("")

    def install(self) -> bool:
        """Write the entry; False if it was there already. Raises `UsageError`, and changes nothing then."""
        return self._change(self._with_entry)

    def remove(self) -> bool:
        """Remove the entry, and a file that is empty then; False without an entry. Raises `UsageError`."""
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
        data = read_if_any(self.file)
        before = decode_text(data)
        after = edit(before)
        if after == before:
            return False
        # Compared as text, since a `nan` does not equal itself.
        if repr(self._without_ours(before)) != repr(self._without_ours(after)):
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
        """The entry in a text; None if there is none."""
        servers = self._syntax.read(text).get(self.client.container)
        return servers.get(self.name) if isinstance(servers, dict) else None

    def _with_entry(self, text: str) -> str:
        entry = self._entry
        if self.client.syntax == "toml":  # leave out empty tables
            entry = {key: value for key, value in entry.items() if value != {}}
        present = self._entry_in(text)
        if isinstance(present, dict):
            return self._with_our_keys(text, present, entry)
        after: str = self._syntax.put(text, self._path, entry)
        if text.strip() and present is None and self._without_entry(after) != text:
            raise ValueError("it is written in a way that cannot be restored afterwards")
        return after

    def _with_our_keys(self, text: str, present: dict[str, Any], entry: dict[str, Any]) -> str:
        """The text with the keys of an entry written into the present one, whose other keys stay."""
        for key, value in entry.items():
            if key not in present or (key in _OURS and present[key] != value):
                text = self._syntax.put(text, (*self._path, key), value)
        return text

    def _without_entry(self, text: str) -> str:
        after: str = self._syntax.remove(text, self._path)
        if self._entry_in(after) is not None:
            raise ValueError(f"`{'.'.join(self._path)}` stands there in a way that cannot be edited safely")
        return after

    def _without_ours(self, text: str) -> dict[str, Any]:
        """The data of a text without our entry, and without the container if that is empty then."""
        data: dict[str, Any] = self._syntax.read(text)
        servers = data.get(self.client.container)
        if isinstance(servers, dict):
            others = {name: entry for name, entry in servers.items() if name != self.name}
            data = {key: value for key, value in data.items() if key != self.client.container}
            return data | ({self.client.container: others} if others else {})
        return data


def to_yaml(value: dict[str, Any], indent: str = "") -> str:
    """Objects as YAML: nested objects as block mappings, other values as JSON."""
    lines = []
    for key, child in value.items():
        if isinstance(child, dict) and child:
            lines.append(f"{indent}{key}:\n{to_yaml(child, indent + '  ')}")
        else:
            lines.append(f"{indent}{key}: {json.dumps(child)}\n")
    return "".join(lines)


def program() -> list[str]:
    """The command line of `ctx` with absolute paths, as clients have another `PATH` and directory.

    Without the script it is `python -P -m`: `-P` prevents the import of a `ctxcache.py` of the project.
    """
    script = Path(sys.executable).with_name("ctx.exe" if sys.platform == "win32" else "ctx")
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "ctxcache"]


def serve_command(client: Client, *, project: str, cache_root: str, is_shared: bool) -> list[str]:
    """The command line of the server in a client's file; `project` and `cache_root` are absolute.

    With `is_shared`, for a file that is committed, the command is the name `ctx`, and the directories are
    relative to the project.
    """
    start = program()
    if is_shared:
        start, here = ["ctx"], client.project_variable or os.curdir
        cache_root = _below(here, os.path.relpath(cache_root, project))
        project = here
    return [*start, "serve", "--cache-root", cache_root, "--project", project, *client.options]


def _below(directory: str, path: str) -> str:
    """A relative path, with slashes, joined to the client's variable for the project's directory."""
    path = path.replace(os.sep, "/")
    return path if directory == os.curdir else f"{directory}/{path}"
