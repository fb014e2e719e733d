"""Headings as people read them: the plain text behind inline markup."""

from __future__ import annotations

import re
from html import unescape

_LONGEST = 300  # characters; what is longer is a paragraph that happens to be underlined
_TOKEN = re.compile(
    r"(?P<role>:[\w:.+-]+:)?(?P<ticks>`+)(?P<code>[^`]+)(?P=ticks)(?P<link>__?(?!\w))?"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!?\[(?P<label>(?:`[^`]*`|[^\[\]`]|\[[^\[\]]*\]\([^()]*\))*)\]"
    r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"
    r"|(?P<id>\[\[[^\[\]]*\]\]|\{ ?[#:/.][^{}]*\}\s*$)"
    r"|(?P<mark>\*+|_+|~~)"
    r"|(?P<tag><!--.*?-->|</?[a-zA-Z][^<>]*>)"
    r"|(?P<text>[^`\\!\[{*_~<:]+|.)"
)
_TARGET = re.compile(r"\s*<[^<>]*>$")


def plain(heading: str, kind: str) -> str:
    """The text of a heading without emphasis, code marks, link targets, tags and ids, on one line.

    At most 300 characters are kept.
    """
    pieces: list[str] = []
    opened: dict[str, int] = {}
    heading = heading[: 4 * _LONGEST]
    for token in _TOKEN.finditer(heading):
        if token["mark"]:
            _emphasis(token, heading, pieces, opened)
        else:
            pieces.append(_visible(token, kind))
    return " ".join("".join(pieces).split())[:_LONGEST].rstrip()


def _visible(token: re.Match[str], kind: str) -> str:
    """What a reader sees of a token that is not emphasis."""
    if code := token["code"]:
        return _TARGET.sub("", code) if token["role"] or token["link"] else code
    if token["escaped"] or token["id"]:
        return token["escaped"] or ""
    if (label := token["label"]) is not None:
        return plain(label, kind)
    if kind == "rst":
        return token[0]
    if tag := token["tag"]:
        return tag[1:-1] if "://" in tag.partition(" ")[0] else ""
    return unescape(token[0])


def _emphasis(token: re.Match[str], heading: str, pieces: list[str], opened: dict[str, int]) -> None:
    """Keep a run of marks for the time being; drop it and its partner once it closes one."""
    mark = token["mark"]
    before, after = heading[: token.start()][-1:], heading[token.end() :][:1]
    word = mark[0] == "_"
    closes = before.strip() and not (word and after.isalnum())
    opens = after.strip() and not (word and before.isalnum())
    pieces.append(mark)
    if closes and mark in opened:
        pieces[opened.pop(mark)] = pieces[-1] = ""
    elif opens:
        opened[mark] = len(pieces) - 1
