"""Splitting: long files become sections at their headings, without a byte lost, added or moved."""

from __future__ import annotations

from .findings import TextFinding, findings
from .formats import FORMATS, Format, kind_of, suffix_of
from .headings import Slugs, slug
from .sections import SECTIONS, Heading, Section, split, title

__all__ = [
    "FORMATS",
    "SECTIONS",
    "Format",
    "Heading",
    "Section",
    "Slugs",
    "TextFinding",
    "findings",
    "kind_of",
    "slug",
    "split",
    "suffix_of",
    "title",
]
