"""The texts that a caller hands to a build, judged before anything is written."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import UsageError
from .compile import GivenText


def judged(texts: object) -> list[GivenText]:
    """The texts in id order. Raises `UsageError` naming the first that no cache can hold."""
    if not isinstance(texts, Iterable):
        raise UsageError(f"sources: neither a folder nor texts, but {type(texts).__name__}")
    found = [_judged(text, number) for number, text in enumerate(texts)]
    return sorted(found, key=lambda text: text.id.encode("utf-8"))


def _judged(text: object, number: int) -> GivenText:
    """A text; `number` is its place, from 0, among those of the caller."""
    if not isinstance(text, GivenText):
        raise UsageError(f"sources[{number}]: {type(text).__name__} is no GivenText(id, title, content)")
    for name, value in text._asdict().items():
        if not isinstance(value, str):
            raise UsageError(f"sources[{number}].{name}: {type(value).__name__} is no str")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            problem = f"lone surrogate U+{ord(value[error.start]):04X} at offset {error.start}"
            raise UsageError(f"sources[{number}].{name}: {problem}; decode it as what it is") from None
    return text
