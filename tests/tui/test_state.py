"""What is remembered from one session to the next."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from ctxcache.tui.session import MOST_QUESTIONS, History, Question, ThemeChoice, history_file, write_report
from ctxcache.tui.work import report

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_newest_stands_first_and_none_twice(tmp_path: Path) -> None:
    place = tmp_path / "state" / "queries.jsonl"
    history = History(place)
    for query in ("one", "two", "one "):
        history.add(Question(query=query, budget=7))
    assert [q.query for q in History(place).questions] == ["one ", "two"]
    assert History(place).questions == history.questions


def test_no_more_is_kept_than_anybody_reads(tmp_path: Path) -> None:
    history = History(tmp_path / "queries.jsonl")
    for number in range(MOST_QUESTIONS + 5):
        history.add(Question(query=f"q{number}"))
    assert len(History(tmp_path / "queries.jsonl").questions) == MOST_QUESTIONS


def test_a_place_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = History(tmp_path / "file" / "queries.jsonl")
    history.add(Question(query="one"))
    history.add(Question(query="two"))
    assert [q.query for q in history.questions] == ["two", "one"]


def test_lines_that_are_no_questions_are_passed_over(tmp_path: Path) -> None:
    place = tmp_path / "queries.jsonl"
    place.write_bytes(
        b'{"query":"a","budget":1}\nnonsense\n[]\n{"query":1,"budget":2}\n\xff\n{"query":"b"}\n'
    )
    assert [q.query for q in History(place).questions] == ["a"]


def test_nothing_is_kept_of_an_empty_query() -> None:
    history = History()
    history.add(Question(query="  "))
    assert history.questions == []


def test_the_history_lies_in_the_state_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file() == tmp_path / "ctxcache" / "queries.jsonl"


def test_a_theme_is_remembered(tmp_path: Path) -> None:
    ThemeChoice(tmp_path / "state").save("nord")
    assert ThemeChoice(tmp_path / "state").read() == "nord"
    assert ThemeChoice(tmp_path / "none").read() == ThemeChoice().read() == ""


def test_a_report_is_kept_where_that_is_possible(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = write_report(tmp_path, "one")
    assert file is not None and file.read_text() == "one"
    assert write_report(tmp_path / "file", "one") is None and write_report(None, "one") is None


def test_a_report_of_an_unforeseen_error_holds_no_text_of_a_document(tmp_path: Path) -> None:
    """An exception's own message may quote one; its kind and the places passed are enough."""
    app = SimpleNamespace(session=SimpleNamespace(state_dir=tmp_path))
    quoted = "a secret line of a document"
    try:
        raise KeyError(quoted)
    except KeyError as error:
        said = report(app, error)  # type: ignore[arg-type]  # what is asked of an app
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert "KeyError" in said and "KeyError" in file.read_text("utf-8")
    assert "secret" not in said + file.read_text("utf-8")
