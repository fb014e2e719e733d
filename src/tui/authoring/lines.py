"""How a cache stands to its sources, what a build did and what came of tests, as lines of pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..pieces import Piece, count, cropped, padded, shown

if TYPE_CHECKING:
    from ...builder.freshness import Freshness
    from ...project.caches import Built
    from ...resolver.changes import Changes
    from ...resolver.query_tests import Outcome, Outcomes

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
    return items + [Item(mark=CONFIGURED, name=line) for line in freshness.configuration]


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


def item_line(item: Item, width: int) -> list[Piece]:
    """A mark, a name, and what is to be said of it."""
    room = max(8, min(width // 2, width - 20)) if item.note else max(8, width - 4)
    return [
        (f" {item.mark} ", ROLES[item.mark]),
        (padded(shown(item.name), room), ""),
        (f" {cropped(shown(item.note), max(4, width - room - 5))}", "dim"),
    ]


def freshness_line(freshness: Freshness) -> list[Piece]:
    """The state, and what led to it in a few words."""
    words = {
        "fresh": "a rebuild would change nothing",
        "missing": "there is no cache: a build makes it",
    }.get(freshness.state, freshness.summary)
    role = STATE_ROLES[freshness.state]
    return [(freshness.state, f"{role}"), (f"  {shown(words)}", "")]


def built_line(built: Built, changes: Changes | None) -> list[Piece]:
    """What a rebuild made."""
    report = built.report
    if report is None:
        return [("fresh", "good"), ("  nothing had changed, so nothing was built", "")]
    made = f"{count(report.documents, 'document')} from {count(report.sources, 'file')}"
    told = f"{made}, {count(report.tokens, 'token')}"
    if report.skipped:
        told += f" · {len(report.skipped):,} left out"
    if report.warnings:
        told += f" · {count(len(report.warnings), 'warning')}"
    if changes is not None:
        sums = f"+{len(changes.added):,} -{len(changes.removed):,} ~{len(changes.changed):,}"
        told += f" · {sums} against the build before"
    return [("built" if built.before.state == "missing" else "rebuilt", "good"), (f"  {told}", "")]


def progress_line(done: int, total: int, width: int) -> list[Piece]:
    """How far a build is, as a bar of at most `width` cells."""
    share = min(1.0, done / total) if total else 0.0
    room = max(10, width - 8)
    full = int(room * share)
    return [("█" * full, "bar"), ("░" * (room - full), "dim"), (f"  {share:>4.0%}", "")]


def outcome_line(outcome: Outcome, width: int) -> list[Piece]:
    """One test: how it ended, its cache, its query, its budget."""
    mark, role = OUTCOME_MARKS[outcome.state]
    name = cropped(shown(outcome.test.cache), 16)
    room = max(8, width - 32)
    return [
        (f" {mark} ", role),
        (padded(name, 16), "dim"),
        (f" {padded(shown(outcome.test.query), room)}", ""),
        (f"{outcome.test.budget:>11,}", "dim"),
    ]


def outcome_details(outcome: Outcome, file: str) -> list[list[Piece]]:
    """What a test expects, what is missed, and what was chosen."""
    test = outcome.test
    mark, role = OUTCOME_MARKS[outcome.state]
    lines: list[list[Piece]] = [[(f"{mark} {outcome.state}", role), (f"   {file}:{test.line}", "dim")], []]
    lines += [[("✗ ", "bad"), (shown(problem), "")] for problem in outcome.problems]
    expected = " or ".join(test.expect) if test.any else ", ".join(test.expect)
    limits = [f"rank {test.at_most_rank} or before"] if test.at_most_rank is not None else []
    limits += [f"score {test.min_score} or more"] if test.min_score is not None else []
    told = (("expects", expected), ("within", ", ".join(limits)), ("forbids", ", ".join(test.forbid)))
    lines += [[(f"{name} ", "dim"), (shown(words), "")] for name, words in told if words]
    lines += [[("chosen ", "dim"), (shown(id_), "")] for id_ in outcome.chosen]
    return lines


def outcomes_pieces(outcomes: Outcomes) -> list[Piece]:
    """How many tests ended in each way."""
    pieces: list[Piece] = []
    for state, (_, role) in OUTCOME_MARKS.items():
        number = outcomes.count(state)
        if number:
            pieces += [
                (f"{number:,} ", role),
                (f"{'errors' if state == 'error' and number > 1 else state}  ", "dim"),
            ]
    return pieces or [("no tests yet ", "dim")]
