"""Org: headings by their stars, the title, drawers and blocks."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.formats import scan
from ctxcache.builder.splitting.headings import plain
from ctxcache.builder.splitting.sections import Section, split, title
from ctxcache.text import TokenCounter

CHARACTERS = TokenCounter(len, "")


def _headings(text: str) -> list[tuple[int, str]]:
    breaks = scan(text, "org", 0)
    return [(breaks.levels[number], heading) for number, heading in breaks.headings.items()]


def _split(text: str, limit: int) -> list[Section]:
    sections = split(text, kind="org", max_tokens=limit, counter=CHARACTERS)
    assert "".join(section.text for section in sections) == text
    return sections


def test_stars_are_levels_below_the_title() -> None:
    text = "#+title: Notes\n\n* One\n\ntext\n\n** Two\n\n*bold* is no heading\n\n *** nor is this\n"
    assert _headings(text) == [(1, "Notes"), (2, "One"), (3, "Two")]
    assert title(text, kind="org", id="a.org") == "Notes"


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("* TODO [#A] Ship it :work:urgent:", "Ship it"),
        ("* DONE Shipped [2/3]", "Shipped"),
        ("* COMMENT Draft", "Draft"),
        ("* WAIT For Ann", "For Ann"),
        ("* WAITING For Ann", "WAITING For Ann"),
        ("* Todo lists", "Todo lists"),
        ("* A ratio of 1:2:3", "A ratio of 1:2:3"),
        ("* Half done [50%]", "Half done"),
    ],
)
def test_a_heading_is_its_text_alone(line: str, heading: str) -> None:
    """Keywords of tasks may be declared in the file."""
    assert _headings(f"#+TODO: WAIT(w) | GONE\n{line}\n")[-1][1] == heading


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See [[https://a.example][the page]]", "See the page"),
        ("[[file:a.org]]", "file:a.org"),
        ("Use =make= and ~ctx~", "Use make and ctx"),
        ("*Bold* /italic/ and _under_", "Bold italic and under"),
        ("a/b and 2*3*4", "a/b and 2*3*4"),
        ("snake_case_name", "snake_case_name"),
    ],
)
def test_marks_and_links_are_not_shown(written: str, shown: str) -> None:
    assert plain(written, "org") == shown


@pytest.mark.parametrize("kind", ["src sh", "example", "quote", "SRC python"])
def test_a_block_holds_no_heading_and_no_break(kind: str) -> None:
    text = f"* One\n\n#+begin_{kind}\n* no heading\n\n# comment\n#+end_{kind.split()[0]}\n\n* Two\n\ntext\n"
    assert [heading for _, heading in _headings(text)] == ["One", "Two"]
    assert len(_split(text, 40)) == 2


def test_a_block_that_is_never_closed_hides_nothing() -> None:
    text = "* One\n\n#+begin_src sh\n#+end_example\n\n* Two\n"
    assert [heading for _, heading in _headings(text)] == ["One", "Two"]


def test_a_drawer_goes_with_its_heading() -> None:
    text = "* One\n:PROPERTIES:\n:ID: 1\n:END:\nwords\n\n* Two\n:LOGBOOK:\n* Three\nwords\n"
    assert [heading for _, heading in _headings(text)] == ["One", "Two", "Three"]
    assert _split(text, 45)[0].text == text[: text.index("* Two")]


def test_a_section_stands_under_its_headings() -> None:
    sections = _split("#+TITLE: N\n\n* A\n\n" + "words " * 10 + "\n\n** B\n\n" + "words " * 10 + "\n", 70)
    assert [section.heading_path for section in sections] == [("N",), ("N", "A", "B")]
