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
    *(0x00AD, 0x034F, 0x200C, 0x200D, 0x2060, 0xFEFF),  # soft hyphen, joiners
    *(0x0488, 0x0489, *range(0x20DD, 0x20F1)),  # marks that enclose, such as a keycap
    *(*range(0x180B, 0x180E), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)),  # variation selectors
)
_HALF_WIDTH_KANA = (  # U+FF66 to U+FF9F; the last two are the voicing marks, which composition then joins
    "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u3099\u309a"
)

_DENSE_EDGES = (  # scripts without spaces, and Hangul, whose words are best found by their syllables
    *(0x0E00, 0x0F00),  # Thai, Lao
    *(0x1000, 0x10A0, 0x1100, 0x1200),  # Myanmar, Hangul
    *(0x1780, 0x1800, 0x1950, 0x19E0, 0x1A20, 0x1AB0),  # Khmer, Tai scripts
    *(0x3005, 0x3008, 0x3021, 0x302A, 0x3031, 0x303D),  # Han signs and numerals
    *(0x3040, 0x3190, 0x31A0, 0x31C0, 0x31F0, 0x3200),  # kana, Bopomofo, Hangul
    *(0x3400, 0x4DC0, 0x4E00, 0xA4D0),  # Han, Yi
    *(0xA960, 0xA980, 0xA9E0, 0xAA00, 0xAA60, 0xAAE0, 0xAC00, 0xD800),  # Hangul, Myanmar, Tai Viet, Hangul
    *(0xF900, 0xFB00),  # Han
    *(0x11700, 0x11750, 0x16FE0, 0x18D90),  # Ahom, Tangut
    *(0x1B000, 0x1B170, 0x20000, 0x40000),  # rarer kana and Han
)

_SEPARATORS = re.escape(re.sub(rf"[A-Za-z0-9_{SIGNS}]", "", bytes(range(128)).decode())) + (
    "\u2000-\u200b\u200e\u200f\u2012-\u2017\u201a\u201c-\u205f\u2061-\u206f\u3000-\u3004"
)
RUN = re.compile(f"[^{_SEPARATORS}]+")  # the same from what it holds takes 2 ms to compile
"""A run of any text; the common punctuation that it leaves out always separates words."""

WORD = re.compile(f"(?P<dense>\x01+)|[a-z0-9_\x02]+{ENDING}")
"""A word in the `classes` of a text, or a stretch (`dense`) of a script that is written without spaces."""

_SMALL = "a-zß-öø-ÿа-џ" + "".join(filter(str.islower, map(chr, range(0x100, 0x180))))
COMPOSED = re.compile(f"[A-Za-zÀ-ÖØ-öø-ÿЀ-џ][{_SMALL}]+[.'-]*")
"""A word of Latin or Cyrillic letters that `fold` leaves as they are, with capitals at its start alone."""

DENSE = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]+")
"""A stretch of kana, Han or Hangul that `fold` leaves as it is, in scripts written without spaces."""

_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]+"
)
"""Marks that a word is also written without: of Latin, Greek, Cyrillic, Hebrew and Arabic letters."""
_UNMARKED = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i",
    "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th",
})  # fmt: skip
"""Letters that do not decompose, as they are written where they are missing."""
_LIGATURES = {
    **{point: unicodedata.normalize("NFKC", chr(point)) for point in range(0xFB00, 0xFB07)},
    **{point: unicodedata.normalize("NFKC", chr(point)) for point in range(0xFB13, 0xFB18)},
}
_RAISED = re.compile(
    "(?<![0-9\u00b2\u00b3\u00b9\u2070-\u2089])[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+"
)
"""Raised and lowered digits, but not those of a power (`10²`), which would become another number."""
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
        **_LIGATURES,
    }
)


def composed(text: str) -> str:
    """The text with letters and their marks as one character each (NFC), nothing else changed."""
    return unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """The text in its one form, capitals kept, so that canonically equal texts are equal."""
    plain = _RAISED.sub(_digits, _ESCAPED.sub("\u2060", text))
    composed = unicodedata.normalize("NFC", plain.translate(_FOLDS))
    return _without_stray_marks(composed) if any(map(unicodedata.combining, composed)) else composed


def _without_stray_marks(composed: str) -> str:
    """The text with a space for each mark behind a sign: `=` and a stroke are one sign, and no letter."""
    characters, after_letter = [], False
    for char in composed:
        after_letter = after_letter if unicodedata.combining(char) else char.isalnum() or char >= "\x80"
        characters.append(char if after_letter or not unicodedata.combining(char) else " ")
    return "".join(characters)


def _digits(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def without_marks(lowered: str) -> str:
    """A word in lower case as it is written without marks, in letters of ASCII: `cafe` for `café`."""
    bare = _MARKS.sub("", unicodedata.normalize("NFD", lowered))
    return unicodedata.normalize("NFC", bare).translate(_UNMARKED) or lowered


def lower(folded: str) -> str:
    """A folded text in lower case, of the same length; a final sigma is a sigma."""
    return folded.replace("İ", "I").lower().replace("\u03c2", "\u03c3")  # only İ becomes two characters


def shape(folded: str, lowered: str) -> str:
    """A folded text with `A` for every capital above ASCII, so that capitals are known by their range."""
    if folded == lowered:
        return lowered
    pairs = zip(folded, lowered, strict=True)
    return "".join(char if char == small or char.isascii() else "A" for char, small in pairs)


class _Classes(dict[int, str]):
    """What a code point of a folded text counts as; filled as code points are met."""

    def __missing__(self, point: int) -> str:
        dense = bisect_right(_DENSE_EDGES, point) & 1
        self[point] = kind = chr(point) if point < 0x80 else "\x01" if dense else "\x02"
        return kind


_CLASSES = _Classes()


def classes(lowered: str) -> str:
    """A folded lower-case text with `\x01` for what is dense, `\x02` for any other letter above ASCII."""
    return lowered.translate(_CLASSES)


def unfolded_offsets(text: str) -> list[int]:
    """For each offset in the folded text, the end included, the offset in the text itself.

    Both decompose to the same characters, so that counting those relates them.
    """
    at_text = [0]
    for char in _ESCAPED.sub("\u2060", text):
        at_text.append(at_text[-1] + _decomposed_length(char.translate(_FOLDS)))
    offsets, at_folded, offset = [0], 0, 0
    for char in fold(text):
        at_folded += _decomposed_length(char)
        while at_text[offset] < at_folded:
            offset += 1
        offsets.append(offset)
    return offsets


def _decomposed_length(text: str) -> int:
    return len(unicodedata.normalize("NFD", text))
