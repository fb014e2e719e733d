"""What a pasted error says of the machine it happened on: frames, times, addresses, paths.

In a query such text counts little, so that the message of an error is found and not the names in its stack.
Of the type of an error (`java.io.IOException`) its own name counts, and neither its package nor its parts.
Each expression reads a line once, from its start.
"""

from __future__ import annotations

import re

_LINES = re.MULTILINE | re.ASCII
# The expressions are compiled when a query needs them, by `re`, which keeps them: few do.
_FRAMES = (
    r"^[ \t]*(?:"
    r"Traceback \(most recent call last\):?"
    r'|File "[^"\n]*", line [0-9]+[^\n]*'  # Python: the frame, its line of code, its marks
    r'(?:\n[ \t]+(?![ \t]*File ")[^\n]*)?(?:\n[ \t]*[~^]+[ \t]*$)?'
    r"|at [^\n]*(?:\([^()\n]*\)|:[0-9]+(?::[0-9]+)?)[ \t]*$"  # Node, Java
    r"|at [^\n]* in [^\n]*:line [0-9]+[ \t]*$"  # .NET
    r"|at [\w.$<>`/\[\], ]+\([^\n]*\)[^\n]*$"
    r"|\.\.\. [0-9]+ (?:more|common frames omitted)"  # Java
    r"|goroutine [0-9]+ \[[^\]\n]*\]:"  # Go
    r"|[\w./*()-]+\([^\n]*\)\n[ \t]+/?[^\s:]+\.go:[0-9]+[^\n]*"
    r"|/?[^\s:]+\.go:[0-9]+[^\n]*"
    r"|created by [^\n]*"
    r"|exit status [0-9]+"
    r"|[0-9]+: +(?:0x[0-9a-f]+ - )?[\w:<>{}#, ]+$"  # Rust
    r"|stack backtrace:"
    r"|note: run with [^\n]*"
    r"|--- End of [^\n]*---"
    r"|thread '[^'\n]*' panicked at (?!')[^\n]*$"  # Rust; the message is on the next line
    r")"
)
_BITS = (
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"  # UUID
    r"|\b0x[0-9a-fA-F]{4,}\b"  # address
    r"|\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9:]+)?)?"
    r"|\b[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\b"
)
_PATHS = r"""(?:[A-Za-z]:\\|/)[^\s"'<>|:*?]+[/\\][^\s"'<>|:*?]+(?::[0-9]+(?::[0-9]+)?)?"""
_ERROR = (
    r"^[ \t]*(?P<said>Caused by: |Uncaught |Unhandled exception\. |Exception in thread \"[^\"\n]*\" )?"
    r"(?P<type>(?:[\w$]+\.)*[A-Z]\w*)(?=:[ \t]|[ \t]*$)"
)

NOISE = 1
ERROR_TYPE = 2


def pasted(text: str) -> bytearray:
    """What each character of a query tells: 0 of its subject, `NOISE`, or `ERROR_TYPE`; empty if all are 0.

    Only several lines with a frame among them have paths that are noise and types of errors.
    """
    kinds: list[tuple[re.Match[str], str | int, int]] = []
    if any(map(str.isdigit, text)):
        kinds += [(match, 0, NOISE) for match in re.finditer(_BITS, text, re.ASCII)]
    if "\n" in text and (frames := [(match, 0, NOISE) for match in re.finditer(_FRAMES, text, _LINES)]):
        kinds += frames
        kinds += [(match, 0, NOISE) for match in re.finditer(_PATHS, text, re.ASCII)]
        for match in re.finditer(_ERROR, text, _LINES):
            kinds += [(match, "said", NOISE), (match, "type", ERROR_TYPE)]
    kind_at = bytearray(len(text)) if kinds else bytearray()
    for match, group, kind in kinds:
        start, end = match.span(group)
        kind_at[start:end] = bytes([kind]) * (end - start)
    return kind_at
