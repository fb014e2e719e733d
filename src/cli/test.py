"""Run query tests: those of ctx.toml, or of FILE. What must an answer hold, what must it not?

Exit code 0 when all pass, 8 when one fails, 9 when one cannot be run: its cache or a document
that it expects does not exist. A cache that is stale is told; with --strict it is exit code 8.
--update rewrites what does not pass to what is answered now, and shows what came of it; look at
the difference before you keep it.
"""

from __future__ import annotations

from pathlib import Path

from ..builder.freshness import STALE
from ..errors import CtxError, UsageError
from ..project.config import shown
from ..project.project import find_project, require_project
from ..project.query_test_files import read_tests, update_tests
from ..resolver.cache import open_cache
from ..resolver.query_tests import ERROR, FAILED, PASSED, STATES, renewed, run_tests
from ..text.visible import visible
from .main import NOT_AS_IT_SHOULD_BE
from .output import narrate, write
from .parser import add_format
from .paths import find_cache, require_file, require_folder_of
from .tables import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from typing import Any

    from ..resolver.cache import Cache
    from ..resolver.query_tests import Outcomes, QueryTest

EXAMPLE = "ctx test --junit tests.xml"

CANNOT_BE_RUN = 9
"""Exit code when a test neither passes nor fails."""

_MARKS = {PASSED: "ok     ", FAILED: "FAILED ", ERROR: "ERROR  "}


def add_arguments(parser: ArgumentParser) -> None:
    """FILE and the forms of the outcome."""
    words = "a TOML file of [[tests]] (default: those of ctx.toml)"
    parser.add_argument("file", nargs="?", metavar="FILE", help=words)
    parser.add_argument("--junit", metavar="FILE", help="write the outcome as JUnit XML too")
    add_format(parser, "table", "json", "pretty")
    words = "bring the caches that are asked up to date first"
    parser.add_argument("--build", action="store_true", help=words)
    words = "a cache that is stale is as bad as a test that fails (exit code 8)"
    parser.add_argument("--strict", action="store_true", help=words)
    words = "rewrite the tests that do not pass to what is answered now"
    parser.add_argument("--update", action="store_true", help=words)


def run(options: Namespace) -> int:
    """Run the tests and write what came of them."""
    require_folder_of(options.junit)
    suite = _Suite(options.file)
    stale = suite.stale(build=options.build)
    outcomes = run_tests(suite.tests, suite.open)
    if options.junit is not None:
        from .junit import junit_xml

        Path(options.junit).write_bytes(junit_xml(outcomes, suite.name).encode("utf-8"))
    left = suite.update(outcomes) if options.update else outcomes
    if options.format == "table":
        write("".join(_in_words(left, suite.name)))
    else:
        write(left.to_json() if options.format == "json" else left.to_pretty())
    if left.count(ERROR):
        return CANNOT_BE_RUN
    return NOT_AS_IT_SHOULD_BE if left.count(FAILED) or (stale and options.strict) else 0


class _Suite:
    """Tests, the file that they are in, and the caches that they ask."""

    def __init__(self, named: str | None) -> None:
        """The tests of the file `named`, else those of the project."""
        self._named = named
        self._project = require_project() if named is None else find_project()
        if named is None and self._project is not None:
            self.file, self._section = self._project.file, self._project.section
            self.tests = self._project.tests
        else:
            require_file(str(named))
            self.file, self._section = Path(str(named)), ()
            self.tests = read_tests(self.file)
        self.name = shown(self.file)
        if not self.tests:
            raise UsageError(f"{self.name}: has no [[tests]], so nothing was tested")

    def open(self, name: str) -> Cache:
        """The cache that a test asks: one that is described; for a file, also what `--cache` would find."""
        if self._project is not None and (self._named is None or name in self._project.caches):
            return self._project.open(name)
        return open_cache(find_cache(name, None))

    def stale(self, *, build: bool) -> bool:
        """Whether a cache that is asked is stale; a line for each that is."""
        stale = False
        for name in dict.fromkeys(test.cache for test in self.tests):
            cache = self._project.caches.get(name) if self._project is not None else None
            if cache is None:
                continue
            if build:
                cache.update(allow_empty=False)
            elif (freshness := cache.freshness()).state == STALE:
                stale = True
                narrate(
                    f"warning: {name} is stale ({freshness.summary}); `ctx test --build` updates it first"
                )
        return stale

    def update(self, outcomes: Outcomes) -> Outcomes:
        """Rewrite what does not pass; what comes of the tests then."""
        wanting = {number: each.test for number, each in enumerate(outcomes.outcomes) if each.state != PASSED}
        updates = {number: self._renewed(test) for number, test in wanting.items()}
        update_tests(self.file, self._section, updates)
        narrate(f"{self.name}: {count(sum(map(bool, updates.values())), 'test')} rewritten")
        again = _Suite(self._named)
        return run_tests(again.tests, again.open)

    def _renewed(self, test: QueryTest) -> dict[str, Any]:
        try:
            return renewed(test, self.open(test.cache))
        except CtxError:  # it was told when the test was run
            return {}


def _in_words(outcomes: Outcomes, file: str) -> Iterator[str]:
    """A line for each test, the problems below it, and the sum."""
    for outcome in outcomes.outcomes:
        test = outcome.test
        yield f"{_MARKS[outcome.state]}{test.cache}: {visible(test.query)}\n"
        for problem in outcome.problems:
            yield f"       {visible(problem)}\n"
        if outcome.problems:
            yield f"       {visible(file)}:{test.line}, budget {test.budget:,}\n"
    counts = ((outcomes.count(state), state) for state in STATES)
    yield " · ".join(_counted(number, state) for number, state in counts if number) + "\n"


def _counted(number: int, state: str) -> str:
    """`3 passed`, `1 failed`, `2 errors`."""
    return count(number, state) if state == ERROR else f"{number:,} {state}"
