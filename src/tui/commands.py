"""What can be done, screen by screen: one entry a command.

Key bindings, footer, help and palette are all made of these entries, so they never disagree.
A command has keys that work everywhere and, mostly, a letter for when nothing is being typed.
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


def _command(action: str, keys: str, title: str, help_: str, footer: str = "") -> Command:
    return Command(action=action, title=title, keys=tuple(keys.split()), help=help_, footer=footer)


EVERYWHERE = (
    _command(
        "show_help",
        "f1 question_mark",
        "Help",
        "The keys of the screen in view, and what the marks mean.",
        "help",
    ),
    _command("command_palette", "ctrl+p", "Commands", "Every command by name.", "commands"),
    _command("toggle_theme", "f9 t", "Dark or light", "Change between the dark and the light theme."),
    _command("change_theme", "f10", "Choose a theme", "One of all themes, those of other programs included."),
    _command("quit", "ctrl+q q", "Quit", "Leave the inspector.", "quit"),
)

BACK = _command("back", "escape", "Back", "Go back to where you came from.", "back")

RESOLVE = (
    _command("read", "enter", "Read the document", "Open the highlighted document with its matches.", "read"),
    _command(
        "budget_up",
        "shift+up plus equals_sign",
        "Budget up",
        "A little more budget; the answer follows at once.",
    ),
    _command("budget_down", "shift+down minus", "Budget down", "A little less budget."),
    _command(
        "preset_up",
        "ctrl+up right_square_bracket",
        "Next usual budget",
        "Up to the next of 500, 1,000, 2,000 …",
    ),
    _command(
        "preset_down", "ctrl+down left_square_bracket", "Previous usual budget", "Down to the previous."
    ),
    _command(
        "fit",
        "f4 f",
        "Fit the document",
        "Set the smallest budget at which the highlighted one gets in.",
        "fit",
    ),
    _command(
        "documents", "f2 d", "Documents", "All documents of the cache, and how it was built.", "documents"
    ),
    _command(
        "agent", "f3 a", "What the agent sees", "The exact call and the exact answer, to copy.", "agent"
    ),
    _command("compare", "f5 c", "Compare", "Two queries, budgets or caches side by side.", "compare"),
    _command("caches", "f6 o", "Caches", "Go to the list of caches; Enter opens one.", "caches"),
    _command("history", "f7 h", "History", "Ask an earlier query again.", "history"),
    _command("verify", "f8 v", "Verify", "Check every byte of the cache and name the first fault."),
    _command("arithmetic", "ctrl+y w", "Arithmetic", "Show or hide the whole score as a tree of numbers."),
    _command(
        "edit_budget", "ctrl+b b", "Type a budget", "Go to the budget: 4000, 4,000 and 4k are the same."
    ),
    _command("ask", "escape slash", "Type a query", "Go back to the query."),
    _command("move(-1)", "up k", "Up", "To the document before; while typing too."),
    _command("move(1)", "down j", "Down", "To the document after."),
    _command("page(-1)", "pageup", "Page up", "A page of documents up."),
    _command("page(1)", "pagedown", "Page down", "A page of documents down."),
)

DOCUMENTS = (
    BACK,
    _command("read", "enter", "Read the document", "Open the highlighted document.", "read"),
    _command("sort('document')", "f2 i", "Sort by name", "By id; once more turns the order round.", "name"),
    _command("sort('title')", "f3 T", "Sort by title", "By title; once more turns the order round.", "title"),
    _command(
        "sort('tokens')", "f4 s", "Sort by tokens", "The largest first; once more, the smallest.", "tokens"
    ),
    _command(
        "sort('words')", "f5 w", "Sort by words", "The longest first; once more, the shortest.", "words"
    ),
    _command("filter", "ctrl+f slash", "Filter", "Show only documents whose id or title holds some words."),
    _command("verify", "f8 v", "Verify", "Check every byte of the cache and name the first fault.", "verify"),
    _command("move(-1)", "up k", "Up", "To the document before; while typing too."),
    _command("move(1)", "down j", "Down", "To the document after."),
    _command("page(-1)", "pageup", "Page up", "A page of documents up."),
    _command("page(1)", "pagedown", "Page down", "A page of documents down."),
)

DOCUMENT = (
    BACK,
    _command("next_match", "n", "Next match", "To the next word that the query found.", "next match"),
    _command("previous_match", "N", "Previous match", "To the word before.", "previous"),
    _command(
        "rendered", "r", "Rendered or raw", "Change between rendered Markdown and the text as it is.", "raw"
    ),
    _command("next_document", "right_square_bracket", "Next document", "The next of the list.", "next"),
    _command("previous_document", "left_square_bracket", "Previous document", "The one before.", "before"),
    _command("edit", "e", "Edit the source", "Open the source file in $EDITOR, at the place.", "edit"),
    _command("copy", "y", "Copy", "Copy the content as it is.", "copy"),
)

AGENT = (
    BACK,
    _command(
        "show('text')", "1", "Exact answer", "The text that the agent receives, byte for byte.", "answer"
    ),
    _command("show('pretty')", "2", "Indented", "The same object, indented for reading.", "indented"),
    _command("show('call')", "3", "Call", "The call that was made, as JSON.", "call"),
    _command("copy", "y", "Copy", "Copy the text in view.", "copy"),
)

COMPARE = (
    BACK,
    _command("swap", "f2 x", "Swap", "Change the two sides.", "swap"),
    _command(
        "next_cache(0)", "f3", "Cache before", "Take the next cache of the shelf on the left.", "left cache"
    ),
    _command(
        "next_cache(1)", "f4", "Cache after", "Take the next cache of the shelf on the right.", "right cache"
    ),
    _command("read", "enter", "Read the document", "Open the highlighted document.", "read"),
    _command("move(-1)", "up k", "Up", "To the document before; while typing too."),
    _command("move(1)", "down j", "Down", "To the document after."),
)

HISTORY = (
    BACK,
    _command("take", "enter", "Ask again", "Ask the highlighted query with its budget.", "ask again"),
    _command("move(-1)", "up", "Up", "To the query before; while typing too."),
    _command("move(1)", "down", "Down", "To the query after."),
)

HELP = (_command("back", "escape f1 question_mark enter", "Back", "Close the help.", "back"),)
