"""What an answer costs the agent that reads it: the tokens of its text on the wire."""

from __future__ import annotations

from ..text import token_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..answers import Answer


def wire_tokens(answer: Answer, tokenizer: str) -> int:
    """The tokens of the exact text that a client receives, JSON included.

    The budget counts contents alone, so this is more than `tokens_used`.
    """
    return token_counter(tokenizer)(answer.to_json())
