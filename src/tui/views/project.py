"""The project: its caches, whether they are fresh, builds, how tests ended, contexts of directories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .spans import Cell, Column, Line, Span, count, escaped, size

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
    """One line of what changed or what was done."""

    mark: str
    name: str
    note: str = ""


def freshness_items(freshness: Freshness) -> list[Item]:
    """Each source that was added, removed or changed, and what is configured otherwise."""
    settings = (line.partition(": ") for line in freshness.configuration)
    configured = [Item(mark=CONFIGURED, name=name, note=note) for name, _, note in settings]
    return _changed_items(freshness, "source") + configured


def built_items(built: Built, changes: Changes | None) -> list[Item]:
    """Each document that the rebuild changed, then what it left out and why, then its warnings."""
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
    """A mark, a name, and what is to be said of it."""
    name = escaped(item.name)
    return (Cell(item.mark, ROLES[item.mark]), Cell(name, full=name), Cell(escaped(item.note), "dim"))


def freshness_line(freshness: Freshness) -> Line:
    """The state, and what led to it in a few words."""
    words = {
        "fresh": "a rebuild would change nothing",
        "missing": "there is no cache: a build makes it",
    }.get(freshness.state, freshness.summary)
    return [(freshness.state, STATE_ROLES[freshness.state]), (f"  {escaped(words)}", "")]


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
    """One cache: whether it is the open one, its name, its documents, whether it opens and is fresh."""
    return (
        Cell(OPEN if is_open else " ", "accent"),
        Cell(escaped(cache.name), "strong" if is_open else ""),
        Cell(f"{cache.documents:,}" if cache.opens else "–", "dim"),
        Cell(*mark_of(cache, freshness, verified)),
    )


def mark_of(
    cache: CacheInfo, freshness: Freshness | None, verified: Verification | str | None = None
) -> Span:
    """Whether a cache opens, is whole, and is fresh."""
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
    """The open cache, whether it is fresh, and the key that leads to the others."""
    mark, role = mark_of(cache, freshness, verified)
    state = f" {freshness.state}" if freshness is not None else ""
    return [
        (" ctx  ", "strong"), (escaped(cache.name), "accent"), (f" {mark}{state}", role),
        (f" ▾{key}", "dim"),
    ]  # fmt: skip


def size_spans(cache: CacheInfo, busy: Iterable[str]) -> Line:
    """How large the open cache is, behind what is being done to caches now."""
    tokens = f" · {count(cache.tokens, 'token')}" if cache.tokens is not None else ""
    doing = "".join(f"{operation} … " for operation in busy)
    return [(doing, "warn"), (f"{count(cache.documents, 'document')}{tokens} ", "dim")]


def about_lines(
    cache: CacheInfo,
    facts: list[tuple[str, str]],
    verified: Verification | str | None,
    freshness: Freshness | None = None,
) -> list[Line]:
    """What is known of a cache; for a broken one the fault in words."""
    lines: list[Line] = [[(escaped(cache.name), "strong")]]
    if cache.fault:
        lines.append([(escaped(cache.fault.replace(f"{cache.path}/", "")), "bad")])
        return [*lines, [], *verified_lines(verified)] if verified is not None else lines
    lines.append([(count(cache.documents, "document"), "")])
    if cache.tokens is not None:
        lines.append([(count(cache.tokens, "token"), "")])
    lines.append([(size(cache.size), "")])
    if freshness is not None:
        lines += _sources_lines(freshness)
    lines += [[(f"{name} ", "dim"), (escaped(value), "")] for name, value in facts]
    return [*lines, [], *verified_lines(verified)] if verified is not None else lines


def _sources_lines(freshness: Freshness) -> list[Line]:
    """Whether the cache is fresh, and what to do about it."""
    lines: list[Line] = [[("sources ", "dim"), (freshness.state, STATE_ROLES[freshness.state])]]
    if not freshness.fresh:
        hint: Line = [("  ^r", "accent"), (" rebuilds", "dim")] if not freshness.problem else []
        lines.append([(escaped(freshness.summary), ""), *hint])
    return lines


def verified_lines(verified: Verification | str) -> list[Line]:
    """The outcome of a verification, or what it is doing."""
    if isinstance(verified, str):
        return [[(escaped(verified), "dim")]]
    if verified.valid:
        return [[(f"{SOUND} verified, every byte", "good")]]
    more = len(verified.faults) - 1
    lines: list[Line] = [
        [(f"{BROKEN} {escaped(verified.faults[0].kind)}: ", "bad"), (escaped(verified.faults[0].detail), "")]
    ]
    return [*lines, [(f"and {count(more, 'other fault')}", "dim")]] if more else lines


def scope_cells(scope: ScopeInfo) -> Row:
    """One scope."""
    name = escaped(scope.name)
    return (
        Cell(name, full=name),
        Cell(escaped(scope.state), SCOPE_ROLES.get(scope.state, "")),
    )


def scope_lines(state: str, changes: tuple[str, ...], most: int) -> list[Line]:
    """The state of a scope, and what led to it: so many lines at most."""
    lines: list[Line] = [[(state, SCOPE_ROLES.get(state, "bad"))]]
    lines += [[(f"  {escaped(change)}", "")] for change in changes[:most]]
    more = len(changes) - most
    return [*lines, [(f"  and {more:,} more", "dim")]] if more > 0 else lines


def welcome_head(cache: CacheInfo, examples: int) -> list[Line]:
    """What is there, and what to do."""
    tokens = f", {count(cache.tokens, 'token')}" if cache.tokens is not None else ""
    lines: list[Line] = [
        [(escaped(cache.name), "term"), (f" holds {count(cache.documents, 'document')}{tokens}.", "")],
        [],
        [("Type what an agent would ask.", "strong")],
        [(WORDS, "")],
    ]
    return [*lines, [], [("Try one of its titles", "dim")]] if examples else lines


def welcome_foot(examples: int, commands: Iterable[Command]) -> list[Line]:
    """Where else to go."""
    first: list[Line] = [[("    ⏎", "accent"), (" asks the first", "dim")]] if examples else []
    return [*first, [], *(pointer(command) for command in commands)]


def pointer(command: Command, *, typing: bool = True) -> Line:
    """A key, and what it does."""
    return [
        (f"{command.key(typing=typing):>4}", "accent"),
        (f"  {command.title:<16}", ""),
        (f"  {command.help}", "dim"),
    ]


def first_lines(
    folder: str, files: int | None, unbuilt: list[str], commands: Iterable[Command]
) -> list[Line]:
    """What stands where there is no cache yet: what one is, and how to get one."""
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
            [(escaped(folder), "accent"), (f" has {count(files, 'file')} that can be compiled.", "")],
            [],
        ]
    return [*lines, *(pointer(command, typing=False) for command in commands)]
