"""The pages of `docs/` against the program."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from ctxcache.cli.main import COMMANDS, command_of

REPO = Path(__file__).parents[2]
PAGES = [
    *(REPO / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((REPO / "docs").glob("*.md")),
]
SHARED_OPTIONS = {"--help", "--cache", "--cache-root", "--query", "--budget", "--format", "--json"}


def options(parser: ArgumentParser) -> set[str]:
    """The long options of a parser and of the parsers below it."""
    found = {option for action in parser._actions for option in action.option_strings if option[:2] == "--"}
    for action in parser._actions:
        if isinstance(action.choices, dict):
            found = found.union(*map(options, action.choices.values()))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_described(name: str) -> None:
    page = (REPO / "docs" / "commands.md").read_text("utf-8")
    section = page.partition(f"\n## ctx {name}\n")[2].partition("\n## ")[0]
    parser = ArgumentParser()
    command_of(name).arguments(parser)
    assert section
    assert {option for option in options(parser) - SHARED_OPTIONS if option not in section} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    """What a page shows between fences is output; the links in it are those of another page."""
    broken = []
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#:]+)?(?:#[^)]*)?\)", text):
        if target and not (page.parent / target).exists():
            broken.append(target)
    assert broken == []


def test_the_readme_shows_what_the_program_prints(tmp_path: Path) -> None:
    """`make samples` renews it."""
    readme = tmp_path / "README.md"
    (tmp_path / "scripts").mkdir()
    shutil.copy(REPO / "README.md", readme)
    shutil.copy(REPO / "scripts" / "renew_readme.py", tmp_path / "scripts")
    (tmp_path / "samples").symlink_to(REPO / "samples")
    subprocess.run([sys.executable, str(tmp_path / "scripts" / "renew_readme.py")], check=True)
    assert readme.read_text("utf-8") == (REPO / "README.md").read_text("utf-8")


def test_the_page_of_the_library_is_what_its_docstrings_say() -> None:
    """`make samples` renews it."""
    command = [sys.executable, str(REPO / "scripts" / "renew_api.py"), "-"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    assert ran.stdout == (REPO / "docs" / "api.md").read_text("utf-8")


def test_the_page_of_the_architecture_names_what_is_there() -> None:
    """Every folder has its heading, and every module that is named exists."""
    text = (REPO / "docs" / "architecture.md").read_text("utf-8")
    folders = {path.name for path in (REPO / "src").iterdir() if (path / "__init__.py").is_file()}
    assert {folder for folder in folders if f"\n## {folder}\n" not in text} == set()
    named = {name for name in re.findall(r"\b([a-z_]+/[a-z_]+)\b", text) if name.partition("/")[0] in folders}
    paths = [REPO / "src" / name for name in named]
    assert len(named) > 30
    assert [str(path) for path in paths if not path.is_dir() and not path.with_suffix(".py").is_file()] == []


def test_the_site_has_every_page() -> None:
    """`make docs` puts them together; a page in no menu would be found by nobody."""
    spec = spec_from_file_location("build_site", REPO / "scripts/build_site.py")
    assert spec is not None and spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    menu = re.findall(r'= "([^"]+\.md)"', (REPO / "zensical.toml").read_text("utf-8"))
    pages = [page.name for page in (REPO / "docs").glob("*.md")]
    assert sorted(menu) == sorted([*script.ROOT_PAGES.values(), *pages])
