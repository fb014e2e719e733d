"""The tools as clients see them, independent of any protocol library."""
