"""The commands that check answers: `test` runs query tests, `eval` measures answers to judged queries."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ..arguments import DEFAULT_BUDGET, read_budget
from ..builder.freshness import INVALID, STALE
from ..errors import CtxError, IoError, UsageError
from ..project.edits import read_tests, update_tests
from ..project.project import find_project, require_project
from ..project.toml_file import display_path
from ..resolver.cache import open_cache
from ..resolver.evaluate import MEASURES, Baseline, BudgetFigures, evaluate, read_qrels, read_queries
from ..resolver.query_tests import ERROR, FAILED, PASSED, STATES, Outcomes, renewed_fields, run_tests
from ..safeio import read_bytes, scratch_directory, write_output
from ..text.display import escape_control, pluralize
from .main import ExitCode
from .output import narrate, write_as
from .parser import Command, add_format, add_html, add_workers, executor, require_positive
from .paths import find_cache, require_file, require_folder_of
from .terminal import table

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from typing import Any

    from ..resolver.cache import Cache
    from ..resolver.evaluate import Evaluation, Figures
    from ..resolver.query_tests import Outcome, QueryTest

_MARKS = {PASSED: "ok     ", FAILED: "FAILED ", ERROR: "ERROR  "}


def _test_arguments(parser: ArgumentParser) -> None:
    text = "a TOML file of [[tests]] (default: those of ctx.toml)"
    parser.add_argument("file", nargs="?", metavar="FILE", help=text)
    parser.add_argument("--junit", metavar="FILE", help="write the outcome as JUnit XML too")
    add_html(parser)
    add_format(parser, "table", "json", "pretty")
    text = "bring the caches that are asked up to date first"
    parser.add_argument("--build", action="store_true", help=text)
    text = "a cache that is stale is as bad as a test that fails (exit code 8)"
    parser.add_argument("--strict", action="store_true", help=text)
    text = "rewrite the tests that do not pass to what is answered now"
    parser.add_argument("--update", action="store_true", help=text)
    add_workers(parser, "ask", "caches")


def _run_test(options: Namespace) -> int:
    require_positive(options, "jobs")
    for file in (options.junit, options.html):
        require_folder_of(file)
    suite = _Suite(options.file)
    stale = suite.stale(build=options.build)
    with executor(options) as workers:
        outcomes = run_tests(suite.tests, suite.open, jobs=options.jobs, executor=workers)
    if options.junit is not None:
        write_output(Path(options.junit), junit_xml(outcomes, suite.name).encode("utf-8"))
    if options.update:
        outcomes = suite.update(outcomes)
    if options.html is not None:
        from .html import write_outcomes  # jinja2, which takes long to load

        write_outcomes(options.html, outcomes, name=suite.name)
    write_as(options.format, outcomes, lambda: "".join(_outcomes_in_words(outcomes, suite.name)))
    if outcomes.count(ERROR):
        return ExitCode.CANNOT_BE_RUN
    return ExitCode.NOT_AS_IT_SHOULD_BE if outcomes.count(FAILED) or (stale and options.strict) else 0


class _Suite:
    """Query tests, the file that they are in, and the caches that they ask."""

    def __init__(self, file: str | None) -> None:
        """The tests of `file`; with None those of the project. Raises `UsageError` if there are none."""
        self._is_project = file is None
        self._project = require_project() if file is None else find_project()
        if file is None and self._project is not None:
            self.file, self._section = self._project.file, self._project.section
            self.tests = self._project.tests
        else:
            require_file(str(file))
            self.file, self._section = Path(str(file)), ()
            self.tests = read_tests(self.file)
        self.name = display_path(self.file)
        if not self.tests:
            raise UsageError(f"{self.name}: has no [[tests]], so nothing was tested")

    def open(self, name: str) -> Cache:
        """Open the cache of a test: a configured one; for a file of tests, also one that `--cache` finds."""
        if self._project is not None and (self._is_project or name in self._project.caches):
            return self._project.open(name)
        return open_cache(find_cache(name, None))

    def stale(self, *, build: bool) -> bool:
        """Narrate which caches of the tests are stale or invalid; True if any. `build` updates them."""
        stale = False
        for name in dict.fromkeys(test.cache for test in self.tests):
            cache = self._project.caches.get(name) if self._project is not None else None
            if cache is None:
                continue
            if build:
                cache.update(allow_empty=False)
            elif (freshness := cache.freshness()).state in (STALE, INVALID):
                stale = True
                remedy = "" if freshness.is_blocked else "; `ctx test --build` updates it first"
                narrate(f"warning: {name} is {freshness.state} ({freshness.summary}){remedy}")
        return stale

    def update(self, outcomes: Outcomes) -> Outcomes:
        """Rewrite the tests that do not pass to the present answers; returns the new outcomes.

        The new tests are run before the file is written, so that no error can follow.
        """
        new, updates = list(outcomes.outcomes), {}
        for number, outcome in enumerate(outcomes.outcomes):
            fields = {} if outcome.state == PASSED else self._renewed_fields(outcome.test)
            if fields:
                new[number] = self._run_with(outcome.test, fields)
                if new[number].state != ERROR:
                    updates[number] = fields
        if updates:
            lines = update_tests(self.file, self._section, updates)  # another run may have added a test below
            new = [outcome.at(line) for outcome, line in zip(new, lines, strict=False)]
        narrate(f"{self.name}: {pluralize(len(updates), 'test')} rewritten")
        return Outcomes(new)

    def _renewed_fields(self, test: QueryTest) -> dict[str, Any]:
        try:
            return renewed_fields(test, self.open(test.cache))
        except CtxError:  # running the test has reported it
            return {}

    def _run_with(self, test: QueryTest, fields: dict[str, Any]) -> Outcome:
        """Run a test with other values of some fields; None stands for an empty list."""
        values = {name: [] if value is None else value for name, value in fields.items()}
        return run_tests([replace(test, **values)], self.open).outcomes[0]


def _outcomes_in_words(outcomes: Outcomes, file: str) -> Iterator[str]:
    """A line for each test, with its problems below, and the numbers of tests by state."""
    for outcome in outcomes.outcomes:
        test = outcome.test
        yield f"{_MARKS[outcome.state]}{test.cache}: {escape_control(test.query)}\n"
        for problem in outcome.problems:
            yield f"       {escape_control(problem)}\n"
        if outcome.problems:
            yield f"       {escape_control(file)}:{test.line}, budget {test.budget:,}\n"
    counts = [(outcomes.count(state), state) for state in STATES]
    parts = [pluralize(n, state) if state == ERROR else f"{n:,} {state}" for n, state in counts if n]
    yield " · ".join(parts) + "\n"


TEST = Command(
    help="""Run query tests: those of ctx.toml, or of FILE. What must an answer hold, what must it not?

