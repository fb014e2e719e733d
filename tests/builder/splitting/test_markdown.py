"""Markdown: which lines are headings, and where a long section may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ctxcache.builder.splitting.formats import scan
from ctxcache.builder.splitting.sections import split
from ctxcache.text import TokenCounter

CHARACTERS = TokenCounter(len, "")  # which always add up


def _headings(text: str) -> list[tuple[int, str]]:
    found = scan(text, "markdown", 0)
    return [(found.levels[number], heading) for number, heading in found.headings.items()]


def _pieces(text: str, limit: int) -> list[str]:
    return [section.text for section in split(text, kind="markdown", max_tokens=limit, counter=CHARACTERS)]


def test_number_signs_and_underlines_make_headings() -> None:
    text = "# One #\n\nTwo\nlines\n---\n\n   ###### Six\n####### seven\n#eight\n"
    assert _headings(text) == [(1, "One"), (2, "Two lines"), (6, "Six")]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# a comment\n```\n",
        "~~~~\n~~~\n# a comment\n~~~~~\n",
        "``` `\n```\n# a comment\n```\n",
        "    # code by its indent\n",
        "<!--\n# a comment\n\n# and more\n-->\n",
        "<div>\n# raw HTML until a blank line\n",
        "<pre>\n\n# raw\n\n</pre>\n",
        "> # quoted\n",
        "- # in a list\n\n  # still in it\n",
        "1. step\n\n   ```sh\n   # a comment\n   ```\n",
        "- item\n---\n",
        "| a |\n| - |\n",
        "\\# escaped\n",
        "text\n\n===\n",
    ],
)
def test_what_only_looks_like_a_heading_is_text(text: str) -> None:
    """Code, comments, raw HTML, lists and quotations hold no heading of the document."""
    assert [heading for _, heading in _headings(text) if heading not in {"```"}] == []


def test_a_fence_ends_where_its_list_item_ends() -> None:
    """As CommonMark has it: what is left of the item's text is no longer in the item."""
    assert _headings("1. step\n   ```\n   code\n\n# Next\n") == [(1, "Next")]


def test_lines_may_end_with_a_carriage_return_alone() -> None:
    assert _headings("# A\r\rB\r===\r\n\r\n## C\r\n") == [(1, "A"), (1, "B"), (2, "C")]


_LINES = [
    *(
        "# H",
        "## H ##",
        "#no",
        "text",
        "a: b",
        "===",
        "---",
        "- - -",
        "***",
        "```",
        "```py",
        "~~~",
        "> q",
        ">",
    ),
    *(
        "> # h",
        "- i",
        "-",
        "1. i",
        "2. i",
        "- # h",
        "* - x",
        "    code",
        "   text",
        "  # h",
        "    # h",
        "  ```",
    ),
    *(
        "<div>",
        "</div>",
        "<b>",
        "<!-- c",
        "-->",
        "<pre>",
        "</pre>",
        "<?php",
        "?>",
        "- ```",
        "  text",
        "| a |",
    ),
    *("<span class='x'>", "+ x", "10) x", "-\tx", "\t# h", "", "", "", "", "", ""),
]


@given(st.lists(st.sampled_from(_LINES), max_size=9).map("\n".join))
def test_headings_are_those_of_another_commonmark_parser(text: str) -> None:
    """An independent reading of the same rules; it counts lines, and sees headings in lists as nested.

    A line indented by four columns below a list item that is indented itself is read differently (and
    here as the specification has it): such lists are not among the lines.
    """
    theirs = [
        (token.map[0], int(token.tag[1]))
        for token in MarkdownIt("commonmark").parse(text)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    found = scan(text, "markdown", 0)
    ours = [(text.count("\n", 0, found.starts[number]), found.levels[number]) for number in found.headings]
    assert ours == theirs


def test_a_long_section_is_cut_at_blank_lines_outside_code() -> None:
    code = "```\na\n\nb\n\nc\n```\n\n"
    assert _pieces(f"# T\n\none two\n\n{code}three\n", limit=24) == ["# T\n\none two\n\n", code + "three\n"]


def test_what_has_no_break_stays_whole_up_to_twice_the_limit() -> None:
    code = "```\n" + "line\n\n" * 20 + "```\n"
    assert _pieces(f"# T\n\n{code}\nend\n", limit=70) == [f"# T\n\n{code}\n", "end\n"]


def test_a_list_item_keeps_its_paragraphs_before_the_list_keeps_its_items() -> None:
    items = ["- one\n\n  more\n\n", "- two\n\n  more\n\n"]
    assert _pieces("".join(items), limit=20) == items


def test_a_colon_keeps_what_it_announces() -> None:
    text = "intro words\n\nSee this:\n\n```\ncode\n```\n"
    assert _pieces(text, limit=30) == ["intro words\n\n", "See this:\n\n```\ncode\n```\n"]


def test_an_anchor_goes_with_the_heading_below_it() -> None:
    text = '# A\n\ntext\n\n<!-- renamed -->\n\n<a id="old"></a>\n\n## B\n\nmore text\n'
    assert _pieces(text, limit=len(text) - 1)[1].startswith("<!-- renamed -->")
