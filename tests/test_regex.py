"""The probe of the interpreter's regular expressions, and what it does not cover."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from re import _constants as op  # type: ignore[attr-defined]  # CPython's own parse tree has no stubs
from re import _parser as parser  # type: ignore[attr-defined]  # the same
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache.errors import UsageError
from ctxcache.regex import FLOOR, require_sound_regex

if TYPE_CHECKING:
    from pathlib import Path

WRONG_POSSESSIVE = "re.fullmatch = lambda pattern, text: re.match('a', text)"
WRONG_ATOMIC = "re.match = lambda pattern, text: re.search('ABCD', text)"


@pytest.mark.parametrize("fault", [WRONG_POSSESSIVE, WRONG_ATOMIC])
@pytest.mark.parametrize("line", ["build docs --cache cache", "resolve --cache cache -q roll -b 9", "serve"])
def test_a_wrong_interpreter_is_refused_in_one_sentence(tmp_path: Path, fault: str, line: str) -> None:
    """Otherwise it would build other bytes and answer otherwise, without a word."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "roll.md").write_text("# Roll\n", "utf-8")
    program = f"import re, sys; from ctxcache.cli import main; {fault}; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, *line.split()]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.endswith(f"use CPython {FLOOR} or newer\n")
    assert not (tmp_path / "cache").exists()


def test_the_interpreter_of_the_tests_is_admitted() -> None:
    require_sound_regex()


def test_the_library_raises_what_the_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(re, "fullmatch", re.match)
    with pytest.raises(UsageError, match="matches some regular expressions wrongly"):
        require_sound_regex()


def patterns() -> list[tuple[str, re.Pattern[Any]]]:
    """Every compiled pattern that a module of the package holds."""
    found = []
    for module in pkgutil.walk_packages(ctxcache.__path__, "ctxcache."):
        if not module.name.endswith("__main__"):
            names = vars(importlib.import_module(module.name)).items()
            found += [
                (f"{module.name}.{name}", value) for name, value in names if isinstance(value, re.Pattern)
            ]
    return found


def captures_in_branches(tree: Any, *, possessive: bool = False, branch: bool = False) -> bool:
    """Whether a branch below a possessive repeat captures a group."""
    for code, argument in tree:
        if code is op.SUBPATTERN and argument[0] is not None and branch:
            return True
        below = possessive or code is op.POSSESSIVE_REPEAT
        branched = branch or (below and code is op.BRANCH)
        parts = argument if isinstance(argument, tuple) else (argument,)
        trees = [part for each in parts for part in (each if isinstance(each, list) else [each])]
        for part in trees:
            if isinstance(part, parser.SubPattern) and captures_in_branches(
                part, possessive=below, branch=branched
            ):
                return True
    return False


@pytest.mark.parametrize(
    ("text", "wrong"), [("((x)|y)*+", True), ("(?:(x)|y)*", False), ("((?:x|y)*+)", False)]
)
def test_captures_in_branches_are_recognized(text: str, wrong: bool) -> None:
    assert captures_in_branches(parser.parse(text)) is wrong


def test_no_possessive_repeat_captures_in_a_branch() -> None:
    """CPython before 3.12.8 and 3.13.1 gives such groups wrong spans, or `SystemError`."""
    found = patterns()
    assert len(found) > 30
    wrong = [
        name
        for name, each in found
        if captures_in_branches(parser.parse(each.pattern, each.flags & ~re.DEBUG))
    ]
    assert wrong == []
