"""Compiled counterparts of what a build does most, used where the extra `fast` is installed.

They give the same numbers and the same stems, sooner, or are not used: each is tried on a probe when it is
loaded, and asked only for what it was compared on.
"""

from __future__ import annotations

import re
from importlib import import_module
from threading import Lock

from .stem import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PROBE = (
    "It's WE'LL getUserById 1234567 /usr//bin\n\n/etc  --dry-run\t\u00a0x\r\n  naïve Straße e\u0301 Быстрое "
    "ΟΔΟΣ हिन्दी ปรับใช้ العربية 黑豹队。データベース 데이터 \uff21\uff30\uff29 <|endoftext|> ½ Ⅷ … → "
    "\U0001f600\U0001f469\u200d\U0001f469\u200d\U0001f467"
)
COUNTS = {"o200k_base": 80, "cl100k_base": 108}
"""How many tokens the probe has."""

WORDS = (
    *("deployments", "generously", "hopping", "ratios", "skies", "dying", "nationally", "sensibilities"),
    *("relational", "agreed", "controlling", "yearly", "evening", "past", "proceed", "happiness"),
)
"""The probe of the stemmer."""

_UNCOMMON = re.compile(
    "[^\0-\u017e\u0180-\u0377\u0384-\u052f\u0590-\u07ff\u0900-\u0bff\u0d00-\u0e5b\u1e00-\u20cf\u2100-\u2bff"
    "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\ue000-\uf8ff\ufb00-\ufffd\U0001d400-\U0001d7ff\U0001f000-\U0001faff]"
)
"""A character beyond the blocks where no version of Unicode changes a letter into something else, or back;
and U+017F, a long s: where case is ignored it is an `s` to tiktoken, as in `it's`, and none to toktok.
"""


def counter(name: str, exact: Callable[[str], Callable[[str], int]]) -> Callable[[str], int] | None:
    """toktok's counter of an encoding, a sixth of tiktoken's time; None without it.

    `exact` of the name makes the counter for texts where the two are not sure to agree.
    """
    try:
        native: Callable[[str], int] = import_module("toktok")._encoding(name).count
    except (ImportError, AttributeError, KeyError):
        return None
    if native(PROBE) != COUNTS[name]:
        return None

    def count(text: str) -> int:
        return native(text) if text.isascii() or not _UNCOMMON.search(text) else exact(name)(text)

    return count


def stemmer() -> Callable[[str], str]:
    """Stems as `stem` does: by PyStemmer, which takes a tenth of the time, if it is of the same algorithm.

    Each call makes a new one, which may be shared between threads.
    """
    try:
        native: Callable[[str], str] = import_module("Stemmer").Stemmer("english", 0).stemWord
    except (ImportError, AttributeError, KeyError):
        return stem
    if [*map(native, WORDS)] != [*map(stem, WORDS)]:
        return stem
    turn = Lock()

    def stem_in_turn(word: str) -> str:
        with turn:  # a stemmer writes the word that it works on into a buffer of its own
            return native(word)

    return stem_in_turn
