"""The same question as people write it: with a typo, politely, inside a traceback, with other words."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .collection import Collection

_WORD = re.compile("[A-Za-z]{5,}")


def with_typo(id_: str, text: str) -> str:
    """One letter of one word of five letters or more swapped, dropped, doubled or changed."""
    source = random.Random(id_)
    words = list(_WORD.finditer(text))
    if not words:
        return text
    word = source.choice(words)
    at = source.randrange(word.start() + 1, word.end() - 1)
    letter = source.choice("abcdefghijklmnopqrstuvwxyz")
    edits = (text[at + 1] + text[at], text[at + 1], text[at] * 2 + text[at + 1], letter + text[at + 1])
    return text[:at] + source.choice(edits) + text[at + 2 :]


def politely(id_: str, text: str) -> str:
    """What people say around a question."""
    forms = (
        "Hello, could you please help me? I would like to understand: {}. Thanks in advance!",
        "Hi! I need some help. Can you explain {} and show me an example, please?",
        "I am trying to find something about {}. Please tell me what I need to know, thank you.",
    )
    return random.Random(id_).choice(forms).format(text)


def in_a_traceback(_: str, text: str) -> str:
    """The question as the message of an exception, as it is pasted."""
    return f"""Traceback (most recent call last):
  File "/srv/app/venv/lib/python3.11/site-packages/worker/runner.py", line 412, in run_forever
    result = self.handler(request, context=context)
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/srv/app/main.py", line 87, in <module>
    main(sys.argv[1:])
2024-05-17T09:41:12.312Z worker-7f9c request 3f2b8c1e-5d4a-4b7e-9a61-0c2d4e6f8a90 at 0x7f3a5c0b2d10
RuntimeError: {text}
"""


def with_alternatives(collection: Collection, id_: str, text: str) -> str:
    """With other words that the documents may use, where there are some."""
    other = collection.alternatives.get(id_)
    return f"{text}\nalso: {other}" if other else text
