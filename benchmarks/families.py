"""Hostile texts in families: whether the time of every parser grows with the text and no faster.

A family is some lines, written again and again. `python -m benchmarks.families` times each at one size and
at four times that size; `--check` fails where the larger one takes more than eight times as long.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from ctxcache import open_cache, tomlio, yamlio
from ctxcache.builder.sources.front_matter import front_matter
from ctxcache.builder.sources.gitignore import PatternList
from ctxcache.builder.splitting.findings import findings
from ctxcache.builder.splitting.sections import split
from ctxcache.errors import CtxError
from ctxcache.patterns import parse
from ctxcache.server.install import jsonc
from ctxcache.text import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SLACK = 0.02  # seconds that a measurement may be wrong by
_TIMES = 4
_MOST = 8
_PADDED = ("a" + " " * 40, " " * 40, "", "é", "a:", "a b", "\ta", "    a")
_FRAGMENTS = {
    "markdown": (
        *(
            "  a",
            "- a",
            "-      a",
            "    - a",
            "\t- a",
            "      - a",
            "1. a",
            "12) a",
            "- - - a",
            "> a",
            "> > a",
        ),
        *(
            ">",
            "# a",
            "###### a #",
            "a\n===",
            "a\n---",
            "===",
            "***",
            "- ```",
            "- ~~~",
            "```",
            "~~~",
            "    ```",
        ),
        *(
            "```x",
            "<div>",
            "<!-- a",
            "-->",
            "<!-- a -->",
            '<a id="x"></a>',
            "<pre>",
            "</pre>",
            "<x y=z>",
            "<?",
        ),
        *(
            "<![CDATA[",
            "| a | b |",
            "|---|---|",
            "*a*",
            "`a",
            "![a](b)",
            "[a]: b",
            "-",
            "- ",
            "1.",
            "+",
            "  - <div>",
        ),
        *(
            "- <!--",
            "{/* a",
            "*/}",
            "export const x = `",
            "`;",
            "\x0c",
            "\x0b a",
            "\xa0a",
            "- # a",
            "<h1>",
            "</h1>",
        ),
        *("<h2>a</h2>", "![a](data:image/png;base64,AAAA)", "{{#include a}}", "# [a](b `c` *d* <e> \\f"),
    ),
    "rst": (
        *(
            "a\n===",
            "===\na\n===",
            "a\n---",
            "- a",
            "#. a",
            "a::",
            "::",
            ".. code-block:: x",
            "   a",
            ".. _a:",
        ),
        *(
            ".. index:: a",
            "=== ===",
            "=== ===\na b\n=== ===",
            "+--+--+",
            "| a",
            ">>> a",
            ".. a",
            "..",
            "*",
            "===",
        ),
        *("----", "^^^^", "a\n=", ".. include:: a", ".. raw:: html", "``a", "- a::", ":a: b", ":r:`a", "|a|"),
    ),
    "asciidoc": (
        *(
            "= a",
            "== a",
            "a\n--",
            "----",
            "....",
            "====",
            "|===",
            "--",
            "++++",
            "////",
            "****",
            "____",
            "[a]",
        ),
        *(
            "[[a]]",
            ".a",
            "* a",
            "** a",
            "+",
            " a",
            "a::",
            "```",
            "```x",
            ":a: b",
            "include::a[]",
            "// a",
            "'''",
        ),
        *("<<<", "|a |b", "a +", "= link:a[b", "= <<a", ",===", "!==="),
    ),
    "org": (
        *("* a", "** TODO a :b:", "*", "#+TITLE: a", "#+begin_src x", "#+end_src", "#+begin_example"),
        *(":PROPERTIES:", ":END:", ":a: b", "- a", "  - a", "| a | b |", "# a", ": a", "#+a:", "-----"),
        *("* [[a][b]] =c= /d/", "* [[a"),
    ),
    "text": ("a", "  a", "\x0c", "- a", "Q: a", "a. b"),
}
_FRONT = (
    *(
        "a: b",
        "a:",
        "- a",
        "  - a",
        "a: [",
        "a: {",
        "]",
        "}",
        'a: "',
        "a: '",
        "a: |",
        "a: >",
        "  b: c",
        "&a b",
    ),
    *(
        "a: &b",
        "a: *b",
        "? a",
        ": b",
        "# a",
        "a = 1",
        "[a]",
        "[[a]]",
        'a = """',
        "title: a: b",
        "!!a b",
        "%a",
        "@",
    ),
)
_PATTERNS = (
    *(
        "a",
        "*.md",
        "**/a",
        "a/**",
        "a/**/b",
        "a**b",
        "[a-z]*",
        "!a",
        "/a",
        "a/",
        "*a*a*a*b",
        "[",
        "[[:alpha:]]",
    ),
    *("\\ ", "a" * 60, "?" * 40, "**/a/" * 8, "*/" * 20, "#a", "[!a]" * 20),
)
_PATHS = (b"a/" * 50 + b"b", b"a" * 200, b"x/a.md", b"aaab")


