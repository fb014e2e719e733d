"""Splitting: long files become sections at their headings, without a byte lost, added or moved."""

from __future__ import annotations

from .names import kind_of
from .sections import Section, split, title

__all__ = ["Section", "kind_of", "split", "title"]
