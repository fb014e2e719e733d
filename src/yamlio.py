"""YAML 1.2 core as plain Python values, with limits.

PyYAML (libyaml where it was compiled in) gives events. The values are made from them here,
because no ready-made loader reads exactly the core schema (no timestamps, no sexagesimal
numbers, `yes` a string) and bounds depth and alias expansion. Nothing recurses, so that
nesting costs memory in proportion to the text only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_DEPTH = 64
"""Deepest nesting that is read; the schema of `.context.yaml` nests four deep."""

MAX_WEIGHT = 4 * 2**20
"""Most that a document may expand to, aliases included: its characters, and `_NODE` for each value."""

LONGEST_LINE = 32 * 2**10
"""Characters; within one line a parser may look back at all of it again and again."""

_NODE = 200

_NULL = re.compile(r"(?:null|Null|NULL|~|)\Z")
_TRUE = re.compile(r"(?:true|True|TRUE)\Z")
_FALSE = re.compile(r"(?:false|False|FALSE)\Z")
_DECIMAL = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_INFINITY = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z")
_NAN = re.compile(r"\.(?:nan|NaN|NAN)\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNRESOLVED_TAG = re.compile(r"(?:&\S+\s+)?!(?:\s|\Z)")
_MAY_BE_OTHER = frozenset("0123456789+-.~nNtTfF")
_LONGEST_INTEGER = 300
_CORE = "tag:yaml.org,2002:"
_TYPES = {"null": type(None), "bool": bool, "int": int, "float": float}


class YamlError(Exception):
    """The text is not YAML that is read here; `str()` is one line, with the line number where known."""


def load(text: str) -> object:
    """The value of a YAML text of one document. Raises `YamlError`."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            raise YamlError(f"line {number}: longer than {LONGEST_LINE} characters")
    return _Composer(text).compose(parse_events(text))


def parse_events(text: str) -> Iterator[Any]:
    """The events of a YAML text; `YamlError` for whatever the parser refuses."""
    import yaml  # where a YAML file is read, and nowhere else

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise YamlError(f"{where}{error.problem or error.context or 'not YAML'}") from error
    except yaml.YAMLError as error:
        raise YamlError(f"not YAML: {getattr(error, 'reason', 'the parser refuses it')}") from error
    except (ValueError, OverflowError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise YamlError("not YAML") from error  # the pure parser trips over some texts


def resolve_plain(text: str) -> object:
    """What a plain (unquoted) scalar means in the core schema."""
    if text and text[0] not in _MAY_BE_OTHER:
        return text
    if _NULL.match(text):
        return None
    if _TRUE.match(text):
        return True
    if _FALSE.match(text):
        return False
    return _resolve_number(text)


def _resolve_number(text: str) -> object:
    """An int, a float, or the text itself. Integers too long to matter become floats, as in JSON."""
    if _DECIMAL.match(text):
        return int(text) if len(text) < _LONGEST_INTEGER else float(text)
    if len(text) < _LONGEST_INTEGER and _OCTAL.match(text):
        return int(text[2:], 8)
    if len(text) < _LONGEST_INTEGER and _HEXADECIMAL.match(text):
        return int(text[2:], 16)
    if _FLOAT.match(text):
        return float(text)
    if _INFINITY.match(text):
        return float(text.replace(".", ""))
    return float("nan") if _NAN.match(text) else text


@dataclass(slots=True)
class _Open:
    """A collection under construction."""

    node: list[object] | dict[str, object]
    anchor: str | None
    weight: int
    key: str | None = None


class _Composer:
    """Builds one value from the events of one document."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Open] = []
        self._anchored: dict[str, tuple[object, int]] = {}
        self._weight = 0
        self._root: list[object] = []

    def compose(self, events: Iterable[Any]) -> object:
        """The value of the only document; none and several are errors."""
        handlers = {
            "ScalarEvent": self._scalar,
            "AliasEvent": self._alias,
            "MappingStartEvent": self._start_mapping,
            "SequenceStartEvent": self._start_sequence,
            "MappingEndEvent": self._end,
            "SequenceEndEvent": self._end,
        }
        for event in events:
            handler = handlers.get(type(event).__name__)
            if handler is not None:
                try:
                    handler(event)
                except YamlError as error:
                    raise YamlError(f"line {event.start_mark.line + 1}: {error}") from None
        if len(self._root) != 1:
            raise YamlError("the file is empty" if not self._root else "the file holds several documents")
        return self._root[0]

    def _scalar(self, event: Any) -> None:
        if _SURROGATE.search(event.value):
            raise YamlError("an escape names a lone surrogate, which is no character")
        weight = _NODE + len(event.value)
        self._spend(weight)
        value = self._value(event)
        if event.anchor:
            self._anchored[event.anchor] = (value, weight)
        self._put(value)

    def _value(self, event: Any) -> object:
        """The value of a scalar: quoted and block ones are strings, plain ones resolved, tags obeyed."""
        text: str = event.value
        if event.tag in ("!", _CORE + "str"):
            return text
        if event.tag is None:
            if not event.implicit[0] or event.style:
                return text
            # libyaml reports the tag `!` as no tag.
            tagged = _UNRESOLVED_TAG.match(self._text, event.start_mark.index, event.end_mark.index)
            return text if tagged else resolve_plain(text)
        kind = _TYPES.get(event.tag.removeprefix(_CORE))
        value = resolve_plain(text)
        if kind is None or type(value) is not kind:
            raise YamlError(f"the tag {event.tag} is not read here")
        return value

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchored:
            raise YamlError(f"the alias *{event.anchor} stands for nothing that is complete here")
        value, weight = self._anchored[event.anchor]
        self._spend(weight)
        self._put(value)

    def _start_mapping(self, event: Any) -> None:
        self._start(event, {}, "map")

    def _start_sequence(self, event: Any) -> None:
        self._start(event, [], "seq")

    def _start(self, event: Any, node: list[object] | dict[str, object], kind: str) -> None:
        if event.tag not in (None, "!", _CORE + kind):
            raise YamlError(f"the tag {event.tag} is not read")
        if len(self._open) >= MAX_DEPTH:
            raise YamlError(f"nested more than {MAX_DEPTH} deep")
        self._spend(_NODE)
        self._open.append(_Open(node, event.anchor, self._weight))

    def _end(self, event: Any) -> None:
        closed = self._open.pop()
        if closed.anchor:
            self._anchored[closed.anchor] = (closed.node, _NODE + self._weight - closed.weight)
        self._put(closed.node)

    def _put(self, value: object) -> None:
        """Add a complete value to what is open: as an item, as a key, or as a key's value."""
        if not self._open:
            self._root.append(value)
            return
        parent = self._open[-1]
        if isinstance(parent.node, list):
            parent.node.append(value)
        elif parent.key is not None:
            parent.node[parent.key] = value
            parent.key = None
        elif not isinstance(value, str):
            raise YamlError("a key that is not a string")
        elif value in parent.node:
            raise YamlError(f"the key {value!r} stands twice")
        else:
            parent.key = value

    def _spend(self, weight: int) -> None:
        self._weight += weight
        if self._weight > MAX_WEIGHT:
            raise YamlError("the file holds or expands to too much")
