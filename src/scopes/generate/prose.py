"""Finding descriptions in texts: the lead of a document, the first comment of a file, first sentences."""

from __future__ import annotations

import re

from ...builder.sources.front_matter import front_matter
from ...builder.splitting.formats import kind_of
from ...builder.splitting.headings import plain
from ...builder.splitting.sections import title

LONGEST_LINE = 160
"""The most characters of a purpose."""

LONGEST_SUMMARY = 320
"""The most characters of a summary."""

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
_ABOVE_ASCIIDOC = re.compile(
    r"[=#]{1,6}\s|:!?\w[^:]*:|\[[\[.#].*\]$|//|\.[^.\s]|[\w-]+::[^\s\[]*\[.*\]$|<<<$", re.ASCII
)
"""A line of AsciiDoc that may stand above prose: a title, an attribute, an anchor, a comment, a directive."""
_NOT_PROSE_IN_ASCIIDOC = re.compile(r"\[|\*+\s|\.+\s|([-.+*_=|])\1+$|\+$|image:|toc::|.*(?:::|;;)(?:\s|$)")
"""Begins a block of a style, an item, a delimited block, a picture or an entry of a labeled list."""
_RULER = re.compile(r"([=\-~^*+#\"'`_])\1{2,}\s*\Z")


def one_line(text: str) -> str:
    """The text with white space collapsed to single spaces."""
    return _SPACE.sub(" ", text).strip()


def sentences(text: str, *, most: int, longest: int) -> str:
    """The first `most` sentences of a text on one line, or fewer, in at most `longest` characters."""
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
    """A text cut at the end of a clause in its second half, else at a word, with an ellipsis."""
    head = text[: longest - 1]
    cuts = [match.start() for match in _CLAUSE.finditer(head) if match.start() > longest // 2]
    cut = cuts[-1] if cuts else head.rfind(" ")
    return head[: cut if cut > 0 else len(head)].rstrip(" ,;:–—(-") + "…"


def heading(name: str, text: str) -> str:
    """The title of a document: its front matter's, else its first heading; "" if it has none."""
    meta = front_matter(text)
    named = meta.title
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
        line = one_line(plain(_TAG.sub("", paragraph), kind))
        words = len(_WORDS.findall(_ADDRESS.sub("", line)))
        if words >= _FEWEST_WORDS and line[-1:] not in ":|":
            return line
    return ""


def _paragraphs(text: str, kind: str) -> list[str]:
    """The paragraphs of a document that are prose: no headings, lists, tables, code, directives."""
    paragraphs: list[str] = []
    fenced = False
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        fences = len(re.findall(r"^\s*(?:```|~~~)", block, re.MULTILINE))
        inside, fenced = fenced or fences > 0, fenced ^ (fences % 2 == 1)
        lines = block.strip("\n").split("\n")
        if kind == "markdown" and lines[0].startswith("#"):
            lines = lines[1:]
        if kind == "asciidoc":
            lines = _asciidoc_prose(lines)
        if inside or not lines or _NOT_PROSE.match(lines[0]) or lines[0].startswith(("    ", "\t")):
            continue
        if kind == "rst" and lines[0].startswith(" "):
            continue
        if any(_RULER.match(line) for line in lines[:3]):
            continue
        paragraphs.append("\n".join(lines))
    return paragraphs


def _asciidoc_prose(lines: list[str]) -> list[str]:
    """The lines of a paragraph of AsciiDoc, without what stands above it; none if it is no prose."""
    first = 0
    while first < len(lines):
        line, below = lines[first], lines[first + 1] if first + 1 < len(lines) else ""
        if _RULER.match(below) and abs(len(line) - len(below.rstrip())) < 2:
            first += 2
        elif _ABOVE_ASCIIDOC.match(line):
            first += 1
        else:
            return [] if _NOT_PROSE_IN_ASCIIDOC.match(line) else lines[first:]
    return []


_LINE_MARKS = {
    "#": ".awk .bash .cmake .cfg .ex .exs .fish .gd .gql .graphql .hcl .ini .jl .nim .nix .pl .pm .ps1 "
    ".psm1 .py .pyi .pyx .r .rb .sh .tcl .tf .toml .yaml .yml .zsh",
    "//": ".astro .c .cc .cjs .cpp .cs .cts .cu .cxx .d .dart .fs .go .gradle .groovy .h .hh .hpp .hxx "
    ".java .js .jsx .kt .kts .less .m .mjs .mm .mts .php .proto .rs .sass .scala .scss .sol .sv .swift "
    ".ts .tsx .v .zig",
    "--": ".adb .ads .elm .hs .lua .sql .vhd .vhdl",
    ";": ".asm .clj .cljs .lisp .rkt .s .scm",
    "%": ".erl .tex",
}
_MARK = {suffix: mark for mark, suffixes in _LINE_MARKS.items() for suffix in suffixes.split()}
_BLOCK = re.compile(r"/\*+!?(.*?)\*+/", re.DOTALL)
_BLOCK_SUFFIXES = frozenset(_LINE_MARKS["//"].split()) | {".css", ".sql", ".tcss"}
_FEWEST_COMMENT_WORDS = 4
_SCRIPTS = frozenset([".bash", ".fish", ".pl", ".ps1", ".psm1", ".py", ".pyi", ".r", ".rb", ".sh", ".zsh"])
"""The suffixes of languages in which the first comment is about the file even if code follows directly."""
_STARS = re.compile(r"^[ \t]*\*+[ \t]?", re.MULTILINE)
_SKIPPED = re.compile(
    r"(?:#!.*\n|\s+|['\"]use (?:strict|client|server)['\"];?|<\?php|package [\w.]+;|@charset[^\n]*)+"
)
_NOT_SAID = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|eslint|prettier|pylint|noqa|@flow|@ts-|@jsx|vim:|-\*-|"
    r"coding[:=]|generated|do not edit|shellcheck|clang-format|region|^[-=*#~/ ]*$",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"@(?:file(?:overview)?|module|packageDocumentation)\b")
