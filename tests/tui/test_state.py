"""What is remembered from one session to the next."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from ctxcache.tui.session import HISTORY, MOST_QUESTIONS, History, Question, StateDir
from ctxcache.tui.workers import report

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_newest_stands_first_and_none_twice(tmp_path: Path) -> None:
    state = StateDir(tmp_path / "state")
    history = History(state)
    for query in ("one", "two", "one "):
        history.add(Question(query=query, budget=7))
    assert [q.query for q in History(state).questions] == ["one ", "two"]
    assert History(state).questions == history.questions


def test_no_more_is_kept_than_anybody_reads(tmp_path: Path) -> None:
    history = History(StateDir(tmp_path))
    for number in range(MOST_QUESTIONS + 5):
        history.add(Question(query=f"q{number}"))
    assert len(History(StateDir(tmp_path)).questions) == MOST_QUESTIONS


def test_a_place_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = History(StateDir(tmp_path / "file"))
    history.add(Question(query="one"))
    history.add(Question(query="two"))
    assert [q.query for q in history.questions] == ["two", "one"]


def test_lines_that_are_no_questions_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / HISTORY).write_bytes(
        b'{"query":"a","budget":1}\nnonsense\n[]\n{"query":1,"budget":2}\n\xff\n{"query":"b"}\n'
    )
    assert [q.query for q in History(StateDir(tmp_path)).questions] == ["a"]


def test_nothing_is_kept_of_an_empty_query() -> None:
    history = History(StateDir())
    history.add(Question(query="  "))
    assert history.questions == []


def test_the_state_of_a_user_lies_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert StateDir.of_user().path == tmp_path / "ctxcache"


def test_a_text_is_kept_where_that_is_possible(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = StateDir(tmp_path / "state").write("theme", "nord\n")
    assert file is not None and file.read_text() == "nord\n"
    assert StateDir(tmp_path / "state").read("theme") == "nord\n"
    assert StateDir(tmp_path / "none").read("theme") == StateDir().read("theme") == ""
    assert StateDir(tmp_path / "file").write("theme", "nord") is StateDir().write("theme", "nord") is None


def test_a_report_of_an_unforeseen_error_holds_no_text_of_a_document(tmp_path: Path) -> None:
    """An exception's own message may quote one; its kind and the places passed are enough."""
    app = SimpleNamespace(session=SimpleNamespace(state=StateDir(tmp_path)))
    quoted = "a secret line of a document"
    try:
        raise KeyError(quoted)
    except KeyError as error:
        said = report(app, error)  # type: ignore[arg-type]  # what is asked of an app
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert "KeyError" in said and "KeyError" in file.read_text("utf-8")
    assert "secret" not in said + file.read_text("utf-8")
