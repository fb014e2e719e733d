"""Text above ASCII brought to one form, with Unicode 14.0 as the measure whatever Python runs.

Full-width and half-width forms, typographic apostrophes and hyphens are folded, characters that nobody sees
are dropped, what is neither letter nor digit nor mark becomes a space, and the rest is composed (NFC).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

from .unicode14 import EDGES
from .words import ENDING, SIGNS

_APOSTROPHES = "\u2018\u2019\u201b\u02bc"
_HYPHENS = "\u2010\u2011"
_INVISIBLE = (
    *(
        0x00AD,
        0x034F,
        0x0488,
        0x0489,
        0x200C,
        0x200D,
        0x2060,
        0xFEFF,
    ),  # soft hyphen, joiners, enclosing marks
    *range(0x180B, 0x180E),  # Mongolian variation selectors
    *range(0x20DD, 0x20F1),  # marks that enclose, such as a keycap
    *range(0xFE00, 0xFE10),  # variation selectors
    *range(0xE0100, 0xE01F0),
)
_HALF_WIDTH_KANA = (  # U+FF66 to U+FF9F; the last two are the voicing marks, which composition then joins
    "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u3099\u309a"
)

_DENSE = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u1780-\u17ff"  # Khmer
    "\u1950-\u19df\u1a20-\u1aaf\uaa80-\uaadf\U00011700-\U0001174f"  # Tai scripts
    "\u3005-\u3007\u3021-\u3029\u3031-\u303c\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\U0001b000-\U0001b16f"  # kana, Bopomofo
    "\ua000-\ua4cf\U00016fe0-\U00018d8f\U00020000-\U0003ffff"  # Yi, Tangut, rarer Han
)
RUN = re.compile(
    f"[A-Za-z0-9_{SIGNS}\x80-\u1fff\u200c\u200d\u2010\u2011\u2018\u2019\u201b\u2060\u2070-\u2fff\u3005-\U0010ffff]+"
)
"""A run of any text; the common punctuation that it leaves out always separates words."""

WORD = re.compile(f"(?P<dense>[{_DENSE}]+)|[^\\x00-/:-@\\[-\\^`{{-\\x7f{_DENSE}]+{ENDING}")
"""A word of a folded lower-case text, or a stretch (`dense`) of a script that is written without spaces."""


_ESCAPED = re.compile(r"\\(?=[-_.'#+])")


class _Folds(dict[int, str]):
    """What a code point is folded to; filled as code points are met."""

    def __missing__(self, point: int) -> str:
        self[point] = folded = _folded(point)
        return folded


def _folded(point: int) -> str:
    if point < 0x80:
        return chr(point)
    if 0xFF01 <= point <= 0xFF5E:
        return chr(point - 0xFEE0)
    if 0xFF66 <= point <= 0xFF9F:
        return _HALF_WIDTH_KANA[point - 0xFF66]
    return chr(point) if bisect_right(EDGES, point) & 1 else " "


_FOLDS = _Folds(
    {
        **dict.fromkeys(map(ord, _APOSTROPHES), "'"),
        **dict.fromkeys(map(ord, _HYPHENS), "-"),
        **dict.fromkeys(_INVISIBLE, ""),
    }
)


def fold(text: str) -> str:
    """The text in its one form, capitals kept, so that canonically equal texts are equal."""
    composed = unicodedata.normalize("NFC", _ESCAPED.sub("\u2060", text).translate(_FOLDS))
    return _without_stray_marks(composed) if any(map(unicodedata.combining, composed)) else composed


def _without_stray_marks(composed: str) -> str:
    """The text with a space for each mark behind a sign: `=` and a stroke are one sign, and no letter."""
    kept, after_letter = [], False
    for char in composed:
        after_letter = after_letter if unicodedata.combining(char) else char.isalnum() or char >= "\x80"
        kept.append(char if after_letter or not unicodedata.combining(char) else " ")
    return "".join(kept)


def lower(folded: str) -> str:
    """A folded text in lower case, of the same length; a final sigma is a sigma."""
    return folded.replace("İ", "I").lower().replace("\u03c2", "\u03c3")  # only İ becomes two characters


def shape(folded: str, lowered: str) -> str:
    """A folded text with `A` for every capital above ASCII, so that capitals can be told by their range."""
    if folded == lowered:
        return lowered
    pairs = zip(folded, lowered, strict=True)
    return "".join(char if char == small or char.isascii() else "A" for char, small in pairs)


def places(text: str) -> list[int]:
    """For each place in the folded text, the end included, its place in the text itself.

    Both decompose to the same characters, so that counting those relates them.
    """
    at_text = [0]
    for char in _ESCAPED.sub("\u2060", text):
        at_text.append(at_text[-1] + _decomposed_length(char.translate(_FOLDS)))
    result, at_folded, place = [0], 0, 0
    for char in fold(text):
        at_folded += _decomposed_length(char)
        while at_text[place] < at_folded:
            place += 1
        result.append(place)
    return result


def _decomposed_length(text: str) -> int:
    return len(unicodedata.normalize("NFD", text))
