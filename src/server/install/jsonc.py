"""Reading JSON with comments and trailing commas, and setting or removing one member of it.

The parser records the offset of every member, and an edit replaces the text between two offsets. Removing an
inserted member restores the former text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPACE = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\.)*+"')
_SCALAR = re.compile(r"[-+.\w]+")
_SAME_LINE = re.compile(r"[ \t]*+(?:/\*(?:[^*\n]|\*(?!/))*+\*/[ \t]*+)*+(?://[^\n\r]*+)?")


@dataclass(kw_only=True, slots=True)
class Node:
    """A value and its offsets in the text."""

    start: int
    end: int = 0
    value: Any = None
    members: list[Member] = field(default_factory=list)
    """The members of an object, in order."""

    def member(self, key: str) -> Member | None:
        """The last member with a key, which is the one that parsers use; None if there is none."""
        return next((member for member in reversed(self.members) if member.key == key), None)


@dataclass(kw_only=True, slots=True)
class Member:
    """A key with its value."""

    key: str
    start: int
    node: Node


def read(text: str) -> dict[str, Any]:
    """The object in a text; empty for a blank text. Raises `ValueError` naming the line at fault."""
    return _root(text).value  # type: ignore[no-any-return]  # an object, by `_root`


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`; missing objects on the path are added. Raises `ValueError`."""
    text = text if text.strip() else "{}\n"
    node = _root(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise ValueError(f"`{path[depth - 1]}` is not an object")
        member = node.member(key)
        if member is None:
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _insert(text, node, key, value)
        node = member.node
    indent = _indent_at(text, node.start)
    return text[: node.start] + _to_json(text, value, indent) + text[node.end :]


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path` and the objects that were added for it. Raises `ValueError`."""
    node = _root(text)
    for key in path[:-1]:
        member = node.member(key)
        if member is None:
            return text
        node = member.node
    member = node.member(path[-1])
    if member is None:
        return text
    if len(path) > 1 and _was_made_for(text, node, member):
        return remove(text, path[:-1])
    return _delete(text, node, member)


def skip_space(text: str, at: int) -> int:
    """The first offset, from `at` on, that is neither white space nor comment."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


class _Parser:
    """A recursive descent parser; each method parses at an offset and returns a node."""

    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, at: int, expected: str) -> NoReturn:
        """Raise `ValueError` naming the line of an offset."""
        line = self.text.count("\n", 0, at) + 1
        raise ValueError(f"line {line}: {expected} was expected")

    def value(self, at: int) -> Node:
        """The value at an offset."""
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._object(at)
        if opening == "[":
            return self._list(at)
        return self._scalar(at)

    def _object(self, at: int) -> Node:
        node = Node(start=at, value={})
        at = skip_space(self.text, at + 1)
        while self.text[at : at + 1] != "}":
            key = self._scalar(at)
            if not isinstance(key.value, str):
                self.fail(at, "a key in double quotes")
            colon = skip_space(self.text, key.end)
            if self.text[colon : colon + 1] != ":":
                self.fail(colon, "`:`")
            value = self.value(skip_space(self.text, colon + 1))
            node.members.append(Member(key=key.value, start=at, node=value))
            node.value[key.value] = value.value
            at = self._next(value.end, "}")
        node.end = at + 1
        return node

    def _list(self, at: int) -> Node:
        node = Node(start=at, value=[])
        at = skip_space(self.text, at + 1)
        while self.text[at : at + 1] != "]":
            item = self.value(at)
            node.value.append(item.value)
            at = self._next(item.end, "]")
        node.end = at + 1
        return node

    def _next(self, at: int, closing: str) -> int:
        """The offset of the next item, or of the closing bracket."""
        at = skip_space(self.text, at)
        character = self.text[at : at + 1]
        if character not in (",", closing) or not character:
            self.fail(at, f"`,` or `{closing}`")
        return at if character == closing else skip_space(self.text, at + 1)

    def _scalar(self, at: int) -> Node:
        match = _STRING.match(self.text, at) or _SCALAR.match(self.text, at)
        if match is None:
            self.fail(at, "a value")
        try:
            return Node(start=at, end=match.end(), value=json.loads(match[0]))
        except ValueError:
            self.fail(at, "a value")


def _root(text: str) -> Node:
    """The object of a text; empty for a blank text. Raises `ValueError` naming the line at fault."""
    if not text.strip():
        return Node(start=0, value={})
    parser = _Parser(text)
    try:
        root = parser.value(skip_space(text, 0))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    end = skip_space(text, root.end)
    if end != len(text):
        parser.fail(end, "the end of the file")
    if not isinstance(root.value, dict):
        raise ValueError("line 1: an object was expected")
    return root


def _insert(text: str, node: Node, key: str, value: Any) -> str:
    """The text with a new last member of an object, with the layout of its siblings."""
    if not node.members:
        return _insert_first(text, node, key, value)
    last = node.members[-1]
    is_one_line = "\n" not in text[node.start : node.end]
    indent = _indent_at(text, last.start)
    gap = " " if is_one_line else line_end(text) + indent
    member = f"{json.dumps(key, ensure_ascii=False)}: {_to_json(text, value, indent, flat=is_one_line)}"
    comma = skip_space(text, last.node.end)
    if text[comma] == ",":
        offset = _line_rest(text, comma + 1)
        return f"{text[:offset]}{gap}{member},{text[offset:]}"
    offset = _line_rest(text, last.node.end)
    return f"{text[: last.node.end]},{text[last.node.end : offset]}{gap}{member}{text[offset:]}"


def _insert_first(text: str, node: Node, key: str, value: Any) -> str:
    """The text with the first member of an object, below the comments in it.

    `remove` recognizes added objects by their layout: only in these, and in the root `{}`, the member has
    lines of its own.
    """
    outer = _indent_at(text, node.start)
    indent = outer + _unit(text)
    inner = text[node.start + 1 : node.end - 1]
    name = json.dumps(key, ensure_ascii=False)
    comments = inner.rstrip(" \t\r\n")  # a form feed belongs to the comment
    gap = inner[len(comments) :]
    if comments and "\n" in gap:
        member = f"{line_end(text)}{indent}{name}: {_to_json(text, value, indent)}"
    elif inner or node.start != skip_space(text, 0):
        member = f" {name}: {_to_json(text, value, indent, flat=True)}"
    else:
        newline = line_end(text)
        member = f"{newline}{indent}{name}: {_to_json(text, value, indent)}{newline}{outer}"
    offset = node.start + 1 + len(comments)
    return text[:offset] + member + text[offset:]


def _delete(text: str, node: Node, member: Member) -> str:
    """The text without a member, its comma and the comment on its line."""
    position = node.members.index(member)
    start = _gap_before(text, member.start)
    comma = skip_space(text, member.node.end)
    has_comma = text[comma] == ","
    end = _line_rest(text, comma + 1 if has_comma else member.node.end)
    before, after = text[:start], text[end:]
    if position and not has_comma:  # the previous member becomes the last one, which has no comma
        previous = skip_space(text, node.members[position - 1].node.end)
        before = text[:previous] + text[previous + 1 : start]
    gap = text[node.members[position - 1].node.end if position else node.start : start]
    if re.search(r"//[^\n]*$", gap) and not re.match(r"[ \t]*\r?\n", after):
        after = line_end(text) + after  # else the text behind would become part of a line comment
    if len(node.members) == 1 and start == node.start + 1 and "\n" in text[start : member.start]:
        after = after.lstrip(" \t\r\n")
    return before + after


def _gap_before(text: str, at: int) -> int:
    """The start of the white space that was inserted before a member: one line end, or one space."""
    start = len(text[:at].rstrip(" \t"))
    if text[start - 1 : start] != "\n":
        return at - (text[at - 1 : at] == " ")
    return start - (2 if text[start - 2 : start] == "\r\n" else 1)


def _was_made_for(text: str, node: Node, member: Member) -> bool:
    """Whether an object has one member, and the layout of an object that was added for it."""
    gap = text[node.start + 1 : member.start]
    rest = text[member.node.end : node.end - 1]
    return len(node.members) == 1 and gap != " " and not (gap + rest).strip(" \t\r\n,")


def _line_rest(text: str, at: int) -> int:
    """The end of the comments that follow the offset `at` on its line."""
    match = _SAME_LINE.match(text, at)
    end = match.end() if match else at
    return end if text[at:end].strip() else at


def _to_json(text: str, value: Any, indent: str, *, flat: bool = False) -> str:
    """A value as JSON, on one line if `flat`; else further lines are indented by `indent`."""
    if flat:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (line_end(text) + indent).join(lines)


def _indent_at(text: str, at: int) -> str:
    """The white space at the start of the line of an offset."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """The unit of indentation, which is that of the first indented line."""
    match = re.search(r"\n([ \t]+)[\"}/]", text)
    return match[1] if match else "  "


def line_end(text: str) -> str:
    """The line end of a text: CR LF if it has one, else LF."""
    return "\r\n" if "\r\n" in text else "\n"
