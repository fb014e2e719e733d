"""The comment at the start of a source file, in whatever language, when it says what the file is for."""

from __future__ import annotations

import re

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
_FEWEST_WORDS = 4
_SCRIPTS = frozenset([".bash", ".fish", ".pl", ".ps1", ".psm1", ".py", ".pyi", ".r", ".rb", ".sh", ".zsh"])
"""Languages whose files begin with a comment and go straight on."""
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
    """The first comment before any code that speaks of the whole file; "" if there is none.

    A licence, an instruction to a tool, a ruler or a label does not, nor does what stands
    directly above code that needs a comment of its own.
    """
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        skipped = _SKIPPED.match(text, at)
        at = skipped.end() if skipped else at
        said, end = _comment_at(suffix, text, at)
        if end == at:
            return ""
        at = end
        first = re.split(r"\n[ \t]*\n", said)[0]
        told = _OTHER_TAG.sub("", _DOC_TAG.sub("", first)).strip(" \n\t-=*#~/")
        is_prose = len(told.split()) >= _FEWEST_WORDS and not _NOT_SAID.search(first)
        if is_prose and (_TAGGED.search(said) or not _explains_code(suffix, text, at)):
            return told


def _explains_code(suffix: str, text: str, at: int) -> bool:
    """Whether a comment that ends at `at` stands directly above a declaration."""
    if suffix in _SCRIPTS:
        return False
    rest = text[at:] if text[at - 1] == "\n" else text[at:].lstrip(" \t\r").removeprefix("\n")
    line = rest.split("\n", 1)[0].strip()
    return bool(line) and not _OPENING.match(line)


def _comment_at(suffix: str, text: str, at: int) -> tuple[str, int]:
    """The comment that starts at `at`, without its marks, and where it ends; ("", at) if there is none."""
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
