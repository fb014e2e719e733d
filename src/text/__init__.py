"""Text: words and terms for ranking, tokens for budgets, and untrusted text made safe to show."""

from .analyzer import Analyzer, Frequencies, QueryWord, analyzer
from .visible import visible

__all__ = ["Analyzer", "Frequencies", "QueryWord", "analyzer", "visible"]
