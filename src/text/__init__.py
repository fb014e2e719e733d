"""Text: words and terms for ranking, tokens for budgets, and untrusted text made safe to show."""

from .analyzer import Analyzer, Frequencies, QueryWord
from .display import escape_control
from .tokens import TOKENIZERS, TokenCounter, token_counter
from .words import cut, extra_runs

__all__ = [
    "TOKENIZERS",
    "Analyzer",
    "Frequencies",
    "QueryWord",
    "TokenCounter",
    "cut",
    "escape_control",
    "extra_runs",
    "token_counter",
]
