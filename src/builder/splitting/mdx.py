"""MDX: where its JavaScript ends, in which nothing is a heading.

Source: the MDX documentation, *ESM* and *Expressions*. A block that begins with `import` or `export` ends at
the first blank line outside braces and template literals; `{…}` at its closing brace.
"""

from __future__ import annotations

import re

_CODE = re.compile(
    r"""(?P<skip>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|//.*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))"""
    r"|(?P<open>[{(\[]|`)|(?P<close>[})\]])|(?P<blank>\n[^\S\n]*(?=\n))"
)
_TEMPLATE = re.compile(r"\\[\s\S]|(?P<open>\$\{)|(?P<close>`)")
_REST_OF_LINE = re.compile(r"[^\S\n]*(?:\n|\Z)")


def past_javascript(text: str, at: int) -> tuple[int, bool]:
    """Where JavaScript ends that begins at `at`, behind the line, and whether it is JavaScript.

    It is none if its brackets are never closed, or text follows on the line.
    """
    end = _balanced(text, at, expression=text[at] == "{")
    if end < 0:
        return len(text), False
    rest = _REST_OF_LINE.match(text, end)
    return (rest.end(), True) if rest else (end, False)


def _balanced(text: str, at: int, *, expression: bool) -> int:
    """The first offset outside all brackets where it may end; -1 if there is none."""
    opened: list[str] = []
    while True:
        found = (_TEMPLATE if opened[-1:] == ["`"] else _CODE).search(text, at)
        if found is None:
            return len(text) if not (opened or expression) else -1
        at = found.end()
        if found.lastgroup == "open":
            opened.append(found[0])
        elif found.lastgroup == "close" and opened:
            opened.pop()
            if expression and not opened:
                return at
        elif found.lastgroup == "blank" and not opened:
            return found.start()