_DOC_TAG = re.compile(
    r"(?:@(?:file(?:overview)?|module|packageDocumentation|brief|summary|description)|\\brief)\b[ \t]*"
)
_OPENING = re.compile(
    r"import|from|package|use |using|require|const .*require\(|export \*|#|mod |namespace|@|//|/\*|\"use"
)
_OTHER_TAG = re.compile(r"^[ \t]*@\w+.*\Z", re.MULTILINE | re.DOTALL)


def leading_comment(suffix: str, text: str) -> str:
    """The first comment before any code that is about the whole file; "" if there is none.

    A licence, an instruction to a tool, a ruler or a label is not, nor is a comment directly above a
    declaration.
    """
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        skipped = _SKIPPED.match(text, at)
        at = skipped.end() if skipped else at
        comment, end = _comment_at(suffix, text, at)
        if end == at:
            return ""
        at = end
        first = re.split(r"\n[ \t]*\n", comment)[0]
        prose = _OTHER_TAG.sub("", _DOC_TAG.sub("", first)).strip(" \n\t-=*#~/")
        is_prose = len(prose.split()) >= _FEWEST_COMMENT_WORDS and not _NOT_SAID.search(first)
        if is_prose and (_TAGGED.search(comment) or not _explains_code(suffix, text, at)):
            return prose


def _explains_code(suffix: str, text: str, at: int) -> bool:
    """Whether a comment that ends at the offset `at` stands directly above a declaration."""
    if suffix in _SCRIPTS:
        return False
    rest = text[at:] if text[at - 1] == "\n" else text[at:].lstrip(" \t\r").removeprefix("\n")
    line = rest.split("\n", 1)[0].strip()
    return bool(line) and not _OPENING.match(line)


def _comment_at(suffix: str, text: str, at: int) -> tuple[str, int]:
    """The comment at the offset `at` without its marks, and its end; ("", at) if there is none."""
    if suffix in _BLOCK_SUFFIXES and (block := _BLOCK.match(text, at)):
        return _STARS.sub("", block[1]).strip(), block.end()
    mark = _MARK.get(suffix)
    if mark is None:
        return "", at
    run = re.compile(rf"(?:[ \t]*{re.escape(mark)}[^\n]*(?:\n|\Z))+").match(text, at)
    if run is None:
        return "", at
    lines = [line.strip().lstrip(mark + "!").strip() for line in run[0].splitlines()]
    return "\n".join(lines).strip(), run.end()
