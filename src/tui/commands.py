"""A command: something that the user can do, with its keys and its words.

Key bindings, footer, help and palette are all made of commands, so they never disagree. The
commands of each screen stand in `command_table`.
"""

from __future__ import annotations

from dataclasses import dataclass

_NAMES = {
    "slash": "/",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "enter": "⏎",
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
}
_MODIFIERS = {"ctrl": "^", "shift": "⇧"}
_TYPED = {"slash", "plus", "equals_sign", "minus", "question_mark", "space"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Something that the user can do."""

    action: str
    """The name of the action on its screen."""
    title: str
    """In the palette and in the help."""
    keys: tuple[str, ...]
    """The names of its keys, the one to be shown first."""
    help: str
    """What it does, in a sentence."""
    footer: str = ""
    """The word in the footer; empty for a command that is not shown there."""

    def key(self, *, typing: bool) -> str:
        """The key to show, one that works while typing if need be; empty when there is none."""
        keys = [key for key in self.keys if not (typing and is_typed(key))]
        return key_name(keys[0]) if keys else ""

    @property
    def key_names(self) -> str:
        """All keys, for people."""
        return "  ".join(key_name(key) for key in self.keys)


def is_typed(key: str) -> bool:
    """Whether a key writes a character where something is being typed."""
    return len(key) == 1 or key in _TYPED or key.endswith("_square_bracket")


def key_name(key: str) -> str:
    """A key as people know it: `⇧↑`, `^p`, `F1`, `/`."""
    *modifiers, last = key.split("+")
    name = _NAMES.get(last, last.upper() if last[0] == "f" and last[1:].isdigit() else last)
    return "".join(_MODIFIERS.get(modifier, f"{modifier}+") for modifier in modifiers) + name
