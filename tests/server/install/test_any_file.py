"""Installing into any file and removing again: the same bytes, or the file is refused unchanged."""

from __future__ import annotations

import json
import os
import random
import tomllib
from typing import TYPE_CHECKING

import pytest

from ctxcache.errors import UsageError
from ctxcache.server.install.clients import CLIENTS
from ctxcache.server.install.install import Installation

if TYPE_CHECKING:
    from pathlib import Path

COUNT = int(os.environ.get("CTX_FILES", "300"))
"""How many files of each syntax are tried."""
COMMAND = ["/opt/ctx", "serve", "--cache-root", "/srv/caches"]


class Writer:
    """Random text of a syntax: layout and comments as people write them, and worse."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.newline = self.random.choice(["\n", "\n", "\r\n"])

    def space(self) -> str:
        """White space and comments between two tokens of JSON."""
        return "".join(
            self.random.choices(
                ["", " ", "\t", self.newline, f"// c, }} {self.newline}", "/* d\n */", "/**/", " /* e */  "],
                weights=[12, 6, 1, 4, 1, 1, 1, 1],
                k=2,
            )
        )

    def word(self) -> str:
        """A short text."""
        return self.random.choice(["a", "docs", "other", 'q"\\', "# //", "ä\u2028", "", "]}", "mcp.x"])

    def json_value(self, depth: int) -> str:
        """Any value."""
        kind = self.random.randrange(6 if depth < 3 else 3)
        if kind == 0:
            return self.random.choice(["1", "-0.5e3", "true", "null"])
        if kind < 3:
            return json.dumps(self.word(), ensure_ascii=False)
        if kind == 3:
            return self._listed("[]", [self.json_value(depth + 1) for _ in range(self.random.randrange(3))])
        return self.json_object(depth + 1)

    def json_object(self, depth: int, extra: tuple[str, ...] = ()) -> str:
        """An object with some members more than `extra`."""
        keys = [self.word() for _ in range(self.random.randrange(4))]
        members = [self._member(key, self.json_value(depth)) for key in keys] + list(extra)
        self.random.shuffle(members)
        return self._listed("{}", members)

    def _member(self, key: str, value: str) -> str:
        return f"{json.dumps(key)}{self.space()}:{self.space()}{value}"

    def _listed(self, brackets: str, items: list[str]) -> str:
        comma = "," if items and self.random.random() < 0.2 else ""
        inner = ",".join(f"{self.space()}{item}{self.space()}" for item in items)
        return brackets[0] + inner + comma + self.space() + brackets[1]

    def jsonc(self) -> str:
        """A configuration in JSON with comments."""
        if self.random.random() < 0.2:
            text = json.dumps({"a": 1, "mcpServers": {self.word(): {}}}, indent=self.random.choice([2, 4]))
            return text.replace("\n", self.newline)
        extra = (self._member("mcpServers", self.json_object(1)),) if self.random.random() < 0.6 else ()
        return self.space() + self.json_object(0, extra) + self.space()

    def toml(self) -> str:
        """A configuration in TOML."""
        blocks = [self._toml_pairs()]
        names = [
            "tui",
            "a.b",
            "'x]y'",
            'z."[q]"',
            "mcp_servers.other",
            "mcp_servers.other.env",
            "[list",
            "mcp_servers",
        ]
        for name in self.random.sample(names, self.random.randrange(len(names))):
            header = f"[[{name[1:]}]]" if name.startswith("[") else f"[{name}]"
            blocks += [f"{header}{self._toml_end()}", self._toml_pairs()]
        text = "".join(blocks)
        return text.rstrip() if self.random.random() < 0.2 else text

    def _toml_pairs(self) -> str:
        values = [
            "nan", "-inf", "1_000", "'#'", '"\\"["', "'''\n[mcp_servers.docs]\n'''", "true",
            "1979-05-27T07:32:00Z", "[1, # ]\n 2,]", "{a = '}'}", '"""x""\\"""""', "[[1],[]]", "''''a'''''",
        ]  # fmt: skip
        lines = [
            f"{key} ={' ' * self.random.randrange(3)}{self.random.choice(values)}{self._toml_end()}"
            for key in self.random.sample(["k1", "k2", "'k 3'", "k4.k5"], self.random.randrange(4))
        ]
        return "".join(lines) + self._toml_end() * self.random.randrange(2)

    def _toml_end(self) -> str:
        comment = self.random.choice(["", "", "  # c ] \"'", " #"])
        return (
            comment + self.newline + self.random.choice(["", "", self.newline, f"# d{self.newline}", "  \n"])
        )


def restored(client: str, file: Path, text: str) -> bool:
    """Whether installing and removing gave the bytes back; else the file must have been refused."""
    data = text.encode()
    file.write_bytes(data)
    it = Installation(client=CLIENTS[client], file=file, name="ctx", command=COMMAND)
    try:
        it.install()
    except UsageError as error:
        assert file.read_bytes() == data
        assert "left as it is" in str(error)
        return False
    assert it.remove()
    left = file.read_bytes() if file.exists() else b""
    assert left == data or (not left and data in (b"", b"{}\n")), text
    return True


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_installing_and_removing_gives_back_the_same_bytes(client: str, tmp_path: Path) -> None:
    tried = 0
    for seed in range(COUNT):
        writer = Writer(seed)
        text = writer.jsonc() if client == "cursor" else writer.toml()
        tried += restored(client, tmp_path / "config", text)
    assert tried > COUNT * 0.9, "almost no file is refused"


def test_every_toml_that_is_tried_is_one() -> None:
    for seed in range(COUNT):
        tomllib.loads(Writer(seed).toml().replace("\r\n", "\n"))
