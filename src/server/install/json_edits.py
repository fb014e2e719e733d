"""Changing one member of a JSON file with comments, and not a character besides.

What was inserted can be removed again so that the file is what it was.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .jsonc import Member, Node, parse, skip_space

if TYPE_CHECKING:
    from collections.abc import Sequence

_SAME_LINE = re.compile(r"[ \t]*(?:/\*(?:[^*\n]|\*(?!/))*\*/[ \t]*)*(?://[^\n\r]*)?")


def read(text: str) -> dict[str, Any]:
    """The object that a file holds, an empty one if it is blank. Raises `ValueError`."""
    return _root(text).value  # type: ignore[no-any-return]  # an object, by `_root`


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`; objects on the way are made. Raises `ValueError`."""
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
    return text[: node.start] + _spelled(text, value, indent) + text[node.end :]


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`, nor what is empty around it then. Raises `ValueError`."""
    node = _root(text)
    for key in path[:-1]:
        member = node.member(key)
        if member is None:
            return text
        node = member.node
    member = node.member(path[-1])
    if member is None:
        return text
    if len(node.members) == 1 and len(path) > 1 and not _has_comment(text, node, member):
        return remove(text, path[:-1])
    return _cut(text, node, member)


def _root(text: str) -> Node:
    if not text.strip():
        return Node(start=0, value={})
    root = parse(text)
    if not isinstance(root.value, dict):
        raise ValueError("line 1: an object was expected")
    return root


def _insert(text: str, node: Node, key: str, value: Any) -> str:
    """A new last member of an object, laid out like its siblings."""
    if not node.members:
        return _insert_first(text, node, key, value)
    last = node.members[-1]
    is_one_line = "\n" not in text[node.start : node.end]
    indent = _indent_at(text, last.start)
    gap = " " if is_one_line else _newline(text) + indent
    member = f"{json.dumps(key, ensure_ascii=False)}: {_spelled(text, value, indent, flat=is_one_line)}"
    comma = skip_space(text, last.node.end)
    if text[comma] == ",":
        place = _line_rest(text, comma + 1)
        return f"{text[:place]}{gap}{member},{text[place:]}"
    place = _line_rest(text, last.node.end)
    return f"{text[: last.node.end]},{text[last.node.end : place]}{gap}{member}{text[place:]}"


def _insert_first(text: str, node: Node, key: str, value: Any) -> str:
    """The first member of an object; comments that stand alone in it stay above."""
    outer = _indent_at(text, node.start)
    indent = outer + _unit(text)
    inner = text[node.start + 1 : node.end - 1].rstrip()
    member = f"{json.dumps(key, ensure_ascii=False)}: {_spelled(text, value, indent)}"
    newline = _newline(text)
    filled = f"{{{inner}{newline}{indent}{member}{newline}{outer}}}"
    return text[: node.start] + filled + text[node.end :]


def _cut(text: str, node: Node, member: Member) -> str:
    """The text without a member, its comma and the comment behind it."""
    position = node.members.index(member)
    start = len(text[: member.start].rstrip())
    comma = skip_space(text, member.node.end)
    has_comma = text[comma] == ","
    end = _line_rest(text, comma + 1 if has_comma else member.node.end)
    before, after = text[:start], text[end:]
    if position and not has_comma:  # the one before becomes the last, and had no comma when it was
        previous = skip_space(text, node.members[position - 1].node.end)
        before = text[:previous] + text[previous + 1 : start]
    gap = text[node.members[position - 1].node.end if position else node.start : start]
    if re.search(r"//[^\n]*$", gap) and not re.match(r"[ \t]*\r?\n", after):
        after = _newline(text) + after  # a line comment must not swallow what follows
    if len(node.members) == 1 and not text[node.start + 1 : start].strip() and after.lstrip()[:1] == "}":
        after = after.lstrip()
    return before + after


def _has_comment(text: str, node: Node, member: Member) -> bool:
    """Whether an object holds anything besides its one member."""
    rest = text[node.start + 1 : member.start] + text[member.node.end : node.end - 1]
    return rest.strip(" \t\r\n,") != ""


def _line_rest(text: str, at: int) -> int:
    """Behind the comments that follow `at` on its line."""
    found = _SAME_LINE.match(text, at)
    end = found.end() if found else at
    return end if text[at:end].strip() else at


def _spelled(text: str, value: Any, indent: str, *, flat: bool = False) -> str:
    """A value as JSON, its inner lines indented from `indent` on."""
    if flat:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_newline(text) + indent).join(lines)


def _indent_at(text: str, at: int) -> str:
    """The white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation: that of the first indented line."""
    found = re.search(r"\n([ \t]+)[\"}/]", text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