Exit code 0 when all pass, 8 when one fails, 9 when one cannot be run: its cache or a document
that it expects does not exist. A cache that is stale is told; with --strict it is exit code 8.
--update rewrites what does not pass to what is answered now, and shows what came of it; look at
the difference before you keep it.""",
    examples=("ctx test --junit tests.xml",),
    arguments=_test_arguments,
    run=_run_test,
)


def _eval_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("queries", metavar="QUERIES", help='{"_id", "text"} a line')
    add("--qrels", required=True, metavar="FILE", help="query id, document id, gain, between tabs")
    source = parser.add_mutually_exclusive_group(required=True)
    text = "a directory, or the name of a cache in .ctx/caches"
    source.add_argument("-c", "--cache", metavar="CACHE", help=text)
    source.add_argument("--corpus", metavar="FILE", help='build from {"_id", "title", "text"} a line')
    add("-b", "--budget", metavar="TOKENS", help=f"of an answer (default: {DEFAULT_BUDGET})")
    add("--save", metavar="FILE", help="write the figures as JSON, to be a baseline later")
    add("--baseline", metavar="FILE", help="compare with figures that were saved")
    add_html(parser)
    add_format(parser, "table", "json", "pretty")
    add_workers(parser, "ask", "cache")


def _run_eval(options: Namespace) -> None:
    require_positive(options, "jobs")
    budget = DEFAULT_BUDGET if options.budget is None else read_budget(options.budget)
    for name in filter(None, (options.queries, options.qrels, options.corpus, options.baseline)):
        require_file(name)
    for file in (options.save, options.html):
        require_folder_of(file)
    queries, judgements = read_queries(Path(options.queries)), read_qrels(Path(options.qrels))
    baseline = None if options.baseline is None else _baseline(Path(options.baseline))
    with _cache(options) as cache, executor(options) as workers:
        evaluation = evaluate(cache, queries, judgements, budget=budget, jobs=options.jobs, executor=workers)
    if not evaluation.queries:
        raise UsageError(f"{options.qrels}: judges none of the queries in {options.queries}")
    if evaluation.unknown:
        lacking = pluralize(len(evaluation.unknown), "relevant document")
        narrate(f"warning: the cache lacks {lacking}, the first is {evaluation.unknown[0]}")
    if options.save is not None:
        write_output(Path(options.save), evaluation.to_pretty().encode("utf-8"))
    if options.html is not None:
        from .html import write_evaluation  # a library for templates

        name = options.cache or options.corpus
        write_evaluation(options.html, evaluation, queries, baseline, name=name)
    before = baseline.queries if baseline else None
    write_as(options.format, evaluation, lambda: _figures_in_words(evaluation, before))


@contextmanager
def _cache(options: Namespace) -> Iterator[Cache]:
    """Open the cache of `--cache`, or build one of `--corpus` in a temporary folder."""
    if options.corpus is None:
        yield open_cache(find_cache(options.cache, None))
        return
    from ..builder.build import build
    from ..builder.inputs import read_corpus

    with scratch_directory() as scratch:
        build(read_corpus(Path(options.corpus)), scratch / "cache")
        yield open_cache(str(scratch / "cache"))


def _baseline(file: Path) -> Baseline:
    """Read the figures that `ctx eval --save` wrote. Raises `IoError`, `UsageError`."""
    try:
        saved: Any = json.loads(read_bytes(file))
        queries = {
            id_: {name: float(figures[name]) for name in MEASURES}
            for id_, figures in saved["queries"].items()
        }
        curve = [
            BudgetFigures(int(point["budget"]), float(point["recall"]), float(point["complete"]))
            for point in saved.get("curve", ())
        ]
    except OSError as error:
        raise IoError(f"{file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{file}: not figures that `ctx eval --save` wrote") from None
    return Baseline(queries, curve)


def _figures_in_words(evaluation: Evaluation, baseline: dict[str, Figures] | None) -> str:
    """A row for each query and one for the means; a baseline puts a difference beside each figure."""
    before = baseline or {}
    rows: list[tuple[str, ...]] = [("query", *MEASURES)]
    rows += [(id_, *_figure_cells(figures, before.get(id_))) for id_, figures in evaluation.queries.items()]
    common = [before[id_] for id_ in evaluation.queries if id_ in before]
    means = (
        {name: sum(figures[name] for figures in common) / len(common) for name in MEASURES}
        if common
        else None
    )
    rows.append((f"mean of {len(evaluation.queries):,}", *_figure_cells(evaluation.means, means)))
    return table(rows, "<" + ">" * len(MEASURES))


def _figure_cells(figures: Figures, before: Figures | None) -> list[str]:
    if before is None:
        return [f"{figures[name]:.3f}" for name in MEASURES]
    return [f"{figures[name]:.3f} {round(figures[name] - before[name], 3) + 0.0:+.3f}" for name in MEASURES]


EVAL = Command(
    help="""Measure how well a cache answers judged queries: nDCG@10, recall@100, MRR, recall in the budget.

