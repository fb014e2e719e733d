"""Text: words and terms for ranking, tokens for budgets, and untrusted text made safe to show."""

from .analysis import Analyzer, Frequencies, QueryWord, analyzer
from .tokens import TOKENIZERS, TokenCounter, token_counter
from .visible import visible
from .words import RUN_BYTES, hasten

__all__ = [
    "RUN_BYTES",
    "TOKENIZERS",
    "Analyzer",
    "Frequencies",
    "QueryWord",
    "TokenCounter",
    "analyzer",
    "hasten",
    "token_counter",
    "visible",
]
