"""Documents and queries meet in the same terms."""

from __future__ import annotations

# ruff: noqa: RUF001 - letters that look alike are what is tested
import gc
import unicodedata
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from ctxcache.text import Analyzer

ENGLISH = Analyzer("english-2")


def finds(query: str, text: str) -> bool:
    """Whether some word of the query that takes part in scoring is in the text."""
    held = ENGLISH.frequencies(text).terms
    return any(term in held for word in ENGLISH.query(query) if not word.light for term, _ in word.terms)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("deployment", "Roll back a deployment."),
        ("deployments", "(deployment)"),
        ("user by id", "call getUserById()"),
        ("getUserById", "get_user_by_id"),
        ("get_user_by_id", "find the user by its id"),
        ("users", "getUserById"),
        ("http server", "HTTPServer2"),
        ("numpy", "NumPy"),
        ("C#", "written in C#."),
        ("c++", "C++, mostly"),
        ("R", "the language R"),
        (".NET", "on .NET 8"),
        (".env", "in the file .env."),
        ("2.10.1", "Released v2.10.1."),
        ("v2.10.1", "version 2.10.1"),
        ("DEC-0054", "see dec-0054"),
        ("dec0054", "DEC\u20110054"),
        ("--dry-run", "with `--dry-run`"),
        ("dry run", "--dry-run"),
        ("utf8", "UTF-8"),
        ("防守", "黑豹队的防守只丢了"),
        ("データ", "データベースを復元する"),
        ("데이터", "데이터베이스"),
        ("ปรับใช้", "วิธีปรับใช้ระบบ"),
        ("развёртывание", "Развёртывание сервиса"),
        ("café", "un cafe\u0301 noir"),
        ("Å", "10 \u212b"),
        ("ｇｉｔ", "git"),
        ("don't", "don\u2019t"),
        ("snake_case", r"a snake\_case name"),
    ],
)
def test_a_query_finds_a_text(query: str, text: str) -> None:
    assert finds(query, text)
    assert finds(unicodedata.normalize("NFD", query), unicodedata.normalize("NFD", text))


@pytest.mark.parametrize(
    ("query", "text"),
    [("C#", "C++"), ("10-20", "1020"), ("java", "javascript"), (".NET", "internet"), ("R", "rust")],
)
def test_a_name_is_not_taken_for_another(query: str, text: str) -> None:
    """The term of the whole name differs, even where a word of it is shared."""
    held = ENGLISH.frequencies(text).terms
    assert ENGLISH.query(query)[0].terms[-1][0] not in held


def test_stop_words_and_question_words_are_ignored_in_a_query() -> None:
    words = ENGLISH.query("How do I roll back my deployment?")
    assert [word.text for word in words] == ["how", "do", "i", "roll", "back", "my", "deployment"]
    assert [word.text for word in words if not word.light] == ["roll", "back", "deployment"]


def test_a_query_of_stop_words_only_keeps_them() -> None:
    assert [(word.text, word.light) for word in ENGLISH.query("to be or not to be")] == [
        (word, False) for word in ("to", "be", "or", "not", "to", "be")
    ]


def test_stop_words_are_in_the_index() -> None:
    assert ENGLISH.frequencies("to be or not to be").terms == {"to": 2, "be": 2, "or": 1, "not": 1}


def test_a_word_that_occurs_twice_in_a_query_counts_twice() -> None:
    assert [word.terms for word in ENGLISH.query("roll, roll")] == [(("roll", 16),)] * 2


def test_parts_of_an_identifier_weigh_three_quarters_and_single_characters_nothing() -> None:
    (word,) = ENGLISH.query("getUserX")
    assert word.terms == (("getuserx", 16), ("get", 12), ("user", 12))


@pytest.mark.parametrize("name", ["--dry-run", "c++", "2.10.1", "package.json", "etc/hosts", "std::vector"])
def test_a_name_weighs_more_as_a_whole_where_the_query_is_nothing_else(name: str) -> None:
    def heaviest(query: str) -> int:
        return max(weight for word in ENGLISH.query(query) for _, weight in (*word.terms, *word.exact))

    assert 2 * heaviest(name) == 5 * heaviest(f"run {name}")


def test_parts_and_names_add_nothing_to_the_length() -> None:
    assert ENGLISH.frequencies("getUserById").words == 1
    assert ENGLISH.frequencies("C#").words == 1
    assert ENGLISH.frequencies("DEC-0054").words == 2
    assert ENGLISH.frequencies("黑豹队").words == 2


def test_compound_terms_are_those_of_words_with_several() -> None:
    counted = ENGLISH.frequencies("user getUser plain")
    assert counted.terms == {"user": 2, "getus": 1, "=getuser": 1, "get": 1, "plain": 1}
    assert counted.multi_term == {"user", "getus", "get"}


def test_a_word_that_yields_two_wanted_terms_matches_once() -> None:
    assert ENGLISH.matches("getUserById", ["user", "id"]) == 1
    assert ENGLISH.spans("getUserById", ["user", "id"]) == [(0, 11)]


def test_spans_are_places_of_the_text_as_it_was_given() -> None:
    text = "Un cafe\u0301, ２ cafés\u00ad: ｶﾞｲﾄﾞ"
    found = [text[start:end] for start, end in ENGLISH.spans(text, ["cafe", "ガイ"])]
    assert found == ["cafe\u0301", "cafés", "ｶﾞｲ"]


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "___", "-- .. ++ ##", "\ud800", "\u0301", "😀", "’’’", "\\" * 9]
)
def test_a_text_without_words_is_empty_and_no_error(text: str) -> None:
    assert ENGLISH.frequencies(text).words == 0
    assert ENGLISH.query(text) == []
    assert ENGLISH.spans(text, ["x"]) == []


def test_forgetting_what_was_read_changes_no_answer() -> None:
    forgetful = Analyzer("english-2", remembered=2)
    text = "Deployments roll back. getUserById, DEPLOYMENTS. roll - back' C# café café."
    for _ in range(2):
        assert forgetful.frequencies(text).terms == ENGLISH.frequencies(text).terms


def test_threads_share_one_analyzer() -> None:
    shared = Analyzer("english-2", remembered=25)
    texts = [" ".join(f"word{number % 97}. Café{number}" for number in range(n, n + 60)) for n in range(200)]
    with ThreadPoolExecutor(4) as pool:
        counted = list(pool.map(lambda text: shared.frequencies(text).terms, texts))
    assert counted == [ENGLISH.frequencies(text).terms for text in texts]


def test_an_unknown_analyzer_is_a_lookup_error_that_names_it() -> None:
    with pytest.raises(LookupError, match="klingon"):
        Analyzer("klingon")
    assert ENGLISH.name == "english-2"


def test_an_analyzer_is_freed_with_all_that_it_remembers_though_no_cycles_are_collected() -> None:
    """A build makes new ones while the collector is off."""
    gc.disable()
    try:
        analyzer = Analyzer("english-2")
        analyzer.query("rotate the keys")
        assert analyzer.heading("Rotating keys")
        reader = weakref.ref(analyzer._reader)
        del analyzer
        assert reader() is None
    finally:
        gc.enable()
