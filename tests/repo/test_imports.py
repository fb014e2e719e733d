"""What is imported, by whom, and what a cold start loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
HEAVY = {"mcp", "numpy", "pydantic", "textual", "tiktoken"}


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((REPO / folder).rglob("*.py"))]


def imported(path: Path) -> list[tuple[int, str]]:
    """The imports of a module as (number of dots, dotted name)."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or ""))
    return found


def test_nobody_imports_the_folder_src() -> None:
    """`import src` from the root of the repository would make a twin of the package."""
    culprits = [
        str(path.relative_to(REPO))
        for path in sources("src", "tests", "benchmarks", "samples")
        if any(not dots and name.split(".")[0] == "src" for dots, name in imported(path))
    ]
    assert culprits == []


def test_the_package_speaks_of_itself_relatively() -> None:
    """So that one folder stays one package, whatever it is installed as."""
    culprits = [
        str(path.relative_to(REPO))
        for path in sources("src")
        if any(not dots and name.split(".")[0] == "ctxcache" for dots, name in imported(path))
    ]
    assert culprits == []


RUN_CTX = "from ctxcache.cli import main; code = main(sys.argv[1:])"


def loaded(*arguments: str, cwd: Path, program: str = RUN_CTX, flags: tuple[str, ...] = ()) -> set[str]:
    """The top-level packages in memory after `ctx` ran with these arguments, successfully."""
    report = "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr); sys.exit(code)"
    command = [sys.executable, *flags, "-c", f"import sys; {program}; {report}", *arguments]
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return set(ran.stderr.split())


@pytest.fixture(scope="module")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds a cache of either format, `new` and `old`."""
    root = tmp_path_factory.mktemp("caches")
    (root / "docs").mkdir()
    (root / "docs" / "rollback.md").write_text("# Roll back\n\nRun `deploy rollback`.\n", "utf-8")
    (root / "docs" / "oncall.md").write_text("# On call\n\nWho answers the pager.\n", "utf-8")
    loaded("build", "docs", "--cache", "new", "--tokenizer", "bytes4", cwd=root)
    loaded("build", "docs", "--cache", "old", "--profile", "v0", cwd=root)
    return root


@pytest.mark.parametrize(
    "line",
    [
        "--version",
        "--help",
        "list .",
        "inspect --cache new",
        "resolve --cache new --query rollback --budget 100",
        "resolve --cache new --query rollback --budget 100 --format table",
        "resolve --cache old --query rollback --budget 100",
        "why --cache new --query rollback --budget 100 --format json",
    ],
)
def test_a_cold_start_loads_nothing_heavy(caches: Path, line: str) -> None:
    """Each of these costs more than the whole answer. A static graph cannot see a deferred import."""
    modules = loaded(*line.split(), cwd=caches)
    assert "ctxcache" in modules
    assert modules & (HEAVY | {"src"}) == set()


def test_a_cold_resolve_loads_little(caches: Path) -> None:
    """Each of these would cost as much as reading the cache. Without `site`, which loads some on its own."""
    program = f"sys.path.insert(0, {str(REPO / 'typings')!r}); {RUN_CTX}"
    line = ["resolve", "--cache", "new", "--query", "rollback", "--budget", "100"]
    modules = loaded(*line, cwd=caches, program=program, flags=("-S",))
    costly = {
        "dataclasses",
        "decimal",
        "inspect",
        "lzma",
        "pathlib",
        "random",
        "shutil",
        "typing",
        "unicodedata",
    }
    assert modules & costly == set()


def test_the_checkers_read_the_folder_that_installs() -> None:
    assert (REPO / "typings" / "ctxcache").resolve() == REPO / "src"
