"""The caches of a root as lines of pieces, and what is known of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .authoring.lines import STATE_ROLES
from .pieces import Piece, count, cropped, padded, shown, size

if TYPE_CHECKING:
    from ..builder.freshness import Freshness
    from ..builder.verification import Verification
    from .shelf import Volume

SOUND, BROKEN, OPEN, STALE, UNKNOWN, UNBUILT = "✓", "✗", "▸", "↻", "?", "·"


def volume_line(
    volume: Volume, width: int, *, is_open: bool, freshness: Freshness | None = None
) -> list[Piece]:
    """One cache: whether it is the open one, its name, its documents, whether it opens and is fresh."""
    figure = f"{volume.documents:,}" if volume.sound else "–"
    room = max(4, width - 6 - len(figure))
    return [
        (f"{OPEN if is_open else ' '} ", "accent"),
        (padded(cropped(shown(volume.name), room), room), "strong" if is_open else ""),
        (f" {figure} ", "dim"),
        _mark(volume, freshness),
    ]


def _mark(volume: Volume, freshness: Freshness | None) -> Piece:
    if not volume.sound:
        return (BROKEN, "bad") if volume.is_built else (UNBUILT, "dim")
    if freshness is None or freshness.fresh:
        return (SOUND, "good")
    return (UNKNOWN if freshness.problem else STALE, "warn")


def stale_pieces(freshness: Freshness | None) -> list[Piece]:
    """That a cache is not fresh, for a line that is about something else."""
    if freshness is None or freshness.fresh:
        return []
    return [(f"{UNKNOWN if freshness.problem else STALE} {freshness.state}", "warn"), ("  ", "")]


def about_lines(
    volume: Volume,
    facts: list[tuple[str, str]],
    verified: Verification | str | None,
    freshness: Freshness | None = None,
) -> list[list[Piece]]:
    """What is known of a cache; for a broken one the fault in words."""
    lines: list[list[Piece]] = [[(shown(volume.name), "strong")]]
    if volume.fault:
        return [*lines, [(shown(volume.fault.replace(f"{volume.path}/", "")), "bad")]]
    lines.append([(count(volume.documents, "document"), "")])
    if volume.tokens is not None:
        lines.append([(count(volume.tokens, "token"), "")])
    lines.append([(size(volume.size), "")])
    if freshness is not None:
        lines += _sources_lines(freshness)
    lines += [[(f"{name} ", "dim"), (shown(value), "")] for name, value in facts]
    return [*lines, [], *verified_lines(verified)] if verified is not None else lines


def _sources_lines(freshness: Freshness) -> list[list[Piece]]:
    """How the cache stands to its sources, and what to do about it."""
    lines: list[list[Piece]] = [[("sources ", "dim"), (freshness.state, STATE_ROLES[freshness.state])]]
    if not freshness.fresh:
        hint: list[Piece] = [("  ^r", "accent"), (" rebuilds", "dim")] if not freshness.problem else []
        lines.append([(shown(freshness.summary), ""), *hint])
    return lines


def verified_lines(verified: Verification | str) -> list[list[Piece]]:
    """The outcome of a verification, or what it is doing."""
    if isinstance(verified, str):
        return [[(shown(verified), "dim")]]
    if verified.valid:
        return [[(f"{SOUND} verified, every byte", "good")]]
    more = len(verified.faults) - 1
    lines: list[list[Piece]] = [
        [(f"{BROKEN} {shown(verified.faults[0].kind)}: ", "bad"), (shown(verified.faults[0].detail), "")]
    ]
    return [*lines, [(f"and {count(more, 'other fault')}", "dim")]] if more else lines
