"""What a build must fulfil to be kept: judged before anything is put in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..errors import UsageError
from .report import SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .report import Skipped


class Demands(NamedTuple):
    """The demands of one build."""

    sources: str
    """The folder, as its caller named it."""
    strict: bool
    """Whether every file that was meant to be a document must be one."""
    allow_empty: bool
    """Whether there may be no document at all."""

    def judge(self, skipped: Sequence[Skipped]) -> None:
        """Raise `UsageError` when `strict` and a file that was meant to be a document is not one."""
        faults = [item for item in skipped if item.fault]
        if self.strict and faults:
            raise UsageError(f"--strict: {faults[0]}")

    def judge_all(self, documents: int, skipped: Sequence[Skipped]) -> None:
        """The same at the end, when all was read; and raise `SourceError` if there is no document."""
        self.judge(skipped)
        if documents or self.allow_empty:
            return
        raise SourceError(
            f"{self.sources}: no document was found, so nothing was built; {_left_out(skipped)}"
        )


def _left_out(skipped: Sequence[Skipped]) -> str:
    """What was left out, the first by name."""
    if not skipped:
        return "it is empty"
    first = min(skipped)
    more = f" and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
    return f"left out: {first.path} ({first.rule}){more}"
