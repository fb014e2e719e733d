"""The main screen: asking, choosing, the budget, the reasons, the caches."""

from __future__ import annotations

import shutil
from threading import Event
from typing import TYPE_CHECKING

import pytest
from textual import events

from ctxcache.builder.build import build
from ctxcache.builder.config import BuildConfig
from ctxcache.builder.verification import Verification, verify
from ctxcache.resolver.cache import open_cache
from ctxcache.tui import catalog
from ctxcache.tui.screens import answer as answer_module
from ctxcache.tui.screens import first
from ctxcache.tui.screens.compare import CompareScreen
from ctxcache.tui.screens.dialogs import HelpDialog, PickDialog
from ctxcache.tui.screens.document import DocumentScreen
from ctxcache.tui.screens.documents import DocumentsScreen
from ctxcache.tui.screens.first import Example, FirstScreen, build_sample
from ctxcache.tui.screens.main import MainScreen
from ctxcache.tui.screens.texts import AgentScreen
from ctxcache.tui.session import StateDir
from ctxcache.tui.widgets.lines import BudgetBar
from ctxcache.tui.widgets.question import QueryInput, StepButton
from ctxcache.tui.widgets.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run, Start

pytestmark = pytest.mark.asyncio

QUERY = "how do we roll back a deployment"


def budget(run: Run) -> int:
    screen = run.screen
    assert isinstance(screen, MainScreen)
    return screen.question.budget


async def test_the_first_sound_cache_is_open_and_the_welcome_says_how_to_begin(start: Start) -> None:
    """What is there and what to do, before anybody has read a manual."""
    async with start() as run:
        assert "guide" in run.text("TitleBar")
        assert "8 documents" in run.text("TitleBar")
        assert "Type what an agent would ask" in run.text("Welcome")
        assert run.screen.focused is run.one("#query")
        assert not run.one(BudgetBar).display


async def test_results_follow_what_is_typed(start: Start) -> None:
    async with start() as run:
        await run.type("roll back")
        assert run.answer.ranking.count > 1
        assert run.one(BudgetBar).display
        assert "roll" in run.text("#why")
        await run.press("ctrl+u")
        assert not run.one(BudgetBar).display
        assert run.one("Welcome").display


async def test_enter_asks_the_first_example(start: Start) -> None:
    async with start() as run:
        first = run.text("Example").split("\n")[0].strip("→ ")
        await run.press("enter")
        assert run.one("#query", QueryInput).value == first
        assert run.answer.ranking.count


async def test_a_click_asks_an_example(start: Start) -> None:
    async with start() as run:
        await run.pilot.click(Example)
        await run.settle()
        assert run.answer.ranking.count


