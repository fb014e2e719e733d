"""Which texts are rendered, and how they are prepared for it."""

from __future__ import annotations

from ..builder.sources import front_matter

ENDINGS = (".md", ".mdx", ".markdown")
LARGEST = 60_000
"""Characters up to which a text is rendered; a longer one is shown raw, which is instant."""
LONGEST_LINE = 4_000


def renderable(name: str, text: str) -> str:
    """A safe text as Markdown; empty if its name says that it is none, or if it is too long.

    Front matter becomes a block of its own: Markdown would take it for a heading.
    """
    is_long = len(text) > LARGEST or any(len(line) > LONGEST_LINE for line in text.splitlines())
    if is_long or not name.lower().endswith(ENDINGS):
        return ""
    end = front_matter(text).end
    head = text[:end].strip().strip("-").strip()
    return f"```yaml\n{head}\n```\n\n{text[end:]}" if head else text
