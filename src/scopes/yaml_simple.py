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
_ITEMS = re.compile(rf'([ ]*+)- (?:"[^"\\\n]*+"|{_PLAIN})\n(?:\1- (?:"[^"\\\n]*+"|{_PLAIN})\n)*+')
"""List items of one scalar each, at one indentation: most lines of most files."""
_SPACES = re.compile(" *")
_BLANK = re.compile(r" *\n")
_RESERVED = frozenset(("null", "true", "false"))
_DEEPEST = 4


class NotSimple(Exception):
    """The text is outside the subset."""


def load_simple(text: str) -> dict[str, object]:
    """The mapping that a YAML text of the subset stands for; `NotSimple` if it may be anything more."""
    if not (text.replace("\n", "").isprintable() or _PRINTABLE.match(text)):
        raise NotSimple
    reader = _Reader(text)
    reader.advance()
    value = reader.mapping(0, 0)
    if reader.indent >= 0:
        raise NotSimple
    return value


class _Reader:
    """Stands on a line that means something: `indent` is its indentation, -1 at the end of the text."""

    __slots__ = (
        "_at",
        "_double",
        "_literal",
        "_plain",
        "_single",
        "_text",
        "_width",
        "dash",
        "indent",
        "key",
    )

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
        spaces, self.dash, self.key, self._plain, self._double, self._single, self._literal = match.groups()
        self.indent = -1 if match.lastindex == 1 else len(spaces)  # only the end has a line of nothing

    def mapping(self, indent: int, depth: int) -> dict[str, object]:
        """The mapping whose keys stand at `indent`, from the current line on."""
        result: dict[str, object] = {}
        while self.indent == indent and self.key is not None and not self.dash:
            key = self.key
            if key in result or key in _RESERVED:
                raise NotSimple
            result[key] = self._value(indent, depth)
        if not result or self.indent > indent:
            raise NotSimple
        return result

    def _value(self, indent: int, depth: int) -> object:
        """What follows a key that stands at `indent`."""
        if self._literal is not None:
            return self._block(indent, keep_end=self._literal == "|")
        if self._plain is not None or self._double is not None or self._single is not None:
            return self._scalar()
        if depth >= _DEEPEST:
            raise NotSimple
        items = self._items(indent)
        self.advance()
        if items or (self.dash and self.indent >= indent):
            return items + self._sequence(self._width if items else self.indent, depth + 1)
        return self.mapping(self.indent, depth + 1) if self.indent > indent else None

    def _items(self, indent: int) -> list[object]:
        """The leading scalars of a list below a key at `indent`, all in one stroke; `_width` is theirs."""
        run = _ITEMS.match(self._text, self._at)
        if run is None or len(run[1]) < indent:
            return []
        self._at = run.end()
        self._width = len(run[1])
        start = self._width + 2
        lines = run[0][:-1].split("\n")
        return [line[start + 1 : -1] if line[start] == '"' else resolve_plain(line[start:]) for line in lines]

    def _sequence(self, indent: int, depth: int) -> list[object]:
        """The list whose dashes stand at `indent`."""
        result: list[object] = []
        while self.indent == indent and self.dash:
            if self.key is None:
                result.append(self._scalar())
            else:
                self.indent, self.dash = indent + 2, None
                result.append(self.mapping(indent + 2, depth + 1))
        if self.indent > indent:
            raise NotSimple
        return result

    def _scalar(self) -> object:
        """The scalar of this line; the next line is read."""
        plain, double, single = self._plain, self._double, self._single
        self.advance()
        if plain is not None:
            return resolve_plain(plain)
        if double is not None:
            return json.loads(f'"{double}"') if "\\" in double else double
        if single is not None:
            return single.replace("''", "'")
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
