"""Front matter: the `---` … `---` (YAML) or `+++` … `+++` (TOML) block at the start of a file.

It is read line by line and not by a YAML parser. A parser decides what a value means, so that
`1.10`, `no`, `0123` and dates come back as something else, and one stray colon costs the whole
block; here each top-level key keeps its value as written, a bad line costs that line, no alias is
ever expanded and the time is linear in the length. Aliases and deep nesting, the two ways in which a
small YAML file becomes a huge one, are refused.

A rule (`---`) above a paragraph is not front matter: the line after it must be a key, and no
prose may follow after a blank line.
"""

from __future__ import annotations

import re
import textwrap
from itertools import pairwise
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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


MAX_LENGTH = 1 << 16
"""Characters; a longer block is not read."""

_OPENING = re.compile(r"\ufeff?(?:[ \t]*+(?:\r\n|\n|\r))*+(---|\+\+\+)[ \t]*+(?:\r\n|\n|\r)")
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r|\Z)")
_YAML_KEY = re.compile(
    r"""("[^"]{1,100}"|'[^']{1,100}'|[^\s#?:,\[\]{}&*!|>'"%@`<=(~\\-].{0,99}?)[ \t]*:(?:[ \t]+(.*))?$"""
)
_TOML_KEY = re.compile(r"""("[^"]{1,100}"|'[^']{1,100}'|[\w.-]{1,100})[ \t]*=[ \t]*(.*)$""")
_TOML_TABLE = re.compile(r"\[+[ \t]*([^\[\]]{1,100}?)[ \t]*\]+()[ \t]*(?:#.*)?$")
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_CLOSINGS = {"---": ("---", "..."), "+++": ("+++",)}


class FrontMatter(NamedTuple):
    """What stands before the body."""

    metadata: dict[str, str]
    """Top-level keys in order, values as written: quotes removed, lists and mappings as their source."""
    end: int
    """Where the body begins, as an offset into the text; 0 if there is no front matter."""
    problem: str | None = None
    """What could not be read, with its line; the rest was."""

    @property
    def title(self) -> str:
        """The value of `title`, in whatever case; "" if there is none or it is null."""
        keys = [key for key in self.metadata if key.lower() == "title"]
        titles = (self.metadata[key] for key in sorted(keys, key="title".__ne__))
        return next((title for title in titles if title not in _NULL), "")


class _Entry(NamedTuple):
    """A top-level key with the source of its value."""

    key: str
    first: str
    """The rest of the key's line."""
    more: list[str]
    """The lines that continue it."""
    line: int
    """1-based line of the file."""


_NONE = FrontMatter({}, 0)


def front_matter(text: str) -> FrontMatter:
    """Read the front matter of a file, if it has any."""
    opening = _OPENING.match(text)
    if not opening:
        return _NONE
    mark = opening[1]
    block = text[opening.end() : opening.end() + MAX_LENGTH]
    lines: list[str] = []
    at = 0
    for match in _LINE.finditer(block):
        at = match.end()
        line = match[0].rstrip()
        if line in _CLOSINGS[mark]:
            break
        lines.append(line)
    else:
        return _NONE._replace(problem=_unclosed(mark, lines, len(block)))
    if not _is_front_matter(mark, lines):
        return _NONE
    first_line = len(_LINE.findall(text[: opening.end()]))
    metadata, problem = _read(mark, lines, first_line)
    return FrontMatter(metadata, opening.end() + at, problem)


def _key(mark: str, line: str) -> re.Match[str] | None:
    """Match a line that begins an entry: groups 1 and 2 are the key and the rest."""
    if mark == "---":
        return _YAML_KEY.match(line)
    return _TOML_TABLE.match(line) or _TOML_KEY.match(line)


def _continues(mark: str, line: str) -> bool:
    """Whether a line that is no key belongs to the value above it."""
    return mark == "+++" or line[0] in " \t]}" or line == "-" or line.startswith(("- ", "-\t"))


def _is_front_matter(mark: str, lines: list[str]) -> bool:
    """Tell front matter from text between two rules."""
    written = [line for line in lines if not line.startswith("#")]
    if not written:
        return not lines
    doubtful = [line for before, line in pairwise(written) if not before and line]
    if not written[0] and lines[0]:  # a blank line below comments, or else below a heading
        written = doubtful = list(filter(None, written))
    if not written or not _key(mark, written[0]):
        return False
    return all(_key(mark, line) or _continues(mark, line) for line in doubtful)


def _unclosed(mark: str, lines: list[str], length: int) -> str | None:
    """Name the fault of a block without an end, None if it is only a rule above some text."""
    written = [line for line in lines if not line.startswith("#")]
    if not written or not _key(mark, written[0]):
        return None
    return f"front matter has no closing {mark}" + f" within {length} characters" * (length == MAX_LENGTH)


def _read(mark: str, lines: list[str], line: int) -> tuple[dict[str, str], str | None]:
    """Read the entries; what is wrong with the first bad one is the problem."""
    metadata: dict[str, str] = {}
    problems: list[str] = []
    value_of = yaml_value if mark == "---" else toml_value
    for entry in _entries(mark, lines, line, problems):
        if entry.key in metadata:
            problems.append(f"line {entry.line}: {entry.key} is there twice, the first one counts")
            continue
        try:
            metadata[entry.key] = value_of(entry.first, entry.more)
        except Refused as fault:
            problems.append(f"line {entry.line}: {entry.key}: {fault}")
    return metadata, problems[0] if problems else None


def _entries(mark: str, lines: list[str], line: int, problems: list[str]) -> Iterator[_Entry]:
    """Gather each key with the lines of its value."""
    entry: _Entry | None = None
    table = False  # whether a TOML table has begun, to which all keys up to the next one belong
    for number, text in enumerate(lines, start=line):
        if text.startswith("#"):
            continue
        key = _key(mark, text)
        if key and not (table and _TOML_KEY.match(text)):
            table = mark == "+++" and bool(_TOML_TABLE.match(text))
            if entry:
                yield entry
            entry = _Entry(key[1].strip("\"'"), key[2] or "", [], number)
        elif entry and (not text or table or _continues(mark, text)):
            entry.more.append(text)
        elif text:
            problems.append(f"line {number}: neither a key nor the continuation of one")
    if entry:
        yield entry
