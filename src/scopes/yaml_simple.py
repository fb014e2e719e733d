"""The plain everyday subset of YAML, read fast.

The general parser takes milliseconds a file, too much for a project of
thousands of scopes. Files as this package and most people write them need only
block mappings, block lists and scalars of one line or in a literal block. What
is read here has the value that the general parser gives it; anything else
raises `NotSimple`, and the general parser decides.
"""

from __future__ import annotations

import json
import re

from .yaml_core import resolve_plain

_PRINTABLE = re.compile(
    "[\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*+\\Z"
)
_PRINTABLE_ASCII = b"\n" + bytes(range(0x20, 0x7F))

_PLAIN = r"[A-Za-z0-9_./()$^+;\\<=](?:[^ :#\n]++|:(?=[^ \n])|(?<=[^ ])[#]|[ ]++(?=[^ #\n]))*+"
_LINE = re.compile(
    rf"""(?:[ ]*+(?:\#[^\n]*+)?\n)*+              # blank lines and comments before it
    ([ ]*+)(?:(-)[ ](?=[^ ]))?                   # 1 indentation, 2 the dash of a list item
    (?:([a-z_]+):(?=[ \n]|\Z)[ ]*+)?             # 3 key
    (?:({_PLAIN})                                 # 4 plain
      |"((?:[^"\\\n]++|\\["\\/bfnrt])*+)"        # 5 double-quoted
      |'((?:[^'\n]++|'')*+)'                     # 6 single-quoted
      |(\|-?)                                    # 7 header of a literal block
    )?[ ]*+(?:\n|\Z)""",
    re.VERBOSE,
)
# Most lines of most files stand in one of three runs, each read in one stroke: a quarter of the time less.
_SCALAR = rf'(?:"[^"\\\n]*+"|{_PLAIN})\n'
_FIELD = rf"[a-z_]+: {_SCALAR}"
_RECORD = rf"- {_FIELD}(?:\1  {_FIELD})*+(?=\1- |[a-z]|\Z)"  # what follows does not belong to it
_FIELDS = re.compile(rf"([ ]*+){_FIELD}(?:\1{_FIELD})*+")
"""Keys of one scalar each, at one indentation."""
_ITEMS = re.compile(rf"([ ]*+)- {_SCALAR}(?:\1- {_SCALAR})*+")
"""List items of one scalar each, at one indentation."""
_RECORDS = re.compile(rf"([ ]*+){_RECORD}(?:\1{_RECORD})*+")
"""List items of keys of one scalar each, at one indentation."""
_PLAIN_GROUP, _DOUBLE_GROUP, _SINGLE_GROUP, _LITERAL_GROUP = 4, 5, 6, 7
_SCALAR_GROUPS = (_PLAIN_GROUP, _DOUBLE_GROUP, _SINGLE_GROUP)
_SPACES = re.compile(" *")
_BLANK = re.compile(r" *\n")
_RESERVED = frozenset(("null", "true", "false"))
_DEEPEST = 4


class NotSimple(Exception):
    """The text is outside the subset."""


def load_simple(text: str) -> dict[str, object]:
    """The mapping that a YAML text of the subset stands for; `NotSimple` if it may be anything more."""
    if text.isascii():
        printable = not text.encode().translate(None, _PRINTABLE_ASCII)  # four times as fast
    else:
        printable = bool(_PRINTABLE.match(text))
    if not printable:
        raise NotSimple
    reader = _Reader(text)
    reader.advance()
    value = reader.mapping(0, 0)
    if reader.indent >= 0:
        raise NotSimple
    return value


