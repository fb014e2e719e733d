"""What counts as a sentence, a title and a lead."""

from __future__ import annotations

import pytest

from ctxcache.scopes.generate.prose import first_sentence, heading, lead, sentences


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Moors ships. Then waits.", "Moors ships"),
        ("Moors ships, e.g. tugs. Then waits.", "Moors ships, e.g. tugs"),
        ("See v1.2.3 of the chart. Old.", "See v1.2.3 of the chart"),
        ("Is it high? It is.", "Is it high?"),
        ("One line\nand another. Next.", "One line and another"),
        ("No full stop", "No full stop"),
        ("Waits... And sails.", "Waits..."),
        ("船を係留する。次の文。", "船を係留する。"),
        ("", ""),
    ],
)
def test_the_first_sentence_is_found(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_a_long_sentence_is_cut_at_a_clause() -> None:
    text = (
        "Keeps the berths of the harbour, and of every other one along the coast up to the border, in order"
    )
    assert first_sentence(text, longest=60) == "Keeps the berths of the harbour…"
    assert len(first_sentence("word " * 100)) <= 160


def test_sentences_are_taken_while_they_fit() -> None:
    text = "Short one. A second that is a little longer. Third."
    assert sentences(text, most=2, longest=100) == "Short one. A second that is a little longer."
    assert sentences(text, most=2, longest=20) == "Short one."


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.md", "# Port\n\nBerths for ships and boats.\n", "Berths for ships and boats."),
        (
            "a.md",
            "---\ndescription: All that floats is here\n---\nOther text stands here.\n",
            "All that floats is here",
        ),
        (
            "a.md",
            "[![ci](x)](y) ![z](w)\n\n> quoted words stand here\n\nReal words stand here.",
            "Real words stand here.",
        ),
        ("a.md", "<p align=center>\n<em>A port for small boats</em>\n</p>\n", "A port for small boats"),
        ("a.md", "<style>\n.a { color: red; }\n</style>\n\nA port for small boats", "A port for small boats"),
        (
            "a.md",
            "```sh\nnot this one here\n\nnor this one here\n```\n\nBut this one here.",
            "But this one here.",
        ),
        (
            "a.md",
            "* a list of many words\n\n| a | table of words |\n\nA `code` and **bold** [link](x).",
            "A code and bold link.",
        ),
        ("a.md", "Docs: https://example.org/a/b/c/d\n\nA port for small boats.", "A port for small boats."),
        ("a.md", "Here is what it does:\n\n- this\n\nIt moors ships all day.", "It moors ships all day."),
        ("a.md", "# Port\nBerths right below the title.\n", "Berths right below the title."),
        (
            "a.rst",
            "Port\n====\n\n.. note::\n   Not this one here.\n\nBerths for :class:`Ship` objects.",
            "Berths for Ship objects.",
        ),
        ("a.md", "# Only a title\n", ""),
        ("a.adoc", "= A title of five words\n\nBerths for all ships.", "Berths for all ships."),
        ("a.adoc", "NAME\n----\nport - Moor ships of any size\n", "port - Moor ships of any size"),
        (
            "a.adoc",
            "[cols=2,3]\n|===\n|A lot of words\n|===\n\ninclude::a/lot/of/it.adoc[]\n\nBerths for all ships.",
            "Berths for all ships.",
        ),
        (
            "a.adoc",
            "-a::\n\tShips of any size.\n\n[[id]]\nBerths for all ships.",
            "Berths for all ships.",
        ),
    ],
)
def test_the_lead_is_the_first_paragraph_of_prose(name: str, text: str, said: str) -> None:
    assert lead(name, text) == said


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "intro\n\n# The `Port` of **Call**\n", "The Port of Call"),
        ("a.md", "---\ntitle: Harbour dues\n---\n# Other\n", "Harbour dues"),
        ("a.rst", "PEP: 1\nTitle: The purpose\n\nAbstract\n========\n", "The purpose"),
        ("a.rst", "Tides\n=====\n", "Tides"),
        ("a.txt", "Just some text\n", ""),
        ("a.md", "no heading\n", ""),
    ],
)
def test_the_title_is_the_documents_own(name: str, text: str, title: str) -> None:
    assert heading(name, text) == title
