"""The commands of each screen, from which key bindings, footer, palette and help are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.keys import format_key
from textual.widgets import OptionList

from .views.spans import Line, padded, wrap
from .views.spans import width as cells

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from textual.screen import Screen


_MODIFIERS = {"ctrl": "^", "shift": "⇧"}
_TYPED = {"slash", "colon", "plus", "equals_sign", "minus", "question_mark", "space"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A Textual action with its keys and its texts."""

    action: str
    """The name of the action on its screen, with its arguments: `move(-1)`."""
    title: str
    """Its name in the palette and in the help."""
    keys: tuple[str, ...]
    """Textual's names of its keys; the first is the one to show."""
    help: str
    """One sentence."""
    footer: str = ""
    """Its name in the footer; empty for a command that is not shown there."""

    def key(self, *, typing: bool) -> str:
        """The key to show; with `typing` one that is no character of a text. Empty when there is none."""
        keys = [key for key in self.keys if not (typing and is_typed(key))]
        return key_name(keys[0]) if keys else ""

    @property
    def key_names(self) -> str:
        """All keys, as people write them."""
        return "  ".join(key_name(key) for key in self.keys)


def is_typed(key: str) -> bool:
    """Whether a key types a character into an input field."""
    return len(key) == 1 or key in _TYPED or key.endswith(("_square_bracket", "_than_sign"))


def key_name(key: str) -> str:
    """A key as people write it: `⇧↑`, `^p`, `F1`, `/`."""
    *modifiers, last = key.split("+")
    name = last.upper() if last[0] == "f" and last[1:].isdigit() else format_key(last)
    return "".join(_MODIFIERS.get(modifier, f"{modifier}+") for modifier in modifiers) + name


def _command(action: str, keys: str, title: str, help_: str, footer: str = "") -> Command:
    return Command(action=action, title=title, keys=tuple(keys.split()), help=help_, footer=footer)


EVERYWHERE = (
    _command("show_help", "f1 question_mark", "Help", "The keys of this screen, and the marks.", "help"),
    _command("command_palette", "ctrl+p", "Commands", "Every command by name.", "commands"),
    _command("toggle_theme", "f9 t", "Dark or light", "The other of the two themes."),
    _command("change_theme", "f10", "Choose a theme", "One of many more; it is remembered."),
    _command("suspend_process", "ctrl+z", "Suspend", "Back to the shell; `fg` returns."),
    _command("quit", "ctrl+q q", "Quit", "Leave the inspector.", "quit"),
)

BACK = _command("back", "escape", "Back", "Back to where you came from.", "back")
UP = _command("move(-1)", "up k", "Up", "To the row before, while typing too.")
DOWN = _command("move(1)", "down j", "Down", "To the row after, while typing too.")
PAGE_UP = _command("page(-1)", "pageup", "Page up", "A page of rows up.")
PAGE_DOWN = _command("page(1)", "pagedown", "Page down", "A page of rows down.")
FIRST = _command("jump(0)", "ctrl+home g", "First", "To the first row.")
LAST = _command("jump(-1)", "ctrl+end G", "Last", "To the last row.")
MOVES = (UP, DOWN, PAGE_UP, PAGE_DOWN, FIRST, LAST)
VERIFY = _command("verify", "f8 v", "Verify", "Check every byte of the cache.", "verify")
READ = _command("read", "enter", "Read the document", "Open the highlighted document.", "read")
COPY_ID = _command("copy_id", "y", "Copy the id", "The id of the highlighted document.", "copy id")
COPY_CONTENT = _command("copy_content", "Y", "Copy the content", "Its content, exactly.")
GO_TO = _command("go_to", "ctrl+g colon", "Go to", "A cache or a document, by a part of its name.", "go to")

DOCUMENTS_COMMAND = _command(
    "documents", "f2 d", "Documents", "All of the cache, and how it was built.", "documents"
)
CACHES_COMMAND = _command("caches", "f6 o", "Caches", "Go to the list of caches; Enter opens one.", "caches")
HISTORY_COMMAND = _command("history", "f7 h", "History", "Ask an earlier query again.", "history")
COMPARE_COMMAND = _command(
    "compare", "f5 c", "Compare", "Two queries, budgets or caches side by side.", "compare"
)

