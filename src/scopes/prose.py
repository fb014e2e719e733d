"""The sentences in which people say what a thing is: leads of documents, first sentences of comments."""

from __future__ import annotations

import re

from ..builder.sources.front_matter import front_matter
from ..builder.splitting import kind_of, title
from ..builder.splitting.headings import plain

LONGEST_LINE = 160
"""Most characters of a purpose."""

LONGEST_SUMMARY = 320
"""Most characters of a summary."""

_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(
    r"""(?<=[.!?\u3002\uff01\uff1f\u0964])["')\]]*(?:\s+(?=["'(`\[*_]*[A-Z0-9\u00c0-\uffff])|(?<=[\u3002\uff01\uff1f\u0964])|\Z)"""
)
_NO_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|fig|al|inc|ltd|dr|mr|ms|st)|\b[A-Za-z])\.\Z", re.I
)
_CLAUSE = re.compile(r"[,;:–—(]\s|\s[-–—]\s")
_ADDRESS = re.compile(r"\b\w+://\S+")
_FEWEST_WORDS = 4
_WORDS = re.compile(r"\w{2,}")
_NOT_PROSE = re.compile(
    r"""\s*(?:\#|!\[|\[!|\[\]|\||>|```|~~~|[-*+]\s|\d+[.)]\s|---|===|\.\.(?:\s|\Z)|:[\w-]+:|\[[^\]]+\]:|\{[%{]|@|//|/\*|\+[-=]+\+)""",
    re.VERBOSE,
)
_BADGE = re.compile(
    r"\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?|<!--.*?-->|<(style|script)\b.*?</\1>", re.DOTALL
)
_TAG = re.compile(r"</?[A-Za-z][^>]*>")
_TITLE_LINE = re.compile(r"^Title:[ \t]*(\S.*)$", re.MULTILINE | re.IGNORECASE)
_RULER = re.compile(r"([=\-~^*+#\"'`_])\1{2,}\s*\Z")


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return _SPACE.sub(" ", text).strip()


def sentences(text: str, *, most: int, longest: int) -> str:
    """The first `most` sentences of a text on one line, fewer where `longest` characters do not hold them."""
    text = one_line(text)
    end = 0
    taken = 0
    for match in _SENTENCE_END.finditer(text):
        if _NO_END.search(text[: match.start()]) and match.end() < len(text):
            continue
        if taken and match.start() > longest:
            break
        end, taken = match.end(), taken + 1
        if taken == most:
            break
    chosen = text[:end].strip() if taken else text
    return chosen if len(chosen) <= longest else _shortened(chosen, longest)


def first_sentence(text: str, *, longest: int = LONGEST_LINE) -> str:
    """The first sentence as a purpose: one line, without its full stop."""
    sentence = sentences(text, most=1, longest=longest)
    return sentence[:-1] if sentence.endswith(".") and not sentence.endswith("..") else sentence


def _shortened(text: str, longest: int) -> str:
    """A text cut at the end of a clause if there is one late enough, else at a word, with an ellipsis."""
    head = text[: longest - 1]
    cuts = [match.start() for match in _CLAUSE.finditer(head) if match.start() > longest // 2]
    cut = cuts[-1] if cuts else head.rfind(" ")
    return head[: cut if cut > 0 else len(head)].rstrip(" ,;:–—(-") + "…"


def heading(name: str, text: str) -> str:
    """The title of a document: its front matter's, else its first heading; "" if it has none."""
    meta = front_matter(text)
    named = meta.metadata.get("title") or meta.metadata.get("Title")
    if not named and (match := _TITLE_LINE.search(text[:2000])) and kind_of(name) in ("rst", "text"):
        named = match[1]
    if named:
        return one_line(named)
    kind = kind_of(name)
    return "" if kind == "text" else one_line(title(text, kind=kind, id="", body_start=meta.end))


def lead(name: str, text: str) -> str:
    """The first paragraph of prose of a document as plain text; "" if it has none near its start."""
    meta = front_matter(text)
    described = meta.metadata.get("description") or meta.metadata.get("summary") or ""
    if len(_WORDS.findall(described)) >= _FEWEST_WORDS:
        return one_line(described)
    kind = kind_of(name)
    for paragraph in _paragraphs(_BADGE.sub("", text[meta.end :][:20_000]), kind)[:12]:
        said = one_line(plain(_TAG.sub("", paragraph), kind))
        words = len(_WORDS.findall(_ADDRESS.sub("", said)))
        if words >= _FEWEST_WORDS and said[-1:] not in ":|":
            return said
    return ""


def _paragraphs(text: str, kind: str) -> list[str]:
    """The paragraphs of a document that are prose: no headings, lists, tables, code, directives."""
    found: list[str] = []
    fenced = False
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        fences = len(re.findall(r"^\s*(?:```|~~~)", block, re.MULTILINE))
        inside, fenced = fenced or fences > 0, fenced ^ (fences % 2 == 1)
        lines = block.strip("\n").split("\n")
        if kind == "markdown" and lines[0].startswith("#"):
            lines = lines[1:]
        if inside or not lines or _NOT_PROSE.match(lines[0]) or lines[0].startswith(("    ", "\t")):
            continue
        if kind == "rst" and lines[0].startswith(" "):
            continue
        if any(_RULER.match(line) for line in lines[:3]):
            continue
        found.append("\n".join(lines))
    return found
