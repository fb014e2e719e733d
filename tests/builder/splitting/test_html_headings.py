"""`<h1>` to `<h6>` in Markdown are headings, as a README that is centred has them."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.formats import scan
from ctxcache.builder.splitting.sections import split, title
from ctxcache.text import TokenCounter

CHARACTERS = TokenCounter(len, "")


def _headings(text: str) -> list[tuple[int, int, str]]:
    breaks = scan(text, "markdown", 0)
    return [
        (text.count("\n", 0, breaks.starts[number]) + 1, breaks.levels[number], heading)
        for number, heading in breaks.headings.items()
    ]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("<h1>Name</h1>\n\ntext\n", (1, 1, "Name")),
        ('<h2 id="a" align=center>Name</h2>\n', (1, 2, "Name")),
        ('<h1 align="center">\n  Name\n</h1>\n\ntext\n', (1, 1, "Name")),
        ("<H6>Name</H6 >\n", (1, 6, "Name")),
        ("words\n<h2>Name</h2>\n", (2, 2, "Name")),
        ("   <h3>Name</h3>\n", (1, 3, "Name")),
        ('<div align="center">\n  <img src="a.png">\n  <h1>Name</h1>\n</div>\n', (1, 1, "Name")),
        ("<div>\nwords\n<h1>Name</h1>\n</div>\n", (3, 1, "Name")),
        ('<h1><img src="a.png" alt="Name"></h1>\n', (1, 1, "Name")),
        ("<h1><a href='#'>Name</a> <small>2</small></h1>\n", (1, 1, "Name 2")),
    ],
)
def test_a_heading_in_html(text: str, heading: tuple[int, int, str]) -> None:
    """It begins with its block when nothing but tags stands before it there, else with its line."""
    ((line, level, _),) = _headings(text)
    assert (line, level, title(text, kind="markdown", id="a.md")) == heading


@pytest.mark.parametrize(
    "text",
    [
        "<!--\n<h1>Name</h1>\n-->\n",
        "<pre>\n<h1>Name</h1>\n</pre>\n",
        "```\n<h1>Name</h1>\n```\n",
        "    <h1>Name</h1>\n",
        "- <h1>Name</h1>\n",
        "words <h1>Name</h1>\n",
        "`<h1>Name</h1>`\n",
        "<div>\nwords <h1>Name</h1>\n</div>\n",
        "<h1>Name\n\nwords</h1>\n",
        "<h1>Name</h2>\n",
        "<hr>Name</hr>\n",
    ],
)
def test_no_heading(text: str) -> None:
    """In code, in comments, in lists and in the middle of a line it is none."""
    assert _headings(text) == []


def test_sections_are_cut_at_them() -> None:
    text = (
        "<h1>Name</h1>\n\n"
        + "words " * 9
        + "\n\n<h2>Install</h2>\n\n"
        + "words " * 9
        + "\n\n## Use\n\nwords\n"
    )
    sections = split(text, kind="markdown", max_tokens=80, counter=CHARACTERS)
    assert [section.slug for section in sections] == ["name", "install", "use"]
    assert sections[1].heading_path == ("Name", "Install")
    assert "".join(section.text for section in sections) == text
