"""Reading JSON as people write it: with comments and trailing commas, and with where things stand.

Editors of such files must not rewrite them, so the parser keeps the place of every member;
`edits` changes the text between two places and nothing else.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

_SPACE = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"[-+.\w]+")


@dataclass(kw_only=True, slots=True)
class Node:
    """A value and where it stands in the text."""

    start: int
    end: int = 0
    value: Any = None
    members: list[Member] = field(default_factory=list)
    """Of an object, in order."""

    def member(self, key: str) -> Member | None:
        """The member of an object with this key; the last one, as parsers have it."""
        return next((member for member in reversed(self.members) if member.key == key), None)


@dataclass(kw_only=True, slots=True)
class Member:
    """A key with its value."""

    key: str
    start: int
    node: Node


def parse(text: str) -> Node:
    """The root of a text. Raises `ValueError` naming the line at fault."""
    parser = _Parser(text)
    try:
        root = parser.value(parser.space(0))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if parser.space(root.end) != len(text):
        parser.fail(parser.space(root.end), "the end of the file")
    return root


def skip_space(text: str, at: int) -> int:
    """The next place from `at` on that is neither white space nor comment."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


class _Parser:
    """Recursive descent over one text; each method takes a place and returns a node that ends at one."""

    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, at: int, expected: str) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        raise ValueError(f"line {line}: {expected} was expected")

    def space(self, at: int) -> int:
        return skip_space(self.text, at)

    def value(self, at: int) -> Node:
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._object(at)
        if opening == "[":
            return self._list(at)
        return self._scalar(at)

    def _object(self, at: int) -> Node:
        node = Node(start=at, value={})
        at = self.space(at + 1)
        while self.text[at : at + 1] != "}":
            key = self._scalar(at)
            if not isinstance(key.value, str):
                self.fail(at, "a key in double quotes")
            colon = self.space(key.end)
            if self.text[colon : colon + 1] != ":":
                self.fail(colon, "`:`")
            value = self.value(self.space(colon + 1))
            node.members.append(Member(key=key.value, start=at, node=value))
            node.value[key.value] = value.value
            at = self._next(value.end, "}")
        node.end = at + 1
        return node

    def _list(self, at: int) -> Node:
        node = Node(start=at, value=[])
        at = self.space(at + 1)
        while self.text[at : at + 1] != "]":
            item = self.value(at)
            node.value.append(item.value)
            at = self._next(item.end, "]")
        node.end = at + 1
        return node

    def _next(self, at: int, closing: str) -> int:
        """The place after a comma, or that of the closing bracket."""
        at = self.space(at)
        found = self.text[at : at + 1]
        if found not in (",", closing) or not found:
            self.fail(at, f"`,` or `{closing}`")
        return at if found == closing else self.space(at + 1)

    def _scalar(self, at: int) -> Node:
        found = _STRING.match(self.text, at) or _SCALAR.match(self.text, at)
        if found is None:
            self.fail(at, "a value")
        try:
            return Node(start=at, end=found.end(), value=json.loads(found[0]))
        except ValueError:
            self.fail(at, "a value")
