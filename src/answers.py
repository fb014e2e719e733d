"""What an operation returns: an object with one JSON form, the same from every door (rule C1)."""

from __future__ import annotations

from . import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Answer:
    """What an operation returns: an object with one JSON form."""

    def to_dict(self) -> dict[str, Any]:
        """The object, fields in the order of its specification."""
        raise NotImplementedError

    def to_json(self) -> str:
        """One line of compact JSON and a newline: the bytes of the contract."""
        return jsontext.compact(self.to_dict())

    def to_pretty(self) -> str:
        """The same object, indented by two spaces."""
        return jsontext.pretty(self.to_dict())

    def __repr__(self) -> str:
        return self.to_pretty().rstrip("\n")
