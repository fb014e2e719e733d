"""Text for people: untrusted text made safe and honest for a terminal, and numbers with their nouns.

Names, queries and documents may hold escape sequences, text that runs backwards
and characters that nobody sees. They are spelled out instead of obeyed.
"""

from __future__ import annotations

import re

# The set is spelled out here, not asked of `unicodedata`, whose tables differ between versions of Python.
_INVISIBLE = (
    "\x00-\x1f\x7f-\x9f"  # controls: escape sequences start here
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, separators, bidirectional overrides
    "\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"  # fillers, byte order mark, annotations, no characters
    "\ud800-\udfff"  # lone surrogates: bytes of a name that are not UTF-8
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # shorthand and musical controls
    "\U000e0000-\U000e0fff"  # tags, supplementary variation selectors
)
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def escape_control(text: str, *, newlines: bool = False) -> str:
    r"""Return `text` with every character that acts or hides written as its escape (`\x1b`, `\u202e`).

    With `newlines`, line feeds and tabs stay as they are: for whole documents instead of single lines.
    """
    if text.isascii() and text.isprintable():
        return text
    allowed = "\n\t" if newlines else ""
    return re.sub(f"[{_INVISIBLE}]", lambda match: _escape(match[0], allowed), text)


def _escape(character: str, allowed: str) -> str:
    """Write one character as Python would in a literal."""
    if character in allowed:
        return character
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def pluralize(number: int, noun: str) -> str:
    """`1 document`, `1,204 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
