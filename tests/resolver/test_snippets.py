"""The part of a document that is shown for a query."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ctxcache import Cache
from ctxcache.resolver.snippets import WINDOW, snippet

Made = Callable[..., Cache]

FILLER = "Something else is said here. " * 20


@pytest.fixture
def cache(made: Made) -> Cache:
    """The words of the tests, so that a query knows them."""
    return made({"a.md": "Roll back a deployment, then restart the server.", "b.md": FILLER})


def test_a_short_text_is_shown_to_its_last_word(cache: Cache) -> None:
    text = "Roll back first,\nand tell everybody afterwards what the reason of it was."
    assert snippet(cache, "roll back", text) == text.replace("\n", " ")


def test_a_long_text_is_cut_between_words_where_most_words_of_the_query_stand(cache: Cache) -> None:
    """On one line, with a sign at each end that something is missing."""
    text = f"Restart. {FILLER}Roll back a deployment,\n  then restart. {FILLER}"
    shown = snippet(cache, "restart deployment roll", text)
    assert shown.startswith("…") and shown.endswith("…") and len(shown) <= WINDOW + 2
    assert "Roll back a deployment, then restart." in shown
    assert set(shown.strip("…").split()) <= set(text.split())


def test_front_matter_is_not_shown(cache: Cache) -> None:
    text = "---\ntitle: Roll back\n---\nRoll back first."
    assert snippet(cache, "roll", text) == "…Roll back first."
    assert snippet(cache, "title", text) == ""