class _Reader:
    """Stands on a line that means something: `indent` is its indentation, -1 at the end of the text."""

    __slots__ = ("_at", "_group", "_text", "_value", "_width", "dash", "indent", "key")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.indent = -1
        self.key: str | None = None
        self.dash: str | None = None

    def advance(self) -> None:
        """Read the next line that is neither blank nor a comment."""
        match = _LINE.match(self._text, self._at)
        if match is None:
            raise NotSimple
        self._at = match.end()
        self._group = match.lastindex or 1
        spaces, self.dash, self.key, self._value = match.group(1, 2, 3, self._group)
        self.indent = -1 if self._group == 1 else len(spaces)  # only the end has a line of nothing

    def mapping(self, indent: int, depth: int) -> dict[str, object]:
        """The mapping whose keys stand at `indent`, from the current line on."""
        result: dict[str, object] = {}
        while self.indent == indent and self.key is not None and not self.dash:
            key = self.key
            if key in result or key in _RESERVED:
                raise NotSimple
            if self._group in _SCALAR_GROUPS:
                result[key] = self._scalar()
                self._fields(indent, result)
                self.advance()
            else:
                result[key] = self._below(indent, depth)
        if not result or self.indent > indent:
            raise NotSimple
        return result

    def _below(self, indent: int, depth: int) -> object:
        """What a key that stands at `indent` has on the lines below it."""
        if self._group == _LITERAL_GROUP:
            return self._block(indent, keep_end=self._value == "|")
        if depth >= _DEEPEST:
            raise NotSimple
        items = self._items(indent)
        self.advance()
        if items or (self.dash and self.indent >= indent):
            return items + self._sequence(self._width if items else self.indent, depth + 1)
        return self.mapping(self.indent, depth + 1) if self.indent > indent else None

    def _fields(self, indent: int, into: dict[str, object]) -> None:
        """The keys of one scalar each that follow at `indent`, all in one stroke."""
        run = _FIELDS.match(self._text, self._at)
        if run is not None and len(run[1]) == indent:
            self._at = run.end()
            for line in run[0][:-1].split("\n"):
                _add(into, line[indent:])

    def _items(self, indent: int) -> list[object]:
        """The leading items of a list below a key at `indent` that are of one kind; `_width` is theirs."""
        run = _ITEMS.match(self._text, self._at) or _RECORDS.match(self._text, self._at)
        if run is None or len(run[1]) < indent:
            return []
        self._at = run.end()
        self._width = len(run[1])
        start = self._width + 2
        lines = run[0][:-1].split("\n")
        if run.re is _ITEMS:
            return [
                line[start + 1 : -1] if line[start] == '"' else resolve_plain(line[start:]) for line in lines
            ]
        records: list[dict[str, object]] = []
        for line in lines:
            if line[self._width] == "-":
                records.append({})
            _add(records[-1], line[start:])
        return [*records]

    def _sequence(self, indent: int, depth: int) -> list[object]:
        """The list whose dashes stand at `indent`."""
        result: list[object] = []
        while self.indent == indent and self.dash:
            if self.key is None:
                result.append(self._scalar())
                self.advance()
            else:
                self.indent, self.dash = indent + 2, None
                result.append(self.mapping(indent + 2, depth + 1))
        if self.indent > indent:
            raise NotSimple
        return result

    def _scalar(self) -> object:
        """The scalar of this line."""
        value = self._value
        if self._group == _PLAIN_GROUP:
            return resolve_plain(value)
        if self._group == _DOUBLE_GROUP:
            return json.loads(f'"{value}"') if "\\" in value else value
        if self._group == _SINGLE_GROUP:
            return value.replace("''", "'")
        raise NotSimple

    def _block(self, indent: int, *, keep_end: bool) -> str:
        """A literal block of lines without a blank one, none indented less than the first."""
        first = _SPACES.match(self._text, self._at)
        width = first.end() - first.start() if first else 0
        block = re.compile(f"(?: {{{width}}}[^\n]*[^ \n][^\n]*\n)+").match(self._text, self._at)
        if width <= indent or block is None:
            raise NotSimple
        self._at = block.end()
        if _BLANK.match(self._text, self._at):
            raise NotSimple  # the blank line may belong to the block
        self.advance()
        if self.indent > indent:
            raise NotSimple
        lines = block[0].split("\n")
        text = "\n".join(line[width:] for line in lines)
        return text if keep_end else text[:-1]


def _add(record: dict[str, object], line: str) -> None:
    """Put the key and the scalar of a line into a record."""
    key, _, value = line.partition(": ")
    if key in record or key in _RESERVED:
        raise NotSimple
    record[key] = value[1:-1] if value[0] == '"' else resolve_plain(value)
