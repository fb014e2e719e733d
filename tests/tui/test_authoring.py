"""What an author does without leaving the inspector: freshness, rebuild, comparison, tests."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from ctxcache.builder.freshness import Freshness
from ctxcache.project.project import load_project
from ctxcache.resolver.cache import open_cache
from ctxcache.tui.project import FreshnessCheck, ProjectSession, rebuild
from ctxcache.tui.screens.authoring import QueryTestsScreen, SaveTestDialog, SourcesScreen
from ctxcache.tui.screens.base import Stopped
from ctxcache.tui.screens.compare import CompareScreen
from ctxcache.tui.screens.main import MainScreen

from .conftest import CONFIGURATION, DOCUMENTS

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache.builder.build import Progress

    from .conftest import Run, Start

pytestmark = pytest.mark.asyncio

QUERY = "roll back a deployment"


def items(run: Run) -> list[str]:
    """The rows of the list of changes, as `mark name`."""
    return [f"{item.mark} {item.name}" for item in run.screen.items]


async def test_a_cache_whose_sources_changed_is_marked_and_says_what_changed(
    opened: Start, project: Path
) -> None:
    (project / "docs" / "new.md").write_text("# New\n")
    (project / "docs" / "faq.md").unlink()
    async with opened(size=(120, 40)) as run:
        assert "stale" in run.text("#about")
        assert "1 added, 1 removed" in run.text("#about")
        await run.press("ctrl+r")
        assert items(run) == ["+ new.md", "- faq.md"]


async def test_a_fresh_cache_says_that_a_rebuild_would_change_nothing(opened: Start) -> None:
    async with opened() as run:
        await run.press("ctrl+r")
        assert "fresh" in run.text("#state")
        await run.press("ctrl+r")
        assert "nothing was built" in run.text("#state")


async def test_a_rebuild_tells_what_it_changed_and_what_it_left_out(opened: Start, project: Path) -> None:
    async with opened(query=QUERY) as run:
        (project / "docs" / "new.md").write_text("# Roll back a deployment anew\n")
        (project / "docs" / "bin.md").write_bytes(b"a\0b")
        await run.press("ctrl+r", "r")
        assert "rebuilt" in run.text("#state")
        assert items(run) == ["+ new.md", "! bin.md"]
        assert "binary" in run.screen.items[-1].note
        await run.press("escape")
        run.screen.caches.reload()
        await run.settle()
        assert run.session.cache.document_count == len(DOCUMENTS) + 1
        assert "fresh" in str(run.session.freshness[run.session.info.path].state)


async def test_the_build_before_stays_open_to_be_compared_with(opened: Start, project: Path) -> None:
    async with opened(query=QUERY) as run:
        (project / "docs" / "deploy" / "rollback.md").unlink()
        await run.press("ctrl+r", "r", "f5")
        assert isinstance(run.screen, CompareScreen)
        changes = {each.id: each for each in run.screen.differences}
        gone = changes["deploy/rollback.md"]
        assert gone.before is not None and gone.after is None


async def test_without_a_build_before_there_is_nothing_to_compare_with(opened: Start) -> None:
    async with opened() as run:
        await run.press("ctrl+r", "f5")
        assert isinstance(run.screen, SourcesScreen)


async def test_a_described_cache_that_is_not_built_is_listed_and_built_from_its_row(
    opened: Start, project: Path
) -> None:
    """Wherever it goes: the configuration puts it outside the directory that is listed."""
    async with opened(size=(120, 40)) as run:
        await run.press("f6", "down")
        assert "not built yet" in run.text("#about")
        await run.press("ctrl+r", "r")
        assert "built" in run.text("#state")
        assert open_cache(project / "out" / "later").document_count == 1
        await run.press("escape")
        run.screen.caches.reload()
        await run.settle()
        later = run.session.catalog.find("later")
        assert later is not None and later.opens


async def test_a_build_that_is_stopped_leaves_the_cache_as_it_was(project: Path) -> None:
    (project / "docs" / "new.md").write_text("# New\n")
    place = project / ".ctx" / "caches" / "guide"
    before = open_cache(place).manifest.cache_version

    def stop(progress: Progress) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        rebuild(ProjectSession(project / "ctx.toml"), str(place), force=False, progress=stop)
    assert open_cache(place).manifest.cache_version == before


async def test_sources_without_a_document_do_not_empty_a_cache(opened: Start, project: Path) -> None:
    """As at the command line: a mistyped folder or pattern is likelier than the wish for an empty cache."""
    text = (project / "ctx.toml").read_text()
    (project / "ctx.toml").write_text(text.replace("[caches.guide]", '[caches.guide]\ninclude = ["no/**"]'))
    async with opened() as run:
        await run.press("ctrl+r", "r")
        assert "document" in run.text("Problem")
        assert run.session.cache.document_count == len(DOCUMENTS)
    assert open_cache(project / ".ctx" / "caches" / "guide").document_count == len(DOCUMENTS)


async def test_a_cache_that_nothing_describes_says_so(start: Start) -> None:
    async with start() as run:
        await run.press("ctrl+r")
        assert "ctx init" in run.text("Problem")
        await run.press("r")
        assert "ctx init" in run.text("Problem")


async def test_a_configuration_with_a_fault_is_told_with_its_line(opened: Start, project: Path) -> None:
    async with opened() as run:
        (project / "ctx.toml").write_text('[caches.guide]\nsources = "docs"\nspilt = "none"\n')
        await run.press("ctrl+r")
        assert "ctx.toml:3" in run.text("#state") and "spilt" in run.text("#state")


async def test_the_question_and_its_chosen_documents_become_a_test(opened: Start, project: Path) -> None:
    """What else stands in the configuration stays, comments too."""
    async with opened(query=QUERY) as run:
        chosen = run.screen.result.chosen_names(9)[0]
        assert len(chosen) > 1
        await run.press("down", "ctrl+s")
        assert run.screen.picked == chosen[1:2], "the highlighted document"
        await run.press("a", "a", "space")
        assert run.screen.picked == chosen[:1] + chosen[2:]
        await run.press("enter")
        assert isinstance(run.screen, MainScreen)
    text = (project / "ctx.toml").read_text()
    assert text.startswith(CONFIGURATION + "\n[[tests]]\n")
    saved = tomllib.loads(text)["tests"][-1]
    assert saved == {"cache": "guide", "query": QUERY, "budget": 500, "expect": chosen[:1] + chosen[2:]}


async def test_all_documents_are_left_or_taken_at_once(opened: Start) -> None:
    async with opened(query=QUERY) as run:
        await run.press("ctrl+s", "a")
        assert run.screen.picked == []
        await run.press("enter")
        assert isinstance(run.screen, SaveTestDialog), "a test that expects nothing is no test"
        await run.press("a")
        assert run.screen.picked
        await run.press("escape")
        assert isinstance(run.screen, MainScreen)


async def test_whole_files_can_be_expected_instead_of_their_sections(opened: Start, project: Path) -> None:
    (project / "docs" / "long.md").write_text(
        "\n".join(f"# Pump {number}\n\n" + "The pump is oiled. " * 90 for number in range(3))
    )
    load_project(project / "ctx.toml").cache("guide").update()
    async with opened(query="pump", budget=5000) as run:
        await run.press("ctrl+s")
        assert sorted(run.screen.names) == ["long.md#pump-0", "long.md#pump-1", "long.md#pump-2"]
        await run.press("f")
        assert run.screen.picked == ["long.md"]
        await run.press("enter")
    assert tomllib.loads((project / "ctx.toml").read_text())["tests"][-1]["expect"] == ["long.md"]


async def test_what_is_known_of_a_build_that_was_replaced_is_forgotten(opened: Start, project: Path) -> None:
    """It may have begun before the rebuild and end after it."""
    async with opened() as run:
        path = run.session.info.path
        late = FreshnessCheck(path=path, stamp=(0, 0, 0), freshness=Freshness(state="stale", added=("x.md",)))
        assert not run.session.record_freshness(late)
        assert run.session.freshness[path].state == "fresh"
        await run.press("ctrl+r")
        run.screen.show_freshness(late)
        await run.settle()
        assert "fresh" in run.text("#state")


async def test_a_rebuild_that_had_nothing_to_do_leaves_the_cache_fresh(opened: Start) -> None:
    async with opened(size=(120, 40)) as run:
        await run.press("ctrl+r", "r", "escape")
        assert "fresh" in run.text("#about")


async def test_a_stale_cache_is_told_where_its_list_is_folded_away(opened: Start, project: Path) -> None:
    (project / "docs" / "faq.md").unlink()
    async with opened(size=(80, 24)) as run:
        assert "stale" in run.text("TitleBar")


async def test_a_test_of_a_cache_that_is_not_here_is_not_asked_of_another(
    start: Start, project: Path
) -> None:
    with (project / "ctx.toml").open("a") as file:
        file.write('[[tests]]\ncache = "later"\nquery = "errors"\nexpect = ["errors.md"]\n')
    async with start(
        project / ".ctx" / "caches" / "guide", configuration=project / "ctx.toml", query=QUERY
    ) as run:
        await run.press("ctrl+t", "down", "enter")
        assert "later is not among the caches shown here" in run.text("Problem")
        await run.press("escape")
        assert run.screen.question.query == QUERY


async def test_nothing_chosen_is_nothing_to_expect(opened: Start) -> None:
    async with opened(query=QUERY, budget=0) as run:
        await run.press("ctrl+s")
        assert isinstance(run.screen, MainScreen)


async def test_the_tests_are_run_and_a_miss_is_explained(opened: Start, project: Path) -> None:
    with (project / "ctx.toml").open("a") as file:
        file.write('[[tests]]\ncache = "guide"\nquery = "rotation"\nexpect = ["faq.md"]\n')
    async with opened(size=(120, 40)) as run:
        await run.press("ctrl+t")
        assert isinstance(run.screen, QueryTestsScreen)
        assert "1 passed" in run.text("TitleBar") and "1 failed" in run.text("TitleBar")
        assert "passed" in run.text("#details")
        await run.press("down")
        assert "expects faq.md" in run.text("#details")
        assert "ctx.toml:17" in run.text("#details")


async def test_a_test_is_asked_on_the_main_screen(opened: Start) -> None:
    async with opened(query=QUERY) as run:
        await run.press("ctrl+t", "enter")
        assert run.screen.question.query == "who answers the pager"
        assert run.screen.question.budget == 500
        assert run.answer.ranking.count


async def test_tests_that_are_edited_meanwhile_are_run_as_they_are(opened: Start, project: Path) -> None:
    async with opened() as run:
        await run.press("ctrl+t")
        text = (project / "ctx.toml").read_text()
        (project / "ctx.toml").write_text(text.replace("oncall/pager.md", "oncall/nobody.md"))
        await run.press("x")
        assert run.screen.outcome.state == "error"
        assert "nobody.md" in run.text("#details")


async def test_a_project_without_tests_says_how_to_get_one(opened: Start, project: Path) -> None:
    text = (project / "ctx.toml").read_text()
    (project / "ctx.toml").write_text(text.partition("[[tests]]")[0])
    async with opened() as run:
        await run.press("ctrl+t")
        assert "no tests yet" in run.text("Problem")


async def test_a_broken_cache_can_be_rebuilt(opened: Start, project: Path) -> None:
    manifest = project / ".ctx" / "caches" / "guide" / "manifest.json"
    manifest.write_text("{")
    async with opened(size=(120, 40)) as run:
        await run.press("f6")
        assert run.screen.caches.highlighted.fault
        await run.press("ctrl+r", "r")
        assert "rebuilt" in run.text("#state")


async def test_the_source_of_a_document_is_known_from_the_configuration(opened: Start, project: Path) -> None:
    async with opened() as run:
        assert run.session.source_of("deploy/rollback.md") == project.resolve() / "docs/deploy/rollback.md"
        assert run.session.source_of("../ctx.toml") is None
