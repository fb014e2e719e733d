"""Counting: texts in, the words of each and the postings of all of them out."""

from __future__ import annotations

from .postings import Postings, distinct, index

__all__ = ["Postings", "distinct", "index"]
