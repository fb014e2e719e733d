"""Text: words and terms for ranking, tokens for budgets, and untrusted text made safe to show."""

from .analysis import Analyzer, Frequencies, QueryWord
from .tokens import TOKENIZERS, TokenCounter, token_counter
from .visible import visible
from .words import cut, extra_runs

__all__ = [
    "TOKENIZERS",
    "Analyzer",
    "Frequencies",
    "QueryWord",
    "TokenCounter",
    "cut",
    "extra_runs",
    "token_counter",
    "visible",
]