QUERIES and --qrels are files in BEIR layout: queries.jsonl and a tab-separated file of query
id, document and gain. A document is named as in a query test: an id, a file, a folder, a pattern. Instead of
a cache, --corpus takes a corpus.jsonl and builds one for the moment.""",
    examples=("ctx eval queries.jsonl --qrels qrels/test.tsv --cache handbook --baseline before.json",),
    arguments=_eval_arguments,
    run=_run_eval,
)


_ELEMENTS = {FAILED: "failure", ERROR: "error"}


def junit_xml(outcomes: Outcomes, file: str) -> str:
    """A JUnit suite with a case for each test; control characters, which XML forbids, are escaped."""
    failed, errors = outcomes.count(FAILED), outcomes.count(ERROR)
    counts = f'tests="{len(outcomes.outcomes)}" failures="{failed}" errors="{errors}"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n'
        f"  <testsuite name={_quoted(file)} {counts}>\n"
        + "".join(_junit_case(outcome, file) for outcome in outcomes.outcomes)
        + "  </testsuite>\n</testsuites>\n"
    )


def _junit_case(outcome: Outcome, file: str) -> str:
    test, place = outcome.test, f'file={_quoted(file)} line="{outcome.test.line}"'
    case = f"    <testcase classname={_quoted(test.cache)} name={_quoted(test.query)} {place}"
    element = _ELEMENTS.get(outcome.state)
    if element is None:
        return f"{case}/>\n"
    text = escape("\n".join(map(escape_control, outcome.problems)))
    message = _quoted(outcome.problems[0])
    return f"{case}>\n      <{element} message={message}>{text}</{element}>\n    </testcase>\n"


def _quoted(text: str) -> str:
    return quoteattr(escape_control(text))
