"""Splitting: long files become sections at their headings, without a byte lost, added or moved."""
