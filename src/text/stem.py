"""The Snowball English stemmer (Porter2, as of Snowball 3.1), frozen.

An analyzer's name promises that its terms never change, so the algorithm lives here and not in a dependency
that moves. Positions `r1` and `r2` are where the two regions of the algorithm begin: the part of a word after
the first consonant that follows a vowel, and the same again. `Y` stands for a `y` that acts as a consonant.

Source: https://snowballstem.org/algorithms/english/stemmer.html
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_VOWELS = frozenset("aeiouy")
_TO_CONSONANT = re.compile("[^aeiouy]*[aeiouy]+[^aeiouy]")
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_LI_ENDINGS = frozenset("cdeghkmnrt")
_SUCCEED = frozenset(("succ", "proc", "exc"))
_EVENING = frozenset(("even", "cann", "inn", "earr", "herr", "out"))
_R1_PREFIXES = ("arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers")

_EXCEPTIONS = {
    "andes": "andes",
    "atlas": "atlas",
    "bias": "bias",
    "cosmos": "cosmos",
    "early": "earli",
    "gently": "gentl",
    "howe": "howe",
    "idly": "idl",
    "news": "news",
    "only": "onli",
    "singly": "singl",
    "skies": "sky",
    "skis": "ski",
    "sky": "sky",
    "ugly": "ugli",
}

_STEP_2 = {
    "ational": "ate",
    "fulness": "ful",
    "iveness": "ive",
    "ization": "ize",
    "ousness": "ous",
    "biliti": "ble",
    "lessli": "less",
    "tional": "tion",
    "alism": "al",
    "aliti": "al",
    "ation": "ate",
    "entli": "ent",
    "fulli": "ful",
    "iviti": "ive",
    "ogist": "og",
    "ousli": "ous",
    "abli": "able",
    "alli": "al",
    "anci": "ance",
    "ator": "ate",
    "enci": "ence",
    "izer": "ize",
    "bli": "ble",
    "ogi": "og",
    "li": "",
}

_STEP_3 = {
    "ational": "ate",
    "tional": "tion",
    "alize": "al",
    "ative": "",
    "icate": "ic",
    "iciti": "ic",
    "ical": "ic",
    "ness": "",
    "ful": "",
}

_STEP_4 = frozenset(
    (
        *("able", "al", "ance", "ant", "ate", "ement", "ence", "ent", "er", "ible", "ic", "ion", "ism"),
        *("iti", "ive", "ize", "ment", "ous"),
    )
)

_ENDS_2, _ENDS_3, _ENDS_4 = ({suffix[-1] for suffix in suffixes} for suffixes in (_STEP_2, _STEP_3, _STEP_4))
"""The last letters of the suffixes: what ends in another, as most words do, need not be tried further."""


def stem(word: str) -> str:
    """The stem of a lower-case word made of letters; words of one or two letters are their own."""
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    if len(word) < 3:
        return word
    word = _mark_consonant_y(word)
    r1, r2 = _regions(word)
    word = _plural(word)
    word = _past_or_gerund(word, r1)
    word = _final_y(word)
    word = _derivation(word, r1)
    word = _derived_adjective(word, r1, r2)
    word = _residual(word, r2)
    word = _final_e_or_l(word, r1, r2)
    return word.replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """Write `y` as `Y` at the start of a word and after a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for position, letter in enumerate(letters):
        if letter == "y" and (position == 0 or letters[position - 1] in _VOWELS):
            letters[position] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin; the length of the word where there is none."""
    if word.startswith(_R1_PREFIXES):
        r1 = next(len(prefix) for prefix in _R1_PREFIXES if word.startswith(prefix))
    else:
        r1 = _after_vowel_and_consonant(word, 0)
    return r1, _after_vowel_and_consonant(word, r1)


def _after_vowel_and_consonant(word: str, start: int) -> int:
    """The position behind the first consonant that follows a vowel, from `start` on."""
    match = _TO_CONSONANT.match(word, start)
    return match.end() if match else len(word)


def _has_vowel(word: str) -> bool:
    return not _VOWELS.isdisjoint(word)


def _ends_in_short_syllable(word: str) -> bool:
    """Whether a word ends as *trap*, *entrap*, *ow* or *past* do."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    if len(word) < 3:
        return False
    before, vowel, last = word[-3], word[-2], word[-1]
    closed = last not in _VOWELS and last not in "wxY" and vowel in _VOWELS and before not in _VOWELS
    return closed or word.endswith("past")


def _longest_suffix(word: str, suffixes: Container[str], ends: Container[str], longest: int) -> str:
    """The longest of the suffixes, whose last letters are `ends`, that the word ends in, else ""."""
    if word[-1:] not in ends:
        return ""
    for start in range(max(len(word) - longest, 0), len(word) - 1):
        if word[start:] in suffixes:
            return word[start:]
    return ""


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")) or not word.endswith("s"):
        return word
    return word[:-1] if _has_vowel(word[:-2]) else word


def _past_or_gerund(word: str, r1: int) -> str:
    """Step 1b."""
    if not word.endswith(("ed", "ing", "edly", "ingly")):  # most words: spares them the loops
        return word
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + "ee" if len(base) >= r1 and base not in _SUCCEED else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            if suffix == "ing" and base in _EVENING:
                return word
            if suffix == "ing" and len(base) == 2 and base[1] == "y" and base[0] not in _VOWELS:
                return base[0] + "ie"
            return _repaired(base, r1) if _has_vowel(base) else word
    return word


def _repaired(base: str, r1: int) -> str:
    """What is left after *-ed* or *-ing*, with a lost *e* put back or a doubled consonant undone."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:] in _DOUBLES:
        return base if len(base) == 3 and base[0] in "aeo" else base[:-1]
    return base + "e" if len(base) == r1 and _ends_in_short_syllable(base) else base


def _final_y(word: str) -> str:
    """Step 1c."""
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word


def _derivation(word: str, r1: int) -> str:
    """Step 2."""
    suffix = _longest_suffix(word, _STEP_2, _ENDS_2, 7)
    base = word[: len(word) - len(suffix)]
    if not suffix or len(base) < r1:
        return word
    if suffix == "ogi" and not base.endswith("l"):
        return word
    if suffix == "li" and base[-1:] not in _LI_ENDINGS:
        return word
    return base + _STEP_2[suffix]


def _derived_adjective(word: str, r1: int, r2: int) -> str:
    """Step 3."""
    suffix = _longest_suffix(word, _STEP_3, _ENDS_3, 7)
    base = word[: len(word) - len(suffix)]
    if not suffix or len(base) < (r2 if suffix == "ative" else r1):
        return word
    return base + _STEP_3[suffix]


def _residual(word: str, r2: int) -> str:
    """Step 4."""
    suffix = _longest_suffix(word, _STEP_4, _ENDS_4, 5)
    base = word[: len(word) - len(suffix)]
    if not suffix or len(base) < r2 or (suffix == "ion" and base[-1:] not in ("s", "t")):
        return word
    return base


def _final_e_or_l(word: str, r1: int, r2: int) -> str:
    """Step 5."""
    base = word[:-1]
    if word.endswith("e"):
        drop = len(base) >= r2 or (len(base) >= r1 and not _ends_in_short_syllable(base))
        return base if drop else word
    return base if word.endswith("ll") and len(base) >= r2 else word
