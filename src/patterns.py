"""One line of an ignore file as git reads it, compiled into a regular expression over bytes.

git matches bytes, not characters, so this does too. Its matcher backtracks; here, each run
between two wildcards is matched at the first place where it fits and then kept (an atomic
group), which finds the same names in bounded time whatever the pattern.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

_SPECIAL = re.compile(rb"[*?\[\\]")
_CLASSES = {
    b"alnum": rb"a-zA-Z0-9",
    b"alpha": rb"a-zA-Z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb" \t\n\r",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9a-fA-F",
}
_STAR, _DEEP, _DEEPER, _SLASH = b"*", b"**/", b"**\\/", b"/"
_NEVER = b"(?!)"


class Pattern(NamedTuple):
    """A rule of an ignore file."""

    text: str
    """As written, for people: without the line end and trailing spaces."""
    line: int
    """1-based."""
    negated: bool
    """`!`: what it matches is taken back."""
    folders_only: bool
    """A trailing `/`: it speaks of directories only."""
    anywhere: bool
    """No other `/`: it is matched against the last component, at any depth."""
    expression: bytes
    """Regular expression for `fullmatch`, against the path below the ignore file or the last component."""


def parse(line: bytes, number: int) -> Pattern | None:
    """Read one line, without its line end; None for a blank line or a comment."""
    written = _without_trailing_spaces(line.split(b"\0")[0])
    if not written or written.startswith(b"#"):
        return None
    negated = written.startswith(b"!")
    body = written[negated:]
    folders_only = body.endswith(b"/")
    body = body[: len(body) - folders_only]
    anywhere = b"/" not in body
    return Pattern(
        text=written.decode("utf-8", "backslashreplace"),
        line=number,
        negated=negated,
        folders_only=folders_only,
        anywhere=anywhere,
        expression=_translate(body if anywhere else body.removeprefix(b"/"), anywhere),
    )


def _without_trailing_spaces(line: bytes) -> bytes:
    """Drop trailing spaces that no backslash keeps."""
    end = stop = 0
    while end < len(line):
        if line[end : end + 1] == b"\\":
            end += 2
            stop = end
        else:
            end += 1
            stop = stop if line[end - 1 : end] == b" " else end
    return line[:stop]


def _translate(glob: bytes, anywhere: bool) -> bytes:
    """Turn a glob into a regular expression; the text before the first wildcard is compared as it stands."""
    special = _SPECIAL.search(glob)
    start = special.start() if special else len(glob)
    tokens = _tokens(glob, start, anywhere)
    return _NEVER if tokens is None else re.escape(glob[:start]) + _deep(tokens)


def _tokens(glob: bytes, at: int, anywhere: bool) -> list[bytes] | None:
    """Cut a glob from `at` on into wildcards, slashes and one-byte expressions; None if none matches it."""
    tokens: list[bytes] = []
    while at < len(glob):
        one = glob[at : at + 1]
        if one == b"*":
            token, at = _stars(glob, at, anywhere)
        elif one == b"[":
            token, at = _bracket(glob, at)
        elif one == b"\\":
            token, at = re.escape(glob[at + 1 : at + 2]) or _NEVER, at + 2
        else:
            token, at = b"[^/]" if one == b"?" else re.escape(one), at + 1
        if token == _NEVER:
            return None
        tokens.append(token)
    return tokens


def _stars(glob: bytes, at: int, anywhere: bool) -> tuple[bytes, int]:
    """Read a run of `*`: one is any text within a component, `**` between slashes any components.

    A `**` that has no slash before it is a `*`. (Older git reads `a**/b` as `a` and then `**/b`.)
    """
    end = at
    while glob[end : end + 1] == b"*":
        end += 1
    alone = at == 0 or glob[at - 1 : at] == b"/"
    if end - at == 1 or not alone or anywhere:
        return _STAR, end
    if end == len(glob):
        return b".*", end
    if glob[end : end + 1] == b"/":
        return _DEEP, end + 1
    if glob[end : end + 2] == b"\\/":
        return _DEEPER, end + 2
    return _STAR, end


def _bracket(glob: bytes, at: int) -> tuple[bytes, int]:
    """Read `[…]`, which never matches a slash; one that is not closed matches nothing."""
    at += 1
    negated = glob[at : at + 1] in (b"!", b"^")
    at += negated
    first, items = at, b""
    while glob[at : at + 1] != b"]" or at == first:
        if at >= len(glob):
            return _NEVER, at
        item, at = _bracket_item(glob, at)
        if item is None:
            return _NEVER, at
        items += item
    if negated:
        return b"[^/" + items + b"]", at + 1
    return b"(?!/)[" + items + b"]", at + 1


def _bracket_item(glob: bytes, at: int) -> tuple[bytes | None, int]:
    """Read a class, a range or a byte; None for a class that does not exist."""
    if glob[at : at + 2] == b"[:":
        end = glob.find(b"]", at + 2)
        if end < 0:
            return None, len(glob)
        if glob[end - 1 : end] == b":" and end - 1 >= at + 2:
            return _CLASSES.get(glob[at + 2 : end - 1]), end + 1
    low, at = _bracket_byte(glob, at)
    if glob[at : at + 1] == b"-" and glob[at + 1 : at + 2] not in (b"]", b""):
        high, at = _bracket_byte(glob, at + 1)
        return _byte(low) + (_byte(low) + b"-" + _byte(high) if low <= high else b""), at
    return _byte(low), at


def _bracket_byte(glob: bytes, at: int) -> tuple[int, int]:
    """Read one byte, which a backslash may precede."""
    at += glob[at : at + 1] == b"\\"
    return (glob[at], at + 1) if at < len(glob) else (0, at)


def _byte(value: int) -> bytes:
    return b"\\x%02x" % value


def _deep(tokens: list[bytes]) -> bytes:
    """Join tokens; what stands between two `**/` is found at the first components where it fits."""
    marks = [at for at, token in enumerate(tokens) if token in (_DEEP, _DEEPER)]
    first = marks[0] if marks else len(tokens)
    out = _shallow(tokens[:first])
    for mark, end in pairwise([*marks, len(tokens)]):
        rest = _shallow(tokens[mark + 1 : end])
        skip = rb"(?:.*?/)??" if tokens[mark] == _DEEP else rb".*?/"
        out += skip + rest if end == len(tokens) else b"(?>" + skip + rest + b")"
    return out


def _shallow(tokens: list[bytes]) -> bytes:
    """Join tokens without `**/`; what follows a `*` is found at the first place where it fits."""
    out = run = b""
    starred = False
    for token in tokens:
        if token == _STAR and starred:
            out, run = out + b"(?>[^/]*?" + run + b")", b""
        elif token == _STAR:
            out, run, starred = out + run, b"", True
        elif token == _SLASH and starred:
            out, run, starred = out + b"(?>[^/]*?" + run + b"/)", b"", False
        else:
            run += token
    return out + (b"[^/]*" + run if starred else run)
