"""Headings: the plain text behind inline markup, and their anchors as GitHub makes them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from html import unescape

from ...text.unicode14 import EDGES  # a slug is part of a document's id: no Python may spell it otherwise

_LONGEST = 300  # characters; what is longer is a paragraph that happens to be underlined
READ = 4 * _LONGEST
"""Characters of a heading that are looked at."""
_TOKEN = re.compile(
    r"(?<!`)(?P<role>:(?:[a-zA-Z0-9_.+-]+:){1,2})?"
    r"(?P<ticks>`+)(?!`)(?P<code>[^`]+)(?P=ticks)(?P<link>__?(?![a-zA-Z0-9]))?"
    r"|\\(?P<escaped>[ !-/:-@\[-`{-~])"
    r"|(?P<note>\[[^\[\]]+\]_(?![a-zA-Z0-9]))"
    r"|!?\[(?P<label>(?:`[^`]*`|[^\[\]`]|\[[^\[\]]*\]\([^()]*\))*)\]"
    r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"
    r"|(?P<id>\[\[[^\[\]]*\]\]|\{ ?[#:/.][^{}]*\}\s*$)"
    r"|(?P<mark>\*+|_+|~~)"
    r"|(?P<tag><!--.*?-->|</?[a-zA-Z][^<>]*>)"
    r"|(?P<text>[^`\\!\[{*_~<:]+|.)"
)
_MARKED = re.compile(r"[`\\!\[{*_~<:&]")  # what no token but text holds, nor an entity
_ASCIIDOC_LINK = re.compile(r"(?:link|xref|https?):[^\s\[\]]+\[([^\[\]]*)\]|<<([^<>,]++),?([^<>]*+)>>")
_ORG_LINK = re.compile(r"\[\[([^\[\]]*)\](?:\[([^\[\]]*)\])?\]")
_ORG_MARK = re.compile(r"(?<![^\s('\"{-])([*/_=~+])(?=\S)([^\n*/_=~+]*)(?<=\S)\1(?![^\s\-.,:!?;'\")}\[])")
_HIDDEN = re.compile(r"\s*<[^<>]*>$|^!|^~(?:[a-zA-Z0-9_.]*\.)?")  # in a reStructuredText role

_UNNAMED = "section"
_LEFT_OUT = re.compile(r"[^a-zA-Z0-9 _-]")  # of ASCII


def plain(heading: str, kind: str) -> str:
    """The text of a heading without emphasis, code marks, link targets, tags and ids, on one line.

    At most 300 characters are kept.
    """
    heading = heading[:READ]
    if kind == "org":
        return _org(heading)
    if not _MARKED.search(heading):
        return " ".join(heading.split())[:_LONGEST].rstrip()
    if kind == "asciidoc":
        heading = _ASCIIDOC_LINK.sub(lambda link: link[1] or link[3] or link[2] or "", heading)
    pieces: list[str] = []
    opened: dict[str, int] = {}
    for token in _TOKEN.finditer(heading):
        pieces.append(_SHOWN.get(kind, _markdown)(token))
        if token["mark"] and (kind != "rst" or token["mark"][0] == "*"):
            _pair(token, pieces, opened)
    return " ".join("".join(pieces).split())[:_LONGEST].rstrip()


def _org(heading: str) -> str:
    """What a reader of Org sees of a heading: the text of links, no marks of emphasis and code."""
    heading = _ORG_LINK.sub(lambda link: link[2] or link[1], heading)
    heading = _ORG_MARK.sub(r"\2", heading)
    return " ".join(heading.split())[:_LONGEST].rstrip()


def _markdown(token: re.Match[str]) -> str:
    """What a reader of Markdown sees of a token, were it not for emphasis."""
    if (label := token["label"]) is not None:
        return plain(label, "markdown")
    if tag := token["tag"]:
        return tag[1:-1] if "://" in tag.partition(" ")[0] else ""
    if id_ := token["id"]:  # or a link to a note, `[[note|text]]`
        return id_[2:-2].rpartition("|")[2] if id_[0] == "[" else ""
    if token["escaped"]:
        return token["escaped"].lstrip() or token[0]
    return _role(token) or unescape(token[0])


def _asciidoc(token: re.Match[str]) -> str:
    """The same of AsciiDoc, where `[[name]]` is an anchor."""
    return "" if token["id"] else _markdown(token)


def _rst(token: re.Match[str]) -> str:
    """What a reader of reStructuredText sees of a token, were it not for emphasis."""
    if token["escaped"]:
        return token["escaped"].lstrip()
    return "" if token["note"] else _role(token) or token[0]


_SHOWN = {"rst": _rst, "asciidoc": _asciidoc}


def _role(token: re.Match[str]) -> str:
    """What code, a role or a reference shows; "" if the token is none."""
    code = token["code"] or ""
    return _HIDDEN.sub("", code) if token["role"] or token["link"] else code


def _pair(token: re.Match[str], pieces: list[str], opened: dict[str, int]) -> None:
    """Drop a run of marks and the one that it closes; else remember it, should it open one."""
    mark, text = token["mark"], token.string
    before, after = text[token.start() - 1 : token.start()], text[token.end() : token.end() + 1]
    word = mark[0] == "_"
    if before.strip() and mark in opened and not (word and in_word(after)):
        pieces[opened.pop(mark)] = pieces[-1] = ""
    elif after.strip() and not (word and in_word(before)):
        opened[mark] = len(pieces) - 1


@lru_cache(maxsize=1 << 12)
def slug(heading: str) -> str:
    """Lower case, spaces as hyphens, punctuation dropped, letters of every script kept; NFC."""
    if heading.isascii():
        return _LEFT_OUT.sub("", heading.strip()).lower().replace(" ", "-") or _UNNAMED
    letters = "".join(character for character in heading.strip() if character in " -_" or in_word(character))
    lowered = unicodedata.normalize("NFC", letters).lower()
    return unicodedata.normalize("NFC", lowered).replace(" ", "-") or _UNNAMED


@lru_cache(maxsize=1 << 12)
def in_word(character: str) -> bool:
    """Whether a character is a letter, a digit or a mark, in Unicode 14 whatever Python runs; no for ""."""
    if character.isascii():
        return character.isalnum()
    return bool(bisect_right(EDGES, ord(character)) % 2)


class Slugs:
    """The slugs of one file; a repeated one gets -1, -2 and so on."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def take(self, base: str) -> str:
        """`base`, or `base` with the first number that makes it new."""
        new = base
        while new in self._next:
            new = f"{base}-{self._next[base]}"
            self._next[base] += 1
        self._next[new] = 1
        return new
