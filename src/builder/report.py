"""What a build did: what it took, what it left out and by which rule, what it wants to be looked at.

Every input has one fate: it is a document, or it has one line in `skipped`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

from ..arguments import DEFAULT_BUDGET
from ..errors import UsageError
from ..jsonio import JsonResult
from ..safeio import is_unreadable, why_unreadable
from ..text.display import escape_control

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FEW = 5
"""The report names at most so many inputs that one rule left out."""
FIRST = 3
"""The report names at most so many findings of one kind."""

LARGE_TOKENS = DEFAULT_BUDGET
"""A document above so many tokens fits no answer of the usual budget."""
LARGE = f"above {LARGE_TOKENS:,} tokens, which no answer of that budget can hold"
DUPLICATE = "with the content of another document"
INCLUDES = "with directives to include other files, whose text is left out"
DATA = "with data in them (data: URIs), which costs tokens and answers nothing"


class SourceError(UsageError):
    """The sources cannot be built as they are: there is no folder, or two files share one name."""


class Skipped(NamedTuple):
    """An input that did not become a document."""

    path: str
    """Below the source folder, with `/`; a folder ends in `/` and stands for all that it holds."""
    rule: str
    """What decided, such as `.gitignore:4 build/` or `not UTF-8 (byte 0xE9 at offset 17)`."""
    fault: bool = False
    """Whether it was meant to be a document: unreadable, say, and not excluded by a pattern or its format."""
    unreadable: bool = False
    """Whether the system refused to read it, so that nobody knows what it holds."""

    @classmethod
    def refused(cls, path: str, error: OSError) -> Skipped:
        """What could not be read; `unreadable` unless it has vanished or is no regular file."""
        return cls(path, why_unreadable(error), fault=True, unreadable=is_unreadable(error))

    def __str__(self) -> str:
        return f"skipped {escape_control(self.path)}: {escape_control(self.rule)}"


def first_of(skipped: Sequence[Skipped]) -> str:
    """The first, with its rule, and how many more there are."""
    more = f", and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
    return f"{skipped[0].path}: {skipped[0].rule}{more}"


class Notice(NamedTuple):
    """Something that did not stop the build and that its author wants to know."""

    path: str
    """The file that it is about, below the source folder; empty when it is about the build."""
    message: str

    def __str__(self) -> str:
        where = f"{escape_control(self.path)}: " if self.path else ""
        return f"warning: {where}{escape_control(self.message)}"


class Finding(NamedTuple):
    """Something in a document that makes it less useful than its author may think."""

    kind: str
    """Completes "3 documents …", such as `above 4,000 tokens`."""
    path: str
    """The document or the file."""
    detail: str
    """`5,210 tokens`, `line 12`, the id of the other document."""

    def __str__(self) -> str:
        return f"{escape_control(self.path)} ({escape_control(self.detail)})"


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildReport(JsonResult):
    """The outcome of one build. It names no path outside the sources, no clock and no host."""

    documents: int
    """Documents in the cache; a split file is several."""
    sources: int
    """Files that they were made from."""
    tokens: int
    words: int
    cache_version: str
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[Notice, ...] = ()
    findings: tuple[Finding, ...] = ()
    """By kind, then by path."""

    def to_dict(self) -> dict[str, Any]:
        """All fields, in their order."""
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {
            name: [item._asdict() for item in value] if isinstance(value, tuple) else value
            for name, value in values
        }

    def lines(self) -> list[str]:
        """Return lines that are safe to show on a terminal: what was skipped, warnings, findings.

        What was meant to be a document comes first, a line each; of the rest, many that one rule
        decided about are one line with their number. Findings are grouped by kind.
        """
        faults = [str(item) for item in self.skipped if item.fault]
        ruled: dict[str, list[Skipped]] = {}
        for item in self.skipped:
            if not item.fault:
                ruled.setdefault(item.rule, []).append(item)
        rest = [line for items in ruled.values() for line in _rule_lines(items)]
        kinds: dict[str, list[Finding]] = {}
        for finding in self.findings:
            kinds.setdefault(finding.kind, []).append(finding)
        return [*faults, *rest, *map(str, self.warnings), *(_finding_line(*item) for item in kinds.items())]


def _finding_line(kind: str, findings: list[Finding]) -> str:
    """A line for all findings of a kind, which names the first."""
    count = len({finding.path for finding in findings})
    first = ", ".join(map(str, findings[:FIRST]))
    more = f" and {len(findings) - FIRST:,} more" if len(findings) > FIRST else ""
    return f"note: {count:,} {'document' if count == 1 else 'documents'} {kind}: {first}{more}"


def _rule_lines(items: list[Skipped]) -> list[str]:
    """A line for each of a few inputs that one rule decided about, one line for many."""
    if len(items) <= FEW:
        return [str(item) for item in items]
    kind = "files and folders" if any(item.path.endswith("/") for item in items) else "files"
    return [f"skipped {len(items):,} {kind}: {escape_control(items[0].rule)}"]
