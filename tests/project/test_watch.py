"""Following changes on disk, with a real watch on real files."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache.errors import IoError
from ctxcache.project import watch
from ctxcache.project.project import load_project
from ctxcache.project.watch import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctxcache.errors import CtxError
    from ctxcache.project.caches import ProjectCache

PATIENCE = 60  # seconds before a test gives up


class Watched:
    """A watch in a thread, and a way to wait for what it does."""

    def __init__(self, root: Path) -> None:
        self.told: list[str] = []
        self.updates = 0
        self._happened = threading.Condition()
        self._stop = threading.Event()
        self._root = root
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something was done after which the condition holds."""
        with self._happened:
            assert self._happened.wait_for(condition, PATIENCE), self.told

    def holds(self, *ids: str) -> bool:
        """Whether the cache holds exactly these sources."""
        place = self._root / ".ctx/caches/handbook"
        if not (place / "manifest.json").exists():
            return False
        return {document.source for document in ctxcache.open_cache(place).documents()} == set(ids)

    def end(self) -> None:
        """Stop, which must be quick."""
        self._stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _follow(self) -> None:
        configuration = self._root / "ctx.toml"
        follow(
            lambda: list(load_project(configuration).caches.values()),
            self._update,
            self._tell,
            self._stop,
            configuration=configuration,
        )

    def _update(self, caches: Sequence[ProjectCache]) -> None:
        for cache in caches:
            try:
                cache.update(jobs=1)
            except ctxcache.errors.CtxError as error:
                self.told.append(str(error))
        self._notify()

    def _tell(self, error: CtxError) -> None:
        self.told.append(str(error))
        self._notify()

    def _notify(self) -> None:
        with self._happened:
            self.updates += 1
            self._happened.notify_all()


@pytest.fixture
def watched(project: Path) -> Iterator[Watched]:
    """A watch of the project, once its cache is built."""
    watched = Watched(project)
    try:
        watched.until(lambda: watched.holds(*PAGES))
        yield watched
    finally:
        watched.end()


PAGES = ("index.md", "deploy/rollback.md", "deploy/guide.md", "oncall.md")


def test_an_editor_that_replaces_files_is_followed(watched: Watched, project: Path) -> None:
    """Many write a new file and rename it over the old one."""
    for number in range(3):
        (project / "docs/.index.md.swp").write_text(f"# Edition {number}\n", "utf-8")
        (project / "docs/.index.md.swp").replace(project / "docs/index.md")
        watched.until(lambda number=number: document(project, "index.md") == f"# Edition {number}\n")  # type: ignore[misc]  # the number of this turn


def document(project: Path, id_: str) -> str:
    found = ctxcache.open_cache(project / ".ctx/caches/handbook").document(id_)
    return found.content if found else ""


def test_a_burst_of_changes_is_followed_to_the_last(watched: Watched, project: Path) -> None:
    """In few rebuilds, not in a thousand."""
    before = watched.updates
    for number in range(1000):
        (project / f"docs/{number}.md").write_text(f"# Page {number}\n", "utf-8")
    watched.until(lambda: watched.holds(*PAGES, *(f"{number}.md" for number in range(1000))))
    assert watched.updates - before < 100


def test_a_folder_that_is_deleted_and_made_again_is_followed(watched: Watched, project: Path) -> None:
    """The system's watch ends with the folder. Meanwhile the cache stays as it was."""
    shutil.move(project / "docs", project / "away")
    watched.until(lambda: any("no such folder" in line for line in watched.told))
    assert watched.holds(*PAGES)
    (project / "docs").mkdir()
    (project / "docs/new.md").write_text("# New\n", "utf-8")
    watched.until(lambda: watched.holds("new.md"))
    (project / "docs/newer.md").write_text("# Newer\n", "utf-8")
    watched.until(lambda: watched.holds("new.md", "newer.md"))


def test_a_configuration_that_is_edited_is_followed(watched: Watched, project: Path) -> None:
    """A mistake is told once and waited out; the next edition counts."""
    text = (project / "ctx.toml").read_text("utf-8")
    (project / "ctx.toml").write_text(text.replace("sources", "sauces"), "utf-8")
    watched.until(lambda: any("did you mean sources?" in line for line in watched.told))
    (project / "ctx.toml").write_text(text.replace("[[tests]]", 'exclude = ["deploy/"]\n[[tests]]'), "utf-8")
    watched.until(lambda: watched.holds("index.md", "oncall.md"))
    (project / "docs/new.md").write_text("# New\n", "utf-8")
    watched.until(lambda: watched.holds("index.md", "oncall.md", "new.md"))


def test_ignore_files_above_the_sources_are_followed(watched: Watched, project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("deploy/\n", "utf-8")
    watched.until(lambda: watched.holds("index.md", "oncall.md"))


def test_changes_are_given_out_when_the_folder_is_quiet() -> None:
    """A folder that is being deleted would be seen half empty; one that is never quiet is seen at last."""
    a, b, c = Path("a"), Path("b"), Path("c")
    assert [*watch._bursts(iter([[], [a], [b], [], [c], [], []]))] == [[], [a, b], [c], []]
    seconds = iter(range(100))
    endless = watch._bursts(([a] for _ in range(100)), lambda: next(seconds))
    assert 10 < len(next(endless)) < 40


def test_a_configuration_that_the_system_refused_once_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing about the file changes when it can be read again; the refusal is told once."""
    monkeypatch.setattr(watch, "RETRY", 0.1)
    (tmp_path / "ctx.toml").write_text("")
    told: list[CtxError] = []
    stop, calls = threading.Event(), iter(range(100))

    def load() -> list[ProjectCache]:
        if next(calls) == 3:
            stop.set()
            return []
        raise IoError("ctx.toml: Input/output error")

    configuration = {"configuration": tmp_path / "ctx.toml"}
    arguments = (load, lambda _: None, told.append, stop)
    thread = threading.Thread(target=follow, args=arguments, kwargs=configuration)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive() and len(told) == 1