_JSON = ("{", "}", "[", "]", ",", '"a": 1,', '"a', '"', "// a", "/* a", "*/", "1", "-", "\\", "[1,", '{"a":')
_QUERIES = (
    "a",
    "roll back",
    "zzq",
    "aB",
    "a_b",
    "a.b",
    "also: a",
    "--a",
    "'",
    "é",
    "日本",
    "/usr/lib/a",
    "0x7f",
    "C++",
)
_CACHE = Path(__file__).parents[1] / "sample_caches" / "handbook"


class Kind(NamedTuple):
    """One sort of text and what reads it."""

    fragments: tuple[str, ...]
    read: Callable[[str], object]


def kinds() -> dict[str, Kind]:
    """The sorts of text by name."""
    texts = {name: Kind((*_PADDED, *own), _splitter(name)) for name, own in _FRAGMENTS.items()}
    mdx = (
        "export const x = `",
        "`;",
        "{",
        "}",
        "} x",
        "{a}",
        "import a",
        "${",
        '"',
        "'",
        "/*",
        "*/",
        "(",
        "\\",
    )
    asciidoc = _splitter("asciidoc")
    return texts | {
        "line above a title": Kind(
            ("[", "[a", ":a", "a::", "a", "]"),
            lambda text: asciidoc("a::" + text.replace("\n", "") + "\n= Title\n\ntext\n"),
        ),
        "mdx": Kind((*_PADDED, *mdx, *_FRAGMENTS["markdown"][:12]), _splitter("mdx")),
        "findings": Kind((*_PADDED, *_FRAGMENTS["markdown"]), lambda text: findings(text, "markdown")),
        "front matter": Kind((*_PADDED, *_FRONT), lambda text: front_matter(f"---\n{text}---\n")),
        "front matter (TOML)": Kind((*_PADDED, *_FRONT), lambda text: front_matter(f"+++\n{text}+++\n")),
        "ignore file": Kind(_PATTERNS, _ignored),
        "YAML": Kind((*_PADDED, *_FRONT), _or_refused(yamlio.load)),
        "TOML": Kind(
            (*_PADDED, *_FRONT), _or_refused(lambda text: [tomlio.parse(text), *tomlio.statements(text)])
        ),
        "JSON with comments": Kind(_JSON, _or_refused(jsonc.read)),
        "query": Kind(_QUERIES, _or_refused(open_cache(_CACHE).resolve)),
    }


def families(fragments: tuple[str, ...], count: int) -> Iterator[tuple[str, ...]]:
    """Each fragment alone and with a blank line, then `count` mixtures, always the same."""
    yield from ((one,) for one in fragments)
    yield from ((one, "") for one in fragments)
    chance = random.Random(20)
    for _ in range(count):
        yield tuple(chance.choice(fragments) for _ in range(chance.randint(2, 4)))


def _splitter(kind: str) -> Callable[[str], object]:
    counter = TokenCounter(lambda text: len(text) // 4, "")
    return lambda text: split(text, kind=kind, max_tokens=300, counter=counter)


def _or_refused(read: Callable[[str], object]) -> Callable[[str], None]:
    """A reader that may refuse, which takes time as well."""

    def attempt(text: str) -> None:
        with contextlib.suppress(ValueError, yamlio.YamlError, CtxError):
            read(text)

    return attempt


def _ignored(text: str) -> object:
    lines = enumerate(text.encode().split(b"\n"))
    patterns = PatternList((str(number), one) for number, line in lines if (one := parse(line, number)))
    return [patterns.match(path, path.rpartition(b"/")[2], is_dir=False) for path in _PATHS]


def _seconds(kind: Kind, family: tuple[str, ...], size: int, runs: int) -> float:
    """The CPU time of the quickest run."""
    unit = "\n".join(family) + "\n"
    text = unit * (size // len(unit) + 1)
    seconds = []
    for number in range(runs):
        changed = f"{text}{number}\n"  # nothing is remembered from the run before
        start = process_time()
        kind.read(changed)
        seconds.append(process_time() - start)
    return min(seconds)


def grows_faster(kind: Kind, family: tuple[str, ...], size: int) -> bool:
    """Whether four times the text takes more than eight times as long; looked at again before it is said."""
    return all(
        _seconds(kind, family, size * _TIMES, runs) > _MOST * _seconds(kind, family, size, 3) + _SLACK
        for runs in (1, 3)
    )


def main() -> int:
    """Time every family; 1 if the time of one grows faster than its text."""
    parser = argparse.ArgumentParser(prog="benchmarks.families", description=__doc__)
    parser.add_argument("--size", type=int, default=250_000, help="characters of the smaller text")
    parser.add_argument("--mixtures", type=int, default=200, help="families a kind, beside those of one line")
    parser.add_argument("--check", action="store_true", help="compare the two sizes and nothing else")
    options = parser.parse_args()
    faults = 0
    for name, kind in kinds().items():
        chosen = list(families(kind.fragments, options.mixtures))
        slow = [family for family in chosen if grows_faster(kind, family, options.size)]
        faults += len(slow)
        print(f"{name}: {len(chosen)} families, {len(slow)} grow faster than their text", *slow, sep="\n  ")
        if not options.check:
            size = options.size * _TIMES
            worst = max((_seconds(kind, family, size, 1) / size * 1e6, family) for family in chosen)
            print(f"  slowest: {worst[0]:.2f} s a million characters, {worst[1]!r}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
