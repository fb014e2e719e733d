"""The value of one front matter key, as written.

Nothing is converted and nothing is looked up: numbers, dates and words such as `no` stay as they
are, a list or mapping stays its source text. Aliases and deep nesting, the two ways in which a
small YAML file becomes a huge one, are refused.
"""

from __future__ import annotations

import re
import textwrap

MAX_DEPTH = 100
"""Levels of nesting in a value."""

_QUOTED = {
    '"': re.compile(r'"((?:[^"\\]|\\.)*+)"[ \t]*(?:#.*)?', re.DOTALL),
    "'": re.compile(r"'((?:[^']|'')*+)'[ \t]*(?:#.*)?", re.DOTALL),
}
_ANY_QUOTED = re.compile(r"""(?<![\w])(?:"(?:[^"\\]|\\.?)*+(?:"|\Z)|'[^']*+(?:'|\Z))""", re.DOTALL)
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}(?:[ \t]+#.*)?")
_COMMENT = re.compile(r"(?:^|(?<![ \t])[ \t]+)#(?:[ \t].*)?$")
_PROPERTIES = re.compile(r"(?:[&!]\S*+[ \t]*+)++")
# An alias (`*name`) that is a whole node: after the markers or the key of a line, or between brackets.
_ALIAS_NODE = re.compile(
    r"^[ \t]*+(?:[-?][ \t]++)*+(?:[^\s:#*][^:\n]*+:[ \t]++)?\*[^\s,\[\]{}*]++[ \t]*+(?:#.*)?$", re.MULTILINE
)
_ALIAS_ITEM = re.compile(r"[\[{,:][ \t]*\*[^\s,\]}*]++[ \t]*+[,\]}]")
_MARKED = frozenset("\"'&!|>[{*")  # a value that begins so is not simply what is written
_RUN = re.compile(r"^(?:[ \t]|[-?](?=[ \t]|$))*+", re.MULTILINE)


class Refused(Exception):
    """A value that is not read; `str()` says why."""


def yaml_value(first: str, more: list[str]) -> str:
    """Return the value that begins on the key's line with `first` and continues with `more`."""
    first = first.strip()
    if first and not more and "#" not in first and first[0] not in _MARKED:
        return first  # as most are
    node = _PROPERTIES.sub("", first, count=1) if first[:1] in ("&", "!") else first
    if node[:1] in _QUOTED:
        return _quoted(_folded([node, *more]))
    first, node = _COMMENT.sub("", first), _COMMENT.sub("", node)
    if _BLOCK.fullmatch(node):
        return _block(node, more)
    if not node and any(more):
        return _checked(textwrap.dedent("\n".join(more)).strip("\n"), _ALIAS_NODE, _ALIAS_ITEM)
    folded = _folded([first, *more])
    if node[:1] in ("[", "{"):
        return _checked(folded, _ALIAS_ITEM)
    return _checked(folded, _ALIAS_NODE) if node[:1] == "*" else folded


def toml_value(first: str, more: list[str]) -> str:
    """Return the value of a TOML key; a table's lines are kept as their source."""
    if not first:
        return "\n".join(more).strip("\n")
    text = _folded([first, *more])
    for mark in ('"""', "'''"):
        if text.startswith(mark):
            return text.removeprefix(mark).removesuffix(mark).strip()
    return _quoted(text) if text[:1] in _QUOTED else _checked(_COMMENT.sub("", text))


def _folded(lines: list[str]) -> str:
    """Join the lines of a value that runs on, as YAML folds them."""
    return " ".join(line.strip() for line in lines if line)


def _block(header: str, lines: list[str]) -> str:
    """Read a block scalar: `|` keeps its line ends, `>` folds them."""
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    return text if header[0] == "|" else re.sub(r"(?<!\n)\n(?!\n)", " ", text).replace("\n\n", "\n")


def _quoted(text: str) -> str:
    """Remove quotes and the escapes that they make necessary; other escapes stay as written."""
    match = _QUOTED[text[0]].fullmatch(text)
    if not match:
        raise Refused("the quotation mark is not closed, or something follows it")
    return re.sub(r'\\(["\\/])', r"\1", match[1]) if text[0] == '"' else match[1].replace("''", "'")


def _checked(source: str, *aliases: re.Pattern[str]) -> str:
    """Return the source of a list or mapping, unless it is one that explodes."""
    bare = _ANY_QUOTED.sub("", source)
    if any(alias.search(bare) for alias in aliases):
        raise Refused("aliases are not read")
    if _depth(bare) > MAX_DEPTH:
        raise Refused(f"nested deeper than {MAX_DEPTH} levels")
    return source


def _depth(source: str) -> int:
    """Return the depth of nesting: of brackets, and of indentation, which takes two columns a level."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", source):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return max(deepest, max(len(run) for run in _RUN.findall(source)) // 2)
