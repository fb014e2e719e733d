"""What is wrong with a configuration: file, line, key, and what to do."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import UsageError


class Fault(NamedTuple):
    """One thing that is wrong."""

    line: int
    """1-based; 0 when it is about the whole file."""
    key: str
    """The path to it, as in `caches.handbook.split` or `tests[2].expect`; empty for the whole file."""
    problem: str


class ConfigurationError(UsageError):
    """A configuration or a file of query tests cannot be used; `faults` has all that was found."""

    def __init__(self, file: str, faults: list[Fault]) -> None:
        """`file` as people write it; `faults` in the order of the file, at least one."""
        super().__init__(file, faults)
        self.file = file
        self.faults = tuple(sorted(faults))

    def lines(self) -> list[str]:
        """One line a fault: `ctx.toml:7: caches.handbook.spilt: no such key; did you mean split?`."""
        return [
            ": ".join(filter(None, (f"{self.file}:{line}" if line else self.file, key, problem)))
            for line, key, problem in self.faults
        ]

    def __str__(self) -> str:
        rest = len(self.faults) - 1
        return self.lines()[0] + (f" (and {rest} more {'fault' if rest == 1 else 'faults'})" if rest else "")
