"""Whether a cache is fresh, what a build did and the results of tests, as lines of spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spans import Cell, Column, Line, count, escaped

if TYPE_CHECKING:
    from ...builder.freshness import Freshness
    from ...project.caches import Built
    from ...resolver.compare import Changes
    from ...resolver.query_tests import Outcome, Outcomes
    from .spans import Row

ADDED, REMOVED, CHANGED, LEFT_OUT, WARNING, CONFIGURED = "+", "-", "~", "○", "!", "≠"
ROLES = {
    ADDED: "good",
    REMOVED: "bad",
    CHANGED: "accent",
    LEFT_OUT: "dim",
    WARNING: "warn",
    CONFIGURED: "warn",
}
STATE_ROLES = {"fresh": "good", "stale": "warn", "missing": "warn", "invalid": "bad"}
ITEM_COLUMNS = (
    Column(),
    Column(title="name", share=3, least=16, middle=True),
    Column(title="what of it", share=2, least=16, middle=True),
)
OUTCOME_COLUMNS = (
    Column(),
    Column(title="cache", share=1, least=8, middle=True),
    Column(title="query", share=4, least=14),
    Column(title="budget", right=True),
)
OUTCOME_MARKS = {"passed": ("✓", "good"), "failed": ("✗", "bad"), "error": ("!", "warn")}


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One line of what changed or what was done."""

    mark: str
    name: str
    note: str = ""


def freshness_items(freshness: Freshness) -> list[Item]:
    """Each source that was added, removed or changed, and what is configured otherwise."""
    kinds = ((ADDED, freshness.added), (REMOVED, freshness.removed), (CHANGED, freshness.changed))
    words = {ADDED: "new source", REMOVED: "source is gone", CHANGED: "source changed"}
    items = [Item(mark=mark, name=id_, note=words[mark]) for mark, ids in kinds for id_ in ids]
    settings = (line.partition(": ") for line in freshness.configuration)
    return items + [Item(mark=CONFIGURED, name=name, note=note) for name, _, note in settings]


def built_items(built: Built, changes: Changes | None) -> list[Item]:
    """Each document that the rebuild changed, then what it left out and why, then its warnings."""
    items: list[Item] = []
    if changes is not None:
        kinds = ((ADDED, changes.added), (REMOVED, changes.removed), (CHANGED, changes.changed))
        words = {ADDED: "new document", REMOVED: "document is gone", CHANGED: "document changed"}
        items = [Item(mark=mark, name=id_, note=words[mark]) for mark, ids in kinds for id_ in ids]
    if built.report is not None:
        items += [
            Item(mark=WARNING if skipped.fault else LEFT_OUT, name=skipped.path, note=skipped.rule)
            for skipped in built.report.skipped
        ]
        items += [
            Item(mark=WARNING, name=notice.path or "the build", note=notice.message)
            for notice in built.report.warnings
        ]
    return items


def item_cells(item: Item) -> Row:
    """A mark, a name, and what is to be said of it."""
    name = escaped(item.name)
    return (Cell(item.mark, ROLES[item.mark]), Cell(name, full=name), Cell(escaped(item.note), "dim"))


def freshness_line(freshness: Freshness) -> Line:
    """The state, and what led to it in a few words."""
    words = {
        "fresh": "a rebuild would change nothing",
        "missing": "there is no cache: a build makes it",
    }.get(freshness.state, freshness.summary)
    role = STATE_ROLES[freshness.state]
    return [(freshness.state, f"{role}"), (f"  {escaped(words)}", "")]


def built_line(built: Built, changes: Changes | None) -> Line:
    """What a rebuild made."""
    report = built.report
    if report is None:
        return [("fresh", "good"), ("  nothing had changed, so nothing was built", "")]
    made = f"{count(report.documents, 'document')} from {count(report.sources, 'file')}"
    words = f"{made}, {count(report.tokens, 'token')}"
    if report.skipped:
        words += f" · {len(report.skipped):,} left out"
    if report.warnings:
        words += f" · {count(len(report.warnings), 'warning')}"
    if changes is not None:
        sums = f"+{len(changes.added):,} -{len(changes.removed):,} ~{len(changes.changed):,}"
        words += f" · {sums} against the build before"
    return [("built" if built.before.state == "missing" else "rebuilt", "good"), (f"  {words}", "")]


def progress_line(done: int, total: int, width: int) -> Line:
    """How far a build is, as a bar of at most `width` cells."""
    share = min(1.0, done / total) if total else 0.0
    room = max(10, width - 8)
    full = int(room * share)
    return [("█" * full, "bar"), ("░" * (room - full), "dim"), (f"  {share:>4.0%}", "")]


def outcome_cells(outcome: Outcome) -> Row:
    """One test: how it ended, its cache, its query, its budget."""
    query = escaped(outcome.test.query)
    return (
        Cell(*OUTCOME_MARKS[outcome.state]),
        Cell(escaped(outcome.test.cache), "dim"),
        Cell(query, full=query),
        Cell(f"{outcome.test.budget:,}", "dim"),
    )


def outcome_details(outcome: Outcome, file: str) -> list[Line]:
    """What a test expects, what is missed, and what was chosen."""
    test = outcome.test
    mark, role = OUTCOME_MARKS[outcome.state]
    lines: list[Line] = [[(f"{mark} {outcome.state}", role), (f"   {file}:{test.line}", "dim")], []]
    lines += [[("✗ ", "bad"), (escaped(problem), "")] for problem in outcome.problems]
    expected = " or ".join(test.expect) if test.any else ", ".join(test.expect)
    limits = [f"rank {test.at_most_rank} or before"] if test.at_most_rank is not None else []
    limits += [f"score {test.min_score} or more"] if test.min_score is not None else []
    rows = (("expects", expected), ("within", ", ".join(limits)), ("forbids", ", ".join(test.forbid)))
    lines += [[(f"{name} ", "dim"), (escaped(words), "")] for name, words in rows if words]
    lines += [[("chosen ", "dim"), (escaped(id_), "")] for id_ in outcome.chosen]
    return lines


def outcomes_spans(outcomes: Outcomes) -> Line:
    """How many tests ended in each way."""
    spans: Line = []
    for state, (_, role) in OUTCOME_MARKS.items():
        number = outcomes.count(state)
        if number:
            spans += [
                (f"{number:,} ", role),
                (f"{'errors' if state == 'error' and number > 1 else state}  ", "dim"),
            ]
    return spans or [("no tests yet ", "dim")]
