"""What a pasted error says of the machine it happened on: frames, times, addresses, paths.

In a query such text counts little, so that the message of an error is found and not the names in its stack.
Each expression reads a line once, from its start.
"""

from __future__ import annotations

import re

_FRAMES = re.compile(
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
    r")",
    re.MULTILINE | re.ASCII,
)
_BITS = re.compile(
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"  # UUID
    r"|\b0x[0-9a-fA-F]{4,}\b"  # address
    r"|\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9:]+)?)?"
    r"|\b[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\b",
    re.ASCII,
)
_PLACES = re.compile(
    r"""(?:[A-Za-z]:\\|/)[^\s"'<>|:*?]+[/\\][^\s"'<>|:*?]+(?::[0-9]+(?::[0-9]+)?)?""", re.ASCII
)


def noise(text: str) -> list[tuple[int, int]]:
    """Where a query tells of a machine, not of a subject; only several lines have frames and paths."""
    spans = [match.span() for match in _BITS.finditer(text)] if any(map(str.isdigit, text)) else []
    if "\n" in text:
        frames = [match.span() for match in _FRAMES.finditer(text)]
        spans += frames
        if frames:
            spans += [match.span() for match in _PLACES.finditer(text)]
    return spans