RESOLVE = (
    READ,
    DOCUMENTS_COMMAND,
    _command("agent", "f3 a", "What the agent sees", "The exact call and answer, to copy.", "agent"),
    _command("fit", "f4 f", "Fit the document", "The smallest budget, not below this, that has it.", "fit"),
    COMPARE_COMMAND,
    CACHES_COMMAND,
    HISTORY_COMMAND,
    VERIFY,
    _command("why_not", "ctrl+n n", "Why not", "Where a page stands that you name, and why.", "why not"),
    GO_TO,
    _command(
        "sources", "ctrl+r r", "Sources, rebuild", "What changed since the build; rebuild it.", "sources"
    ),
    _command("tests", "ctrl+t x", "Query tests", "Run the project's tests; Enter asks one.", "tests"),
    _command("save_test", "ctrl+s s", "Save as a test", "The query and what it must find.", "save test"),
    COPY_ID,
    COPY_CONTENT,
    _command("filter", "slash", "Filter", "Only documents whose id or title holds some words.", "filter"),
    _command("step_budget(1)", "shift+up plus equals_sign", "Budget up", "A little more."),
    _command("step_budget(-1)", "shift+down minus", "Budget down", "A little less."),
    _command("usual_budget(1)", "ctrl+up right_square_bracket", "Next usual budget", "500, 1,000, 2,000 …"),
    _command("usual_budget(-1)", "ctrl+down left_square_bracket", "Usual budget before", "The other way."),
    _command(
        "other_answer(1)", "alt+up greater_than_sign", "Next other answer", "The next budget that changes it."
    ),
    _command(
        "other_answer(-1)", "alt+down less_than_sign", "Other answer before", "The same with less budget."
    ),
    _command("edit_budget", "ctrl+b b", "Type a budget", "4000, 4,000 and 4k are the same."),
    _command("leave", "escape i", "Leave or type", "From the query to the list, and back again."),
    _command("arithmetic", "ctrl+y w", "Arithmetic", "Show or hide the score as a tree of numbers."),
    *MOVES,
)

FIRST_SCREEN = (
    _command("build", "b enter", "Build", "Compile what is here; nothing else is written.", "build"),
    _command("folder", "o", "Another folder", "Name a folder of documents, and build from it.", "folder"),
    _command("sample", "s", "Sample", "Look at a small cache about ctx itself.", "sample"),
    _command("back", "escape", "Back", "To the screen beneath; while it builds, stop.", "back"),
)

DOCUMENTS = (
    BACK,
    READ,
    _command("sort", "ctrl+o s", "Sort", "By the next column; a click on its name does the same.", "sort"),
    _command("reverse", "ctrl+l l", "Turn round", "The same order from its other end.", "turn round"),
    _command("filter", "ctrl+f slash", "Filter", "Only documents whose id or title holds some words."),
    COPY_ID,
    COPY_CONTENT,
    VERIFY,
    *MOVES,
)

DOCUMENT = (
    BACK,
    _command("match(1)", "n", "Next match", "To the next word that the query found.", "next match"),
    _command("match(-1)", "N", "Previous match", "To the word before.", "previous"),
    _command("find", "ctrl+f slash", "Find", "Look for a text in this document.", "find"),
    _command("rendered", "r", "Rendered or raw", "Rendered Markdown, or the text as it is.", "raw"),
    _command("document(1)", "right_square_bracket", "Next document", "The next of the list.", "next"),
    _command("document(-1)", "left_square_bracket", "Document before", "The one before.", "before"),
    _command("edit", "e", "Edit the source", "Open the source in $EDITOR, at its line.", "edit"),
    COPY_ID,
    _command("copy_content", "Y", "Copy the content", "Its content, exactly.", "copy all"),
)

AGENT = (
    BACK,
    _command("show('text')", "1", "The exact answer", "What the agent receives, byte for byte.", "answer"),
    _command("show('pretty')", "2", "Indented", "The same object, indented for reading.", "indented"),
    _command("show('call')", "3", "The call", "The call that was made, as JSON.", "call"),
    _command("copy_content", "y Y", "Copy", "Copy the text in view, exactly.", "copy"),
)

SOURCES = (
    _command("back", "escape", "Back", "Back; while it is building, stop.", "back"),
    _command("rebuild", "ctrl+r r enter", "Rebuild", "Build what is stale; keep what is not.", "rebuild"),
    _command("force", "ctrl+n n", "Build from nothing", "All of it, whatever is there.", "from nothing"),
    _command("compare", "f5 c", "Compare", "The query, asked of the build before and of this.", "compare"),
    VERIFY,
    *MOVES,
)

QUERY_TESTS = (
    BACK,
    _command("take", "enter", "Ask it", "Ask the query of the test on the main screen.", "ask it"),
    _command("run", "ctrl+t x", "Run again", "Run all tests as they are written now.", "run again"),
    *MOVES,
)

SAVE_TEST = (
    BACK,
    _command("save", "enter", "Save", "Write the test into the configuration.", "save"),
    _command("pick", "space", "Take or leave", "Whether the answer must hold it.", "take or leave"),
    _command("whole_files", "f", "Whole files", "Whole files, then folders, then sections.", "whole files"),
    _command("pick_all", "a", "All or none", "Leave all; or take all, where none is taken.", "all or none"),
    UP,
    DOWN,
)

