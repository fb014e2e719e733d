"""What people find, and what must not keep them from finding it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest

from ctxcache import Cache
from ctxcache.errors import InvalidBudget, InvalidQuery

Made = Callable[..., Cache]


def found(cache: Cache, query: str, budget: int = 10**6) -> list[str]:
    """The ids that a query finds, best first."""
    return [document.id for document in cache.resolve(query, budget).documents]


def test_a_one_word_file_does_not_beat_the_guide(made: Made) -> None:
    """Length is normalised, but a word alone is not a page about it."""
    guide = "Rollback means to deploy the version before. " + "A rollback takes a minute. " * 6
    cache = made(
        {"guide.md": guide, "stub.md": "rollback", "other.md": "Something else. " * 30},
        titles={"guide.md": "Rollback"},
    )
    assert found(cache, "how do I rollback a version")[0] == "guide.md"


def test_punctuation_never_blocks_a_match(made: Made) -> None:
    """Neither in the text nor in the query."""
    cache = made({"a.md": "Before a deployment. (Rollback!) “quoted”", "b.md": "nothing"})
    for query in ("deployment", "deployment?", "(deployment)", "rollback!", "'quoted'", "“Quoted”…"):
        assert found(cache, query) == ["a.md"]


def test_an_exact_match_in_a_cache_of_two_scores_above_zero(made: Made) -> None:
    """And so does a word that both documents hold."""
    cache = made({"a.md": "unique words", "b.md": "other words"})
    assert cache.resolve("unique", 100).documents[0].score > 0
    assert all(document.score > 0 for document in cache.resolve("words", 100).documents)
    assert found(cache, "words") == ["a.md", "b.md"]


@pytest.mark.parametrize(
    "query", ["get_user_by_id", "getUserById", "GetUserByID", "user by id", "GET_USER_BY_ID"]
)
@pytest.mark.parametrize("written", ["get_user_by_id", "getUserById"])
def test_spellings_of_an_identifier_find_each_other(made: Made, query: str, written: str) -> None:
    """Through their parts."""
    cache = made({"api.md": f"Call `{written}(42)` first.", "other.md": "Call something else."})
    assert found(cache, query)[0] == "api.md"


@pytest.mark.parametrize(
    "name", ["C#", "C++", ".NET", "R", "v2.10.1", "2.10.1", "DEC-0054", "--dry-run", ".env"]
)
def test_names_with_signs_are_found_as_they_are(made: Made, name: str) -> None:
    """Before pages that only hold a piece of them."""
    cache = made({
        "right.md": f"This is about {name}, and why.",
        "wrong.md": "C and net and env and dry and run and 2 and 10 and 1 and DEC and 54, and why.",
        "none.md": "Nothing here, and why.",
    })  # fmt: skip
    assert found(cache, name)[0] == "right.md"


@pytest.mark.parametrize("query", [*"\"'*([-~\\%\0", "AND OR NOT", "a:b", "^2", "+x -y"])
def test_no_character_of_a_query_is_a_syntax_error(made: Made, query: str) -> None:
    """A query has no operators."""
    cache = made({"a.md": "some text"})
    cache.resolve(query, 100)
    cache.explain(query, 100).to_json()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("如何回滚部署", "回滚"), ("配備を元に戻す", "元に戻す"), ("배포 되돌리기", "되돌리기"),
        ("การย้อนกลับการปรับใช้", "ย้อนกลับ"), ("откат развёртывания", "Откат"), ("déploiement", "DÉPLOIEMENT"),
        ("Straße", "straße"), (unicodedata.normalize("NFD", "déploiement"), "déploiement"),
        ("déploiement", unicodedata.normalize("NFD", "déploiement")), ("\uff46\uff55\uff4c\uff4c", "full"),
    ],
)  # fmt: skip
def test_text_in_any_script_is_found(made: Made, text: str, query: str) -> None:
    """One analyzer serves both sides."""
    cache = made({"a.md": f"x {text} y", "b.md": "nothing of it"})
    assert found(cache, query) == ["a.md"]


def test_a_query_of_stop_words_alone_keeps_them(made: Made) -> None:
    """With another word beside them they are left out, and `why` says so."""
    cache = made({"a.md": "to be or not to be", "b.md": "a rose"})
    assert found(cache, "to be") == ["a.md"]
    words = {word.text: word.status for word in cache.explain("what is a rose").words}
    assert words == {"what": "ignored", "is": "ignored", "a": "ignored", "rose": "scored"}


def test_unknown_words_change_nothing_and_are_named(made: Made) -> None:
    """They take no part in the score."""
    cache = made({"a.md": "rose garden", "b.md": "other"})
    alone, beside = cache.resolve("rose", 100), cache.resolve("rose xyzzy", 100)
    assert alone.documents[0].score == beside.documents[0].score
    assert beside.documents[0].why.query_terms == ["rose"]
    assert [w.text for w in cache.explain("rose xyzzy").words if w.status == "unknown"] == ["xyzzy"]


def test_empty_queries_and_huge_budgets_have_short_answers(made: Made) -> None:
    """No crash, no document."""
    cache = made({"only.md": "one document"})
    assert found(cache, "") == found(cache, "   ") == found(cache, "absent") == []
    assert found(cache, "document", 2**53 - 1) == ["only.md"]


def test_text_late_in_a_long_document_is_found_like_its_start(made: Made) -> None:
    """Nothing is cut off before it is indexed."""
    filler = "filler text of no interest " * 20_000
    cache = made({"long.md": f"alpha {filler} omega", "other.md": "filler"})
    assert found(cache, "alpha") == found(cache, "omega") == ["long.md"]


def test_a_word_that_stands_twice_in_a_query_counts_twice(made: Made) -> None:
    """Whoever repeats a word means it."""
    cache = made({"a.md": "red red blue", "b.md": "blue blue red", "c.md": "green"})
    assert found(cache, "red red blue")[0] == "a.md"
    assert found(cache, "red blue blue")[0] == "b.md"


def test_equal_scores_are_in_the_order_of_ids(made: Made) -> None:
    """By UTF-8 bytes, which no locale changes."""
    ids = ["a-b.md", "a b.md", "A.md", "a.md", "ä.md", "z.md", "é.md", "日.md", "😀.md"]
    cache = made({id_: "same text" for id_ in ids} | {"other": "other"}, unique=False)
    assert found(cache, "same") == sorted(ids, key=str.encode)


def test_a_word_counts_once_among_the_matches_however_many_of_its_terms_match(made: Made) -> None:
    """`getUserById` matches `get`, `user` and `id`, and is one word of three."""
    cache = made({"a.md": "call getUserById now", "b.md": "other"})
    why = cache.resolve("getUserById get user id", 100).documents[0].why
    assert (why.term_matches, why.total_words) == (1, 3)


def test_when_nothing_fits_the_numbers_say_so(made: Made) -> None:
    """A match that is too large is excluded, not lost, and never cut."""
    cache = made({"a.md": "word " * 100, "b.md": "other"})
    result = cache.resolve("word", 3)
    assert (result.documents, result.documents_excluded_by_budget, result.tokens_used) == ([], 1, 0)


def test_the_bytes_of_an_answer(made: Made) -> None:
    """Golden: the fields of the specification in their order, non-ASCII unescaped, one newline."""
    cache = made({"é.md": 'Say "déjà vu"\n', "b.md": "nothing"})
    assert cache.resolve("déjà", 100).to_json() == (
        '{"documents":[{"id":"é.md","version":"5c9472cdb23c",'
        '"content":"Say \\"déjà vu\\"\\n","score":0.26232,"tokens":4,'
        '"why":{"query_terms":["déjà"],"term_matches":1,"total_words":3}}],'
        '"selection":{"query":"déjà","budget":100,"tokens_used":4,"documents_considered":2,'
        '"documents_selected":1,"documents_excluded_by_budget":0}}\n'
    )


@pytest.mark.parametrize("query", [None, 7, b"bytes", "\ud800", "x" * 100_001])
def test_a_query_that_is_no_text_is_refused(made: Made, query: object) -> None:
    """C3, before the budget is looked at."""
    with pytest.raises(InvalidQuery):
        made({"a.md": "text"}).resolve(query, "also wrong")


@pytest.mark.parametrize("budget", ["4000", 4000.5, True, None, -1, 2**53, float("inf"), float("nan")])
def test_a_budget_that_is_no_whole_number_is_refused(made: Made, budget: object) -> None:
    """C3: booleans and numeric strings are none."""
    with pytest.raises(InvalidBudget):
        made({"a.md": "text"}).resolve("text", budget)


def test_a_whole_float_is_a_whole_number(made: Made) -> None:
    """C3: JSON does not tell `4000.0` from `4000`."""
    cache = made({"a.md": "text"})
    assert cache.resolve("text", 4000.0).to_json() == cache.resolve("text", 4000).to_json()
