"""What was worked out before, remembered within a number of bytes.

A server lives long and is asked for ever new words: a bound by count would let long ones, of
which a query may hold many, take any amount of memory.
"""

from __future__ import annotations

from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Key = TypeVar("Key")
    Value = TypeVar("Value")


class BoundedMemo(dict["Key", "Value"]):
    """A dictionary that is emptied when what it holds would exceed its bound. Read it like any other.

    Threads may share it: at worst something is worked out twice, or forgotten early.
    """

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes` are those that `keep` is told of."""
        super().__init__()
        self._most = most_bytes
        self._bytes = 0
        self._keeping = Lock()

    def keep(self, key: Key, value: Value, size: int) -> None:
        """Remember a value that takes about `size` bytes, its key included; one above the bound is not."""
        if size > self._most:
            return
        with self._keeping:  # else a size that is lost between two threads would never be counted
            if self._bytes + size > self._most:
                self.clear()
                self._bytes = 0
            self[key] = value
            self._bytes += size
