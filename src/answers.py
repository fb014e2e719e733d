"""What an operation returns: an object with one JSON form, the same from every door (rule C1)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from . import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Answer(ABC):
    """What an operation returns: an object with one JSON form."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The object, fields in the order of its specification."""

    def to_json(self) -> str:
        """One line of compact JSON and a newline: the bytes of the contract."""
        return jsontext.compact(self.to_dict())

    def to_pretty(self) -> str:
        """The same object, indented by two spaces."""
        return jsontext.pretty(self.to_dict())

    def __repr__(self) -> str:
        return self.to_pretty().rstrip("\n")
