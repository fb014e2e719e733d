"""The texts about a project: its caches, their freshness, builds, query tests, contexts of directories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...text.display import pluralize
from .spans import Cell, Column, Line, Row, Span, escaped, size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...builder.freshness import Freshness
    from ...builder.verification import Verification
    from ...project.caches import Built
    from ...resolver.compare import Changes
    from ...resolver.query_tests import Outcome, Outcomes
    from ..catalog import CacheInfo
    from ..commands import Command
    from ..project import ScopeInfo

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
    Column(title="name", share=3, min_width=16, crop_middle=True),
    Column(title="what of it", share=2, min_width=16, crop_middle=True),
)
OUTCOME_COLUMNS = (
    Column(),
    Column(title="cache", share=1, min_width=8, crop_middle=True),
    Column(title="query", share=4, min_width=14),
    Column(title="budget", align_right=True),
)
OUTCOME_MARKS = {"passed": ("✓", "good"), "failed": ("✗", "bad"), "error": ("!", "warn")}


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """A source or document that changed, was left out or caused a warning."""

    mark: str
    name: str
    note: str = ""


def freshness_items(freshness: Freshness) -> list[Item]:
    """The sources that were added, removed or changed, then the settings that changed since the build."""
    settings = (line.partition(": ") for line in freshness.configuration)
    configured = [Item(mark=CONFIGURED, name=name, note=note) for name, _, note in settings]
    return _changed_items(freshness, "source") + configured


def built_items(built: Built, changes: Changes | None) -> list[Item]:
    """The documents that a rebuild changed, then the files that it left out, then its warnings."""
    items = _changed_items(changes, "document") if changes is not None else []
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


def _changed_items(changes: Freshness | Changes, noun: str) -> list[Item]:
    kinds = (
        (ADDED, changes.added, f"new {noun}"),
        (REMOVED, changes.removed, f"{noun} is gone"),
        (CHANGED, changes.changed, f"{noun} changed"),
    )
    return [Item(mark=mark, name=id_, note=note) for mark, ids, note in kinds for id_ in ids]


def item_cells(item: Item) -> Row:
    """The cells of an item in the order of `ITEM_COLUMNS`."""
    name = escaped(item.name)
    return (Cell(item.mark, ROLES[item.mark]), Cell(name, full=name), Cell(escaped(item.note), "dim"))


def freshness_line(freshness: Freshness) -> Line:
    """The state of a cache, and the reason in a few words."""
    words = {
        "fresh": "a rebuild would change nothing",
        "missing": "there is no cache: a build makes it",
    }.get(freshness.state, freshness.summary)
    return [(freshness.state, STATE_ROLES[freshness.state]), (f"  {escaped(words)}", "")]


def built_line(built: Built, changes: Changes | None) -> Line:
    """The figures of a rebuild."""
    report = built.report
    if report is None:
        return [("fresh", "good"), ("  nothing had changed, so nothing was built", "")]
    made = f"{pluralize(report.documents, 'document')} from {pluralize(report.sources, 'file')}"
    words = f"{made}, {pluralize(report.tokens, 'token')}"
    if report.skipped:
        words += f" · {len(report.skipped):,} left out"
    if report.warnings:
        words += f" · {pluralize(len(report.warnings), 'warning')}"
    if changes is not None:
        sums = f"+{len(changes.added):,} -{len(changes.removed):,} ~{len(changes.changed):,}"
        words += f" · {sums} against the build before"
    return [("built" if built.before.state == "missing" else "rebuilt", "good"), (f"  {words}", "")]


def progress_line(done: int, total: int, width: int) -> Line:
    """The progress of a build as a bar of at most `width` cells."""
    share = min(1.0, done / total) if total else 0.0
    room = max(10, width - 8)
    full = int(room * share)
    return [("█" * full, "bar"), ("░" * (room - full), "dim"), (f"  {share:>4.0%}", "")]


def outcome_cells(outcome: Outcome) -> Row:
    """The cells of a query test in the order of `OUTCOME_COLUMNS`."""
    query = escaped(outcome.test.query)
    return (
        Cell(*OUTCOME_MARKS[outcome.state]),
        Cell(escaped(outcome.test.cache), "dim"),
        Cell(query, full=query),
        Cell(f"{outcome.test.budget:,}", "dim"),
    )


def outcome_details(outcome: Outcome, file: str) -> list[Line]:
    """The lines about one query test: its problems, what it expects, and the chosen documents."""
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
    """The numbers of tests that passed, failed and could not be run."""
    spans: Line = []
    for state, (_, role) in OUTCOME_MARKS.items():
        number = outcomes.count(state)
        if number:
            spans += [
                (f"{number:,} ", role),
                (f"{'errors' if state == 'error' and number > 1 else state}  ", "dim"),
            ]
    return spans or [("no tests yet ", "dim")]


SOUND, BROKEN, OPEN, STALE, UNKNOWN, UNBUILT = "✓", "✗", "▸", "↻", "?", "·"
CACHE_COLUMNS = (
    Column(),
    Column(title="name", share=1, min_width=6, crop_middle=True),
    Column(title="documents", align_right=True),
    Column(),
)
SCOPE_COLUMNS = (
    Column(title="directory", share=1, min_width=6, crop_middle=True),
    Column(title="state", align_right=True),
)
SCOPE_ROLES = {"fresh": "good", "stale": "warn", "missing": "dim"}
WORDS = (
    "The documents that it would get follow your keys, each with the reason why it is chosen or left out, "
    "and a bar shows where the budget goes."
)
WHAT_A_CACHE_IS = (
    "A context cache is a read-only copy of a folder of documents, compiled for an agent: it picks whole "
    "documents for a query within a budget of tokens, always the same ones, and says why."
)


def cache_cells(
    cache: CacheInfo,
    *,
    is_open: bool,
    freshness: Freshness | None = None,
    verified: Verification | str | None = None,
) -> Row:
    """The cells of a cache in the order of `CACHE_COLUMNS`; its mark is the last."""
    return (
        Cell(OPEN if is_open else " ", "accent"),
        Cell(escaped(cache.name), "strong" if is_open else ""),
        Cell(f"{cache.documents:,}" if cache.opens else "–", "dim"),
        Cell(*mark_of(cache, freshness, verified)),
    )


def mark_of(
    cache: CacheInfo, freshness: Freshness | None, verified: Verification | str | None = None
) -> Span:
    """The mark of a cache that opens, does not open, is invalid, stale or not built."""
    if not cache.opens:
        return (BROKEN, "bad") if cache.is_built else (UNBUILT, "dim")
    if verified is not None and not isinstance(verified, str) and not verified.valid:
        return (BROKEN, "bad")
    if freshness is None or freshness.fresh:
        return (SOUND, "good")
    return (UNKNOWN if freshness.problem else STALE, "warn")


def title_spans(
    cache: CacheInfo, freshness: Freshness | None, verified: Verification | str | None, key: str
) -> Line:
    """The open cache, its freshness, and the key that shows the other caches."""
    mark, role = mark_of(cache, freshness, verified)
    state = f" {freshness.state}" if freshness is not None else ""
    return [
        (" ctx  ", "strong"), (escaped(cache.name), "accent"), (f" {mark}{state}", role),
        (f" ▾{key}", "dim"),
    ]  # fmt: skip


def size_spans(cache: CacheInfo, busy: Iterable[str]) -> Line:
    """The running operations, then the size of the open cache."""
    tokens = f" · {pluralize(cache.tokens, 'token')}" if cache.tokens is not None else ""
    running = "".join(f"{operation} … " for operation in busy)
    return [(running, "warn"), (f"{pluralize(cache.documents, 'document')}{tokens} ", "dim")]


def about_lines(
    cache: CacheInfo,
    facts: list[tuple[str, str]],
    verified: Verification | str | None,
    freshness: Freshness | None = None,
) -> list[Line]:
    """The figures, the freshness and the configuration of a cache; only the fault if it does not open."""
    lines: list[Line] = [[(escaped(cache.name), "strong")]]
    if cache.fault:
        lines.append([(escaped(cache.fault.replace(f"{cache.path}/", "")), "bad")])
    else:
        lines.append([(pluralize(cache.documents, "document"), "")])
        if cache.tokens is not None:
            lines.append([(pluralize(cache.tokens, "token"), "")])
        lines.append([(size(cache.size), "")])
        if freshness is not None:
            lines += _freshness_lines(freshness)
        lines += [[(f"{name} ", "dim"), (escaped(value), "")] for name, value in facts]
    return [*lines, [], *verified_lines(verified)] if verified is not None else lines


def _freshness_lines(freshness: Freshness) -> list[Line]:
    """The state of the sources, and the key that rebuilds."""
    lines: list[Line] = [[("sources ", "dim"), (freshness.state, STATE_ROLES[freshness.state])]]
    if not freshness.fresh:
        hint: Line = [("  ^r", "accent"), (" rebuilds", "dim")] if not freshness.problem else []
        lines.append([(escaped(freshness.summary), ""), *hint])
    return lines


def verified_lines(verified: Verification | str) -> list[Line]:
    """The outcome of a verification; a string is an error message, or a note that it is running."""
    if isinstance(verified, str):
        return [[(escaped(verified), "dim")]]
    if verified.valid:
        return [[(f"{SOUND} verified, every byte", "good")]]
    more = len(verified.faults) - 1
    lines: list[Line] = [
        [(f"{BROKEN} {escaped(verified.faults[0].kind)}: ", "bad"), (escaped(verified.faults[0].detail), "")]
    ]
    return [*lines, [(f"and {pluralize(more, 'other fault')}", "dim")]] if more else lines


def scope_cells(scope: ScopeInfo) -> Row:
    """The cells of a directory in the order of `SCOPE_COLUMNS`."""
    name = escaped(scope.name)
    return (Cell(name, full=name), Cell(escaped(scope.state), SCOPE_ROLES.get(scope.state, "")))


def scope_lines(state: str, changes: tuple[str, ...], most: int) -> list[Line]:
    """The state of a scope and at most `most` of the changes that led to it."""
    lines: list[Line] = [[(state, SCOPE_ROLES.get(state, "bad"))]]
    lines += [[(f"  {escaped(change)}", "")] for change in changes[:most]]
    more = len(changes) - most
    return [*lines, [(f"  and {more:,} more", "dim")]] if more > 0 else lines


def welcome_head(cache: CacheInfo, examples: int) -> list[Line]:
    """The lines above the examples: the size of the cache, and what to type."""
    tokens = f", {pluralize(cache.tokens, 'token')}" if cache.tokens is not None else ""
    lines: list[Line] = [
        [(escaped(cache.name), "term"), (f" holds {pluralize(cache.documents, 'document')}{tokens}.", "")],
        [],
        [("Type what an agent would ask.", "strong")],
        [(WORDS, "")],
    ]
    return [*lines, [], [("Try one of its titles", "dim")]] if examples else lines


def welcome_foot(examples: int, commands: Iterable[Command]) -> list[Line]:
    """The lines below the examples: the keys of other screens."""
    first: list[Line] = [[("    ⏎", "accent"), (" asks the first", "dim")]] if examples else []
    return [*first, [], *(pointer(command) for command in commands)]


def pointer(command: Command, *, typing: bool = True) -> Line:
    """The key, the title and the help of a command."""
    return [
        (f"{command.key(typing=typing):>4}", "accent"),
        (f"  {command.title:<16}", ""),
        (f"  {command.help}", "dim"),
    ]


def first_lines(
    folder: str, files: int | None, unbuilt: list[str], commands: Iterable[Command]
) -> list[Line]:
    """The text for a root without caches: what a cache is, and the commands that build one."""
    lines: list[Line] = [
        [("There is no cache here yet.", "strong")],
        [],
        [(WHAT_A_CACHE_IS, "")],
        [],
    ]
    if unbuilt:
        lines += [[("ctx.toml describes ", "dim"), (", ".join(map(escaped, unbuilt)), "accent")], []]
    elif files is not None:
        lines += [
            [(escaped(folder), "accent"), (f" has {pluralize(files, 'file')} that can be compiled.", "")],
            [],
        ]
    return [*lines, *(pointer(command, typing=False) for command in commands)]
