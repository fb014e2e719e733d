"""Text: words and terms for ranking, tokens for budgets, and untrusted text made safe to show."""

from .analysis import Analyzer, Frequencies, QueryWord
from .tokens import TOKENIZERS, TokenCounter, token_counter
from .visible import visible
from .words import cut

__all__ = [
    "TOKENIZERS",
    "Analyzer",
    "Frequencies",
    "QueryWord",
    "TokenCounter",
    "cut",
    "token_counter",
    "visible",
]
