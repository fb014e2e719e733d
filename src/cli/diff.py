"""The command `diff`: two caches, or revisions of their sources, compared."""

from __future__ import annotations

from pathlib import Path

from ..arguments import DEFAULT_BUDGET, read_budget
from ..errors import CacheMissing, UsageError
from ..project.project import find_project
from ..project.revisions import build_revision
from ..resolver.cache import Cache, open_cache
from ..resolver.compare import Changes, Comparison, Difference, compare_queries
from ..safeio import is_directory, scratch_directory
from ..text.display import escape_control, pluralize
from .output import write, write_json
from .parser import Command, add_format, add_html, query_of
from .paths import find_cache, require_file, require_folder_of
from .terminal import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from ..project.project import Project


_MARKS = {"entered": "+", "left": "-", "moved": "~", "kept": " "}


def _diff_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("before", metavar="A", help="a cache, NAME@REVISION or REVISION")
    text = "the same (default: A is a name, and its sources at HEAD are compared with it)"
    parser.add_argument("after", nargs="?", metavar="B", help=text)
    text = "compare the answers to QUERY; may be repeated"
    parser.add_argument("-q", "--query", action="append", default=[], metavar="QUERY", help=text)
    text = "and to those in FILE: one a line, or queries.jsonl of a judged set, or a TOML file of [[tests]]"
    parser.add_argument("--queries", metavar="FILE", help=text)
    text = f"the most tokens of an answer (default: {DEFAULT_BUDGET})"
    parser.add_argument("-b", "--budget", metavar="TOKENS", help=text)
    parser.add_argument("--text", action="store_true", help="show what changed in each document")
    add_format(parser, "table", "json", "pretty")
    add_html(parser)


def _run_diff(options: Namespace) -> None:
    require_folder_of(options.html)
    queries = _queries(options)
    if options.after is None:
        options.before, options.after = f"{options.before}@HEAD", options.before
    with scratch_directory() as scratch:
        project, names = find_project(), (options.before, options.after)
        before = _open_side(options.before, names, project, scratch / "before")
        after = _open_side(options.after, names, project, scratch / "after")
        changes = Changes(before, after)
        answers = compare_queries(before, after, queries)
        if options.html is not None:
            from .html import write_comparison  # a library for templates

            write_comparison(options.html, changes, answers, (options.before, options.after))
        if options.format != "table":
            write_json(options.format, _as_dict(changes, answers, text=options.text))
        else:
            write("".join(_in_words(changes, answers, text=options.text)))


def _open_side(name: str, names: tuple[str, str], project: Project | None, scratch: Path) -> Cache:
    """Open one of the two caches with these names; a revision is built in the new folder `scratch`.

    Raises `UsageError`, `OperationError`.
    """
    caches = project.caches if project is not None else {}
    if project is not None and name in caches:
        return project.open(name)
    directory = _directory(name)
    if is_directory(directory):
        return open_cache(directory)
    scratch.mkdir()
    cache, _, revision = name.partition("@")
    if cache in caches and revision:
        return open_cache(build_revision(caches[cache], revision, scratch))
    if revision and cache and is_directory(_directory(cache)):
        raise UsageError(
            f"{name}: ctx.toml has no cache {cache}, so the sources of it at {revision} are not known"
        )
    others = [other.partition("@")[0] for other in names if other != name]
    candidates = [other for other in others if other in caches] or list(caches)
    if len(candidates) != 1:  # a bare revision may be one of several caches
        return open_cache(directory)
    try:
        return open_cache(build_revision(caches[candidates[0]], name, scratch))
    except UsageError as error:
        raise CacheMissing(f"{name}: there is no such cache, and as a revision: {error}") from None


def _directory(name: str) -> str:
    """The directory of a cache; `name` itself for an unknown name with `@`, which may be a revision."""
    try:
        return find_cache(name, None)
    except CacheMissing:
        if "@" not in name:
            raise
        return name


def _queries(options: Namespace) -> list[tuple[str, int]]:
    """(query, budget) of `--query` and `--queries`."""
    budget = DEFAULT_BUDGET if options.budget is None else read_budget(options.budget)
    queries = [(query_of(query), budget) for query in options.query]
    if options.queries is None:
        return queries
    require_file(options.queries)
    file = Path(options.queries)
    if file.suffix == ".toml":
        from ..project.edits import read_tests

        return queries + [(test.query, test.budget) for test in read_tests(file)]
    from ..resolver.evaluate import read_queries

    return queries + [(query, budget) for query in read_queries(file).values()]


def _as_dict(
    changes: Changes, answers: list[tuple[str, int, Comparison]], *, text: bool
) -> dict[str, object]:
    queries = [
        {"query": query, "budget": budget} | comparison.to_dict(cause=True)
        for query, budget, comparison in answers
    ]
    return {"documents": changes.to_dict(text=text), "queries": queries}


def _in_words(changes: Changes, answers: list[tuple[str, int, Comparison]], *, text: bool) -> Iterator[str]:
    """The changed documents, with `text` also their changed lines, then the answers to each query."""
    for mark, id_ in changes.marked:
        yield f"{mark} {escape_control(id_)}\n"
        if text:
            yield from (f"  {escape_control(line)}\n" for line in changes.text_diff(id_))
    counts = (len(changes.added), len(changes.removed), len(changes.changed), changes.unchanged)
    yield "documents: {:,} added, {:,} removed, {:,} changed, {:,} unchanged\n".format(*counts)
    for query, budget, comparison in answers:
        yield f"\n{escape_control(query)}\n"
        rows = [_row(difference) for difference in comparison.differences]
        yield table(rows, "<<><", shorten=1) if rows else "  nothing is chosen on either side\n"
        before, after = comparison.before.tokens_used, comparison.after.tokens_used
        yield f"  {after:,} of {pluralize(budget, 'token')} used, before {before:,}\n"


def _row(difference: Difference) -> tuple[str, str, str, str]:
    before = difference.before.rank if difference.before else None
    after = difference.after.rank if difference.after else None
    ranks = f"{before or '-'} → {after or '-'}"
    cause = "" if difference.fate == "kept" else f"{difference.fate}: {difference.cause}"
    return f"  {_MARKS[difference.fate]}", difference.id, ranks, cause


DIFF = Command(
    help="""Compare two caches: documents added, removed, changed, and what that does to queries.

A and B are caches, or git revisions of the sources of a cache in ctx.toml: NAME@REVISION, or
REVISION alone where it is clear of which cache. Such a revision is built in a temporary place
with the present configuration.""",
    examples=('ctx diff handbook@HEAD~1 handbook --query "roll back" --budget 2000',),
    arguments=_diff_arguments,
    run=_run_diff,
)
