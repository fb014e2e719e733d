"""The regular expressions of the interpreter, asked whether they can be trusted.

Documents are split and words are found with possessive quantifiers (`*+`) and atomic groups (`(?>…)`).
CPython 3.11.0 to 3.11.4 match some of them wrongly: their caches have other bytes, their queries other words.
"""

from __future__ import annotations

import re

from .errors import UsageError

FLOOR = "3.11.5"
"""The first CPython that matches both constructs as documented."""


def require_sound_regex() -> None:
    """Raise `UsageError` where possessive quantifiers or atomic groups match wrongly."""
    possessive = re.fullmatch("(?:ab?c)*+", "a")  # without `c` there is nothing to repeat
    atomic = re.match("(?>(?:.(?!D))+)", "ABCDE")  # C stands before D
    if possessive is None and atomic is not None and atomic[0] == "AB":
        return
    import platform  # a sound interpreter does not pay for it

    raise UsageError(
        f"{platform.python_implementation()} {platform.python_version()} matches some regular expressions "
        f"wrongly and would build other caches; use CPython {FLOOR} or newer"
    )
