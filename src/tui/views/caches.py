"""The caches of a root, what is known of one of them, and the contexts of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .authoring import STATE_ROLES
from .spans import Cell, Column, Line, Span, count, escaped, size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...builder.freshness import Freshness
    from ...builder.verification import Verification
    from ..catalog import CacheInfo
    from ..commands import Command
    from ..project import ScopeInfo
    from .spans import Row

SOUND, BROKEN, OPEN, STALE, UNKNOWN, UNBUILT = "✓", "✗", "▸", "↻", "?", "·"
COLUMNS = (
    Column(),
    Column(title="name", share=1, least=6, middle=True),
    Column(title="documents", right=True),
    Column(),
)
SCOPE_COLUMNS = (Column(title="directory", share=1, least=6, middle=True), Column(title="state", right=True))
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
        Cell(f"{cache.documents:,}" if cache.sound else "–", "dim"),
        Cell(*mark_of(cache, freshness, verified)),
    )


def mark_of(
    cache: CacheInfo, freshness: Freshness | None, verified: Verification | str | None = None
) -> Span:
    """Whether a cache opens, is whole, and is fresh."""
    if not cache.sound:
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
