"""What an author is told of a text: includes that are no part of it, and embedded data."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.findings import findings


@pytest.mark.parametrize(
    ("kind", "line", "file"),
    [
        ("markdown", "{{#include ../a.rs}}", "../a.rs"),
        ("markdown", "{{#rustdoc_include a.rs:here}}", "a.rs:here"),
        ("markdown", "{{#playground a.rs editable}}", "a.rs editable"),
        ("markdown", '--8<-- "a.md"', "a.md"),
        ("markdown", "    -8<- 'a.md'", "a.md"),
        ("markdown", "{* ../a.py hl[2] *}", "../a.py hl[2]"),
        ("markdown", "{!> ../a.py!}", "../a.py"),
        ("markdown", "[!INCLUDE [a](a.md)]", "a.md"),
        ("markdown", "[!code-csharp[](a.cs#x)]", "a.cs#x"),
        ("markdown", "```{literalinclude} a.py", "a.py"),
        ("markdown", "![[Note]]", "Note"),
        ("markdown", "> see ![[v1.2 notes#Part|the part]]", "v1.2 notes#Part"),
        ("markdown", "~~~\n```\n~~~\n`![[code]]` ![[a.md#^b]]", "a.md#^b"),
        ("mdx", "{{#include a}}", "a"),
        ("rst", ".. include:: a.rst", "a.rst"),
        ("rst", "   .. literalinclude:: ../a.py", "../a.py"),
        ("asciidoc", "include::a.adoc[lines=1..2]", "a.adoc"),
        ("org", '#+INCLUDE: "a b.org" src', "a b.org"),
    ],
)
def test_an_include_is_named_with_its_line(kind: str, line: str, file: str) -> None:
    assert findings(f"# A\n\n{line}\n", kind) == [("include", 3 + line.count("\n"), file)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("markdown", "\\{{#include a}}\n"),
        ("markdown", "include::a[]\n"),
        ("markdown", "![[a.png]] ![[b.pdf#page=3]] ![[c.jpg\\|100]] [[link]]\n"),
        ("markdown", "````md\n```\n![[fenced]]\n````\n`![[code]]`\n"),
        ("markdown", "{* *}\n{!!}\n"),
        ("rst", ".. included:: a\n"),
        ("asciidoc", "\\include::a[]\n"),
        ("text", ".. include:: a\n{{#include a}}\n"),
    ],
)
def test_what_includes_nothing_is_not_told(kind: str, text: str) -> None:
    assert findings(text, kind) == []


def test_long_embedded_data_is_told() -> None:
    text = f"a\n\n![x](data:image/png;base64,{'A' * 1000})\n![y](data:image/gif;base64,{'A' * 20})\n"
    assert findings(text, "markdown") == [("data URI", 3, "data:image/png;base64, 1,022 characters")]


def test_findings_stand_in_the_order_of_the_text() -> None:
    text = f"{{{{#include a}}}}\ndata:a/b,{'A' * 500}\n{{{{#include b}}}}\n"
    assert [(found.kind, found.line) for found in findings(text, "markdown")] == [
        ("include", 1), ("data URI", 2), ("include", 3),
    ]  # fmt: skip