async def test_arrows_move_through_the_list_while_typing(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("down", "down")
        assert run.answer.rank == 3
        assert run.screen.focused is run.one("#query")
        why = run.answer.why
        assert why is not None and why.entry.rank == 3
        await run.press("up", "pagedown")
        assert run.answer.rank == run.answer.ranking.count
        await run.press("pageup")
        assert run.answer.rank == 1
        await run.press("ctrl+end")
        assert run.answer.rank == run.answer.ranking.count
        await run.press("ctrl+home")
        assert run.answer.rank == 1


async def test_letters_are_commands_once_the_list_has_the_focus(start: Start) -> None:
    async with start(query=QUERY) as run:
        run.answer.ranking.focus()
        await run.press("j", "j", "k")
        assert run.answer.rank == 2
        await run.press("i")
        assert run.screen.focused is run.one("#query")


@pytest.mark.parametrize(
    ("key", "expected"),
    [("shift+up", 650), ("shift+down", 550), ("ctrl+up", 1000), ("ctrl+down", 500)],
)
async def test_keys_step_the_budget_while_typing(start: Start, key: str, expected: int) -> None:
    async with start(query=QUERY, budget=600) as run:
        await run.press(key)
        assert budget(run) == expected
        assert run.one("#budget-text").value == f"{budget(run):,}"


async def test_letters_step_the_budget_from_the_list(start: Start) -> None:
    async with start(query=QUERY, budget=1000) as run:
        run.answer.ranking.focus()
        await run.press("plus")
        assert budget(run) > 1000
        await run.press("equals_sign", "minus", "minus", "minus")
        assert budget(run) < 1000
        await run.press("right_square_bracket")
        assert budget(run) == 1000
        await run.press("left_square_bracket")
        assert budget(run) == 500


async def test_a_typed_budget_changes_the_answer_at_once(start: Start) -> None:
    async with start(query=QUERY, budget=500) as run:
        before = run.one(BudgetBar).result
        await run.press("ctrl+b", "backspace")
        await run.type("2k")
        after = run.one(BudgetBar).result
        assert budget(run) == 2000
        assert len(after.chosen) > len(before.chosen)


async def test_a_budget_that_is_none_says_so_below_it_and_changes_nothing(start: Start) -> None:
    async with start(query=QUERY, budget=500) as run:
        await run.press("ctrl+b")
        await run.type("x")
        assert "whole number" in run.text("#budget-problem")
        await run.press("enter")
        assert run.screen.focused is run.one("#budget-text"), "there is something to mend"
        assert budget(run) == 500


async def test_escape_takes_back_what_was_typed_as_a_budget(start: Start) -> None:
    async with start(query=QUERY, budget=500) as run:
        await run.press("ctrl+b")
        await run.type("x")
        await run.press("escape")
        assert run.one("#budget-text").value == "500"
        assert not run.one("#budget-problem").has_class("-said")
        assert run.screen.focused is run.one("#query")


async def test_enter_takes_a_budget_and_goes_back_to_the_query(start: Start) -> None:
    async with start(query=QUERY, budget=500) as run:
        await run.press("ctrl+b")
        await run.type("4k")
        await run.press("enter")
        assert budget(run) == 4000
        assert run.one("#budget-text").value == "4,000"
        assert run.screen.focused is run.one("#query")


async def test_the_mouse_steps_the_budget(start: Start) -> None:
    async with start(query=QUERY, budget=1000) as run:
        less, more = run.screen.query(StepButton)
        await run.pilot.click(more)
        await run.settle()
        assert budget(run) > 1000
        await run.pilot.click(less)
        await run.pilot.click(less)
        await run.settle()
        assert budget(run) < 1000


async def test_a_document_that_was_left_out_can_be_fitted_in(start: Start) -> None:
    """The smallest budget is the library's: one token less leaves it out again."""
    async with start(query=QUERY, budget=200) as run:
        ranking = run.answer.ranking
        left_out = next(rank for rank in range(1, ranking.count + 1) if not run.answer.rows[rank].is_chosen)
        await run.press(*["down"] * (left_out - 1), "f4")
        assert budget(run) == run.answer.rows[left_out].next_budget
        assert run.answer.rows[left_out].is_chosen
        await run.type("")
        less = open_cache(run.session.cache.path).explain(QUERY, budget(run) - 1)
        assert not less.entry(left_out).chosen


async def test_a_segment_of_the_bar_picks_its_document(start: Start) -> None:
    async with start(query=QUERY, budget=2000) as run:
        bar = run.one(BudgetBar)
        second = bar.result.chosen[1]
        first = bar.result.chosen[0].used * bar.content_size.width // 2000
        await run.pilot.click(BudgetBar, offset=(first + 2, 0))
        await run.settle()
        assert run.answer.rank == second.rank


async def test_the_arithmetic_can_be_shown_to_the_last_number(start: Start) -> None:
    async with start(query=QUERY) as run:
        assert "impact = idf" not in run.text("#why")
        await run.press("ctrl+y")
        assert "impact = idf" in run.text("#why")
        run.answer.ranking.focus()
        await run.press("w")
        assert "impact = idf" not in run.text("#why")


async def test_a_query_that_nothing_matches_says_why(start: Start) -> None:
    async with start(query="xylophone the") as run:
        assert run.answer.ranking.count == 0
        assert "nothing matches" in run.one(BudgetBar).figures
        assert "xylophone" in run.text("#why")


@pytest.mark.parametrize(
    ("key", "letter", "screen"),
    [
        ("f1", "question_mark", HelpDialog),
        ("f2", "d", DocumentsScreen),
        ("f3", "a", AgentScreen),
        ("f5", "c", CompareScreen),
        ("f7", "h", PickDialog),
        ("enter", "enter", DocumentScreen),
    ],
)
async def test_keys_open_screens_and_escape_leads_back(
    start: Start, key: str, letter: str, screen: type
) -> None:
    async with start(query=QUERY) as run:
        await run.press(key)
        assert isinstance(run.screen, screen)
        await run.press("escape")
        assert isinstance(run.screen, MainScreen)
        run.answer.ranking.focus()
        await run.press(letter)
        assert isinstance(run.screen, screen)


async def test_a_double_click_opens_a_document(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.pilot.double_click("#ranking", offset=(8, 3))
        await run.settle()
        assert isinstance(run.screen, DocumentScreen)


async def test_another_cache_answers_the_same_question(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("f6", "down", "enter")
        assert run.session.info.name == "guide-v0"
        assert run.one(BudgetBar).result.cache.manifest.format == "1"
        assert run.one(BudgetBar).result.question.query == QUERY
        assert run.screen.focused is run.one("#query")


async def test_a_broken_cache_is_a_row_with_its_fault(start: Start) -> None:
    async with start() as run:
        await run.press("f6", "up")
        assert run.screen.caches.highlighted.name == "broken"
        assert "build_config" in run.text("#about")
        await run.press("enter")
        assert run.session.info.name == "guide"
        assert "build_config" in run.text("#cache-problem")


async def test_a_cache_is_verified_from_its_row(start: Start) -> None:
    async with start() as run:
        await run.press("f8")
        assert "verified, every byte" in run.text("#about")
        await run.press("f6", "up", "v")
        assert "manifest" in run.text("#about")


async def test_themes_change_with_a_key(start: Start) -> None:
    async with start() as run:
        await run.press("f9")
        assert run.app.theme == "ctx-light"
        run.screen.caches.table.focus()
        await run.press("t")
        assert run.app.theme == "ctx-dark"


async def test_the_palette_runs_a_command_by_name(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("ctrl+p")
        await run.type("what the agent")
        await run.press("down", "enter")
        assert isinstance(run.screen, AgentScreen)


async def test_a_click_on_a_key_of_the_footer_runs_it(start: Start) -> None:
    async with start(query=QUERY) as run:
        key = next(key for key in run.screen.query("Key") if "documents" in str(key.content))
        await run.pilot.click(key)
        await run.settle()
        assert isinstance(run.screen, DocumentsScreen)


@pytest.mark.parametrize("key", ["ctrl+q", "q"])
async def test_quit_leaves(start: Start, key: str) -> None:
    async with start(query=QUERY) as run:
        run.answer.ranking.focus()
        await run.pilot.press(key)
        await run.pilot.pause()
        assert not run.app.is_running or run.app._exit  # Textual has no public name for it


async def test_a_rebuilt_cache_is_followed(start: Start, own_caches: Path, tmp_path: Path) -> None:
    """A build in another terminal included: nobody should debug a cache that is no longer there."""
    async with start(own_caches, query="pelican") as run:
        assert run.answer.ranking.count == 0
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "bird.md").write_text("# The pelican\n\nA bird.\n", "utf-8")
        build(
            tmp_path / "new", own_caches / "guide", config=BuildConfig(tokenizer="bytes4"), force=True, jobs=1
        )
        run.screen.caches.reload()
        await run.settle()
        assert run.answer.ranking.count == 1


async def test_a_cache_that_is_deleted_stays_open_and_says_so(start: Start, own_caches: Path) -> None:
    async with start(own_caches, query=QUERY) as run:
        shutil.rmtree(own_caches / "guide")
        run.screen.caches.reload()
        await run.settle()
        assert "guide is gone" in run.text("#cache-problem")
        await run.type(" now")
        assert run.answer.ranking.count
        assert "guide is gone" in run.text("#cache-problem")


async def test_a_cache_that_is_replaced_by_a_broken_one_stays_open_and_says_so(
    start: Start, own_caches: Path
) -> None:
    async with start(own_caches, query=QUERY) as run:
        (own_caches / "guide" / "manifest.json").write_text("{}")
        run.screen.caches.reload()
        await run.settle()
        assert "what you see is its last state" in run.text("#cache-problem")
        assert run.answer.ranking.count


async def test_damage_that_a_query_meets_is_a_sentence_in_its_place(
    start: Start, own_caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large cache is not hashed when it is listed, so its fault may show as late as in an answer."""
    monkeypatch.setattr(catalog, "MAX_HASHED_BYTES", 0)
    index = next((own_caches / "guide").glob("index-*.bin"))
    data = bytearray(index.read_bytes())
    data[4096:8192] = bytes(4096)
    index.write_bytes(data)
    async with start(own_caches / "guide", query=QUERY) as run:
        assert "damaged" in run.text("#problem") + run.text("#cache-problem")
        assert not run.one(BudgetBar).display
        await run.press("f2", "escape", "f8")
        assert "index" in run.text("#about")


async def test_an_empty_root_offers_ways_to_a_cache_and_a_build_appears(
    start: Start, caches: Path, tmp_path: Path
) -> None:
    async with start(tmp_path) as run:
        assert isinstance(run.screen, FirstScreen)
        assert "There is no cache here yet" in run.text("#words")
        shutil.copytree(caches / "guide", tmp_path / "guide")
        await run.press("escape")
        assert "ctx build" in run.text("#cache-problem")
        assert isinstance(run.app.screen, MainScreen)
        run.app.screen.caches.reload()
        await run.settle()
        assert run.session.info.name == "guide"
        assert not run.text("#cache-problem")


async def test_a_first_cache_is_built_from_a_folder_that_is_named(
    start: Start, caches: Path, tmp_path: Path
) -> None:
    async with start(tmp_path / "caches") as run:
        await run.press("o")
        run.one("Input").value = str(tmp_path / "nowhere")
        await run.press("enter")
        assert "there is no such folder" in run.text("Problem")
        await run.press("o")
        run.one("Input").value = str(caches.parent / "docs")
        await run.press("enter")
        assert isinstance(run.screen, MainScreen)
        assert run.session.info.name == "docs"


async def test_a_build_ends_its_screen_and_the_help_that_lies_over_it(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Textual closes the screen on top, whichever asked: the first screen stayed, and `esc` ended all."""
    told = Event()
    monkeypatch.setattr(first, "build_sample", lambda directory: [told.wait(60), build_sample(directory)][1])
    async with start(tmp_path / "none", state=StateDir(tmp_path / "state")) as run:
        await run.pilot.press("s", "o", "f1")
        assert isinstance(run.screen, HelpDialog)
        told.set()
        await run.settle()
        assert isinstance(run.screen, MainScreen) and len(run.app.screen_stack) == 2
        await run.press("escape")
        assert run.session.info.name == "sample"


async def test_a_screen_is_closed_once_however_often_it_is_asked(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("f7")
        dialog = run.screen
        dialog.dismiss(None)
        dialog.dismiss(None)
        await run.settle()
        assert isinstance(run.screen, MainScreen)


async def test_this_folder_is_built_with_a_key_and_its_files_are_counted(
    start: Start, caches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(caches.parent / "docs")
    async with start(tmp_path / "caches") as run:
        assert "docs has 8 files" in run.text("#words")
        await run.press("b")
        assert run.session.cache.document_count >= 8


async def test_a_sample_is_there_for_those_who_have_nothing(start: Start, tmp_path: Path) -> None:
    async with start(tmp_path / "none", state=StateDir(tmp_path / "state")) as run:
        await run.press("s")
        await run.type("budget")
        assert run.answer.ranking.count > 1


async def test_described_caches_that_are_not_built_are_built_with_a_key(opened: Start, project: Path) -> None:
    shutil.rmtree(project / ".ctx")
    async with opened() as run:
        assert "guide, later" in run.text("#words")
        await run.press("b")
        assert [cache.opens for cache in run.session.catalog.caches] == [True, True]


async def test_a_root_that_is_not_there_says_so(start: Start, tmp_path: Path) -> None:
    async with start(tmp_path / "nowhere") as run:
        await run.press("escape")
        assert "nowhere" in run.text("#cache-problem")
        await run.type("still here")
        await run.press("f2", "f3", "f5", "f8", "f4", "ctrl+n", "ctrl+s", "enter", "alt+up")
        assert isinstance(run.screen, MainScreen)


async def test_every_theme_can_be_chosen_while_it_runs_and_is_remembered(
    start: Start, tmp_path: Path
) -> None:
    """A theme without the variables of the inspector gets them as colours."""
    state = StateDir(tmp_path)
    async with start(query=QUERY, state=state) as run:
        for name in run.app.available_themes:
            run.app.theme = name
            await run.settle()
            assert state.read("theme") == f"{name}\n"


async def test_an_unforeseen_error_is_a_sentence_and_a_report_without_a_value(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(query=QUERY, state=StateDir(tmp_path)) as run:

        def fail(*arguments: object) -> None:
            secret = "what a document says"
            raise RuntimeError(len(secret))

        monkeypatch.setattr("ctxcache.tui.result.Result.why", fail)
        await run.press("down")
        assert f"RuntimeError); a report is in {tmp_path / 'last-error.txt'}" in run.text("#problem")
        assert "what a document says" not in (tmp_path / "last-error.txt").read_text().replace(
            'secret = "what a document says"', ""
        )
        monkeypatch.undo()
        await run.press("down")
        assert run.answer.why.entry.rank == 3


async def test_the_palette_may_be_paged_before_it_has_anything(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.pilot.press("ctrl+p", "pagedown", "pageup", "ctrl+end", "down")
        await run.settle()
        await run.press("escape", "escape")
        assert isinstance(run.screen, MainScreen)


async def test_one_verification_of_a_cache_runs_at_a_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start() as run:
        let, running = Event(), []

        def slow(path: str) -> Verification:
            running.append(path)
            let.wait(30)
            return verify(path)

        monkeypatch.setattr("ctxcache.builder.verification.verify", slow)
        await run.pilot.press("f8", "f8", "f8")
        await run.pilot.pause()
        assert "verification …" in run.text("TitleBar")
        assert run.session.begin(run.session.info.path, "build") == "verification"
        let.set()
        await run.settle()
        assert len(running) == 1
        assert "verified, every byte" in run.text("#about")
        assert run.session.busy == {}


async def test_a_failed_verification_changes_the_mark(start: Start, own_caches: Path) -> None:
    async with start(own_caches / "guide", query=QUERY) as run:
        with next((own_caches / "guide").glob("index-*.bin")).open("r+b") as file:
            file.seek(4500)
            file.write(b"\xff" * 100)
        await run.press("f8")
        assert "✗" in run.text("TitleBar")


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
async def test_pasted_lines_are_taken_whatever_ends_them(start: Start, end: str) -> None:
    """A terminal sends CR for the line ends of what is pasted."""
    async with start() as run:
        run.screen.focused.post_message(events.Paste(end.join(["roll", "back", "a"])))
        await run.settle()
        assert run.one("#query", QueryInput).value == "roll back a"


async def test_a_page_that_does_not_match_is_asked_why_at_any_size(start: Start) -> None:
    async with start(query=QUERY, size=(60, 15)) as run:
        await run.press("ctrl+n")
        await run.type("pager")
        await run.press("enter")
        assert "does not match" in run.text("#why")
        await run.press("ctrl+n")
        await run.type("backup")
        await run.press("enter")
        assert run.answer.why.entry.id == "data/backup.md"
        assert run.answer.rank == run.answer.why.entry.rank
        await run.press("up")
        assert run.answer.why.entry.rank == run.answer.rank


async def test_a_cache_or_a_document_is_gone_to_by_name(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("ctrl+g")
        await run.type("v0")
        await run.press("enter")
        assert run.session.info.name == "guide-v0"
        run.answer.ranking.focus()
        await run.press("colon")
        await run.type("errors")
        await run.press("enter")
        assert "api/errors.md" in run.text("TitleBar")


async def test_the_list_is_filtered_and_a_budget_keeps_the_filter(start: Start) -> None:
    async with start(query=QUERY, budget=200) as run:
        await run.press("escape", "slash")
        await run.type("deploy/")
        await run.press("enter")
        count = run.answer.ranking.count
        assert 0 < count < run.answer.result.matches
        await run.press("plus")
        assert run.answer.ranking.count == count
        await run.press("slash", "enter")
        assert run.answer.ranking.count == run.answer.result.matches


async def test_ids_and_contents_are_copied(start: Start) -> None:
    async with start(query=QUERY) as run:
        await run.press("escape", "y")
        assert run.app.clipboard == "deploy/rollback.md"
        await run.press("Y")
        assert run.app.clipboard == run.session.cache.document("deploy/rollback.md").content


async def test_keys_go_to_the_next_budget_that_changes_the_answer(start: Start) -> None:
    async with start(query=QUERY, budget=100) as run:
        before = [chosen.rank for chosen in run.answer.result.chosen]
        await run.press("alt+up")
        assert budget(run) > 100
        assert [chosen.rank for chosen in run.answer.result.chosen] != before
        run.one("#curve").focus()
        await run.press("left")
        assert [chosen.rank for chosen in run.answer.result.chosen] == before
        await run.press("right")
        assert [chosen.rank for chosen in run.answer.result.chosen] != before


async def test_a_query_that_was_looked_at_is_an_earlier_query(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_module, "HISTORY_DELAY", 0.001)
    async with start(query="pager") as run:
        await run.pilot.pause(0.05)
        assert [question.query for question in run.session.history.questions] == ["pager"]


@pytest.mark.parametrize("size", [(40, 10), (60, 15), (80, 24), (104, 30), (200, 60)])
async def test_rows_are_in_view_at_any_size_and_the_cursor_after_a_resize(
    start: Start, many: str, size: tuple[int, int]
) -> None:
    async with start(many, query="word", size=(200, 60)) as run:
        run.answer.ranking.cursor = 39
        await run.settle()
        await run.pilot.resize_terminal(*size)
        await run.settle()
        table = run.answer.ranking
        assert table.size.height >= 3
        top = table.scroll_offset.y
        assert top <= 39 < top + table.size.height - 1


async def test_a_query_that_is_too_long_is_refused_in_words(start: Start) -> None:
    async with start() as run:
        run.one("#query", QueryInput).value = "word " * 30_000
        await run.settle()
        assert "100,000" in run.text("#problem")
        assert not run.one(BudgetBar).display
        run.one("#query", QueryInput).value = "deployment"
        await run.settle()
        assert not run.text("#problem")
        assert run.answer.ranking.count


async def test_the_history_gives_an_earlier_question_back(start: Start) -> None:
    async with start(query=QUERY, budget=700) as run:
        await run.press("enter", "escape", "ctrl+u")
        await run.type("pager")
        await run.press("f7", "down", "enter")
        assert run.one("#query", QueryInput).value == QUERY
        assert budget(run) == 700
        assert run.answer.ranking.count


async def test_at_80_columns_the_caches_fold_away_until_they_are_asked_for(start: Start) -> None:
    async with start(size=(80, 24), query=QUERY) as run:
        assert not run.one("#side").display
        await run.press("f6")
        assert run.one("#side").display
        await run.press("escape")
        assert not run.one("#side").display


async def test_rows_fit_a_new_width_that_is_drawn_before_its_event(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows made for the old width would lose their figures."""
    async with start(query=QUERY, size=(140, 30)) as run:
        tokens = f" {run.answer.rows[1].tokens} "
        assert tokens in run.answer.ranking.render_line(1).text
        monkeypatch.setattr(Table, "on_resize", lambda table: None)
        await run.pilot.resize_terminal(80, 30)
        assert tokens in run.answer.ranking.render_line(1).text