SCOPE = (BACK, _command("copy_content", "y Y", "Copy", "Copy the text, exactly.", "copy"))

COMPARE = (
    BACK,
    READ,
    _command("swap", "ctrl+o x", "Swap", "Change the two sides.", "swap"),
    _command(
        "next_cache(0)", "ctrl+l less_than_sign", "Next left cache", "The next, on the left.", "left cache"
    ),
    _command(
        "next_cache(1)",
        "ctrl+r greater_than_sign",
        "Next right cache",
        "The next, on the right.",
        "right cache",
    ),
    UP,
    DOWN,
)

PICK = (BACK, _command("take", "enter", "Take", "The highlighted one.", "take"), UP, DOWN)
HELP = (_command("back", "escape f1 question_mark enter", "Back", "Close the help.", "back"),)


_MARKS = (
    ("●", "slot1", "chosen: the agent gets it; its colour is that of its part of the bar"),
    ("○", "dim", "left out: it matches, but was too large for what was left at its turn"),
    ("+656", "warn", "so much more budget, and a document that was left out is chosen"),
    ("= 3", "dim", "three documents have this very text; one of them is given"),
    ("▇▆▅▄", "slot1", "how much of the score each word of the query gives, in the order of the query"),
    ("◆", "warn", "the present budget on the curve of what each budget brings"),
    ("█ ░", "bar", "tokens used by the chosen, in order; tokens that remain"),
    ("✓ ✗", "good", "a cache that opens; one that does not, with its fault beside it"),
    (
        "↻ ? ·",
        "warn",
        "a cache whose sources changed; one that cannot be compared with them; one to be built",
    ),
)


def help_lines(commands: Iterable[Command], width: int) -> list[Line]:
    """The text of the help: each command with its keys, then the marks, in lines of at most `width` cells."""
    lines: list[Line] = [[("Keys", "strong"), ("   letters work while nothing is typed", "dim")], []]
    for command in commands:
        head: Line = [(padded(command.key_names, 11) + " ", "accent"), (padded(command.title, 22), "")]
        lines += _hanging(head, command.help, width)
    lines += [[], [("Marks", "strong")], []]
    for mark, role, words in _MARKS:
        lines += _hanging([(padded(mark, 12) + " ", role)], words, width)
    return lines


def _hanging(head: Line, words: str, width: int) -> list[Line]:
    """A head with a text beside it; further lines of the text are indented to its start."""
    at = cells(head)
    first, *rest = wrap(words, max(12, width - at))
    return [[*head, (first, "dim")], *([(" " * at, ""), (line, "dim")] for line in rest)]


def bindings(commands: Iterable[Command], *, namespace: str = "screen") -> list[BindingType]:
    """A binding for each key; a letter triggers it only when no input field has the focus."""
    return [
        Binding(key, f"{namespace}.{command.action}", command.title, show=False)
        for command in commands
        for key in command.keys
    ]


def available_commands(screen: Screen[object]) -> list[tuple[Command, str]]:
    """(command, action) for each command that works on a screen now."""
    own = [(command, f"screen.{command.action}") for command in getattr(screen, "commands", ())]
    # Textual does not pass keys from a modal screen to the application.
    everywhere = () if screen.is_modal else EVERYWHERE
    commands = own + [(command, f"app.{command.action}") for command in everywhere]
    taken = {key for command, _ in own for key in command.keys}
    return [
        (command, action)
        for command, action in commands
        if screen.check_action(command.action.partition("(")[0], ()) is not False
        and (action.startswith("screen.") or not taken.issuperset(command.keys))
    ]


class CommandsProvider(Provider):
    """Lists the commands of the screen in the palette."""

    async def discover(self) -> Hits:
        """All commands, in the order of the help."""
        for command, run in self._commands():
            yield DiscoveryHit(command.title, run, help=f"{command.key_names}   {command.help}")

    async def search(self, query: str) -> Hits:
        """The commands whose title matches a query."""
        matcher = self.matcher(query)
        for command, run in self._commands():
            if (score := matcher.match(command.title)) > 0:
                help_ = f"{command.key_names}   {command.help}"
                yield Hit(score, matcher.highlight(command.title), run, help=help_)

    def _commands(self) -> Iterator[tuple[Command, Callable[[], Awaitable[None]]]]:
        for command, action in available_commands(self.screen):
            yield command, partial(self.screen.run_action, action)


class Palette(CommandPalette):
    """Textual's palette, which fails when a key moves the cursor of the list before it has options."""

    def _action_command_list(self, action: str) -> None:
        if self.query_one(OptionList).option_count:
            super()._action_command_list(action)
