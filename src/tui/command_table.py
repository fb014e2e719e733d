"""What can be done on each screen, in the order of its help.

A command has keys that work everywhere and, mostly, a letter for when nothing is being typed.
"""

from __future__ import annotations

from .commands import Command


def _command(action: str, keys: str, footer: str, title: str, help_: str) -> Command:
    return Command(action=action, title=title, keys=tuple(keys.split()), help=help_, footer=footer)


EVERYWHERE = (
    _command("show_help", "f1 question_mark", "help", "Help", "The keys of this screen, and the marks."),
    _command("command_palette", "ctrl+p", "commands", "Commands", "Every command by name."),
    _command("toggle_theme", "f9 t", "", "Dark or light", "The other of the two themes."),
    _command("change_theme", "f10", "", "Choose a theme", "One of many more themes."),
    _command("quit", "ctrl+q q", "quit", "Quit", "Leave the inspector."),
)

BACK = _command("back", "escape", "back", "Back", "Back to where you came from.")
UP = _command("move(-1)", "up k", "", "Up", "To the row before, while typing too.")
DOWN = _command("move(1)", "down j", "", "Down", "To the row after, while typing too.")
PAGE_UP = _command("page(-1)", "pageup", "", "Page up", "A page of rows up.")
PAGE_DOWN = _command("page(1)", "pagedown", "", "Page down", "A page of rows down.")
FIRST = _command("jump(0)", "ctrl+home g", "", "First", "To the first row.")
LAST = _command("jump(-1)", "ctrl+end G", "", "Last", "To the last row.")
MOVES = (UP, DOWN, PAGE_UP, PAGE_DOWN, FIRST, LAST)
VERIFY = _command("verify", "f8 v", "verify", "Verify", "Check every byte of the cache.")
READ = _command("read", "enter", "read", "Read the document", "Open the highlighted document.")

RESOLVE = (
    READ,
    _command("documents", "f2 d", "documents", "Documents", "All of the cache, and how it was built."),
    _command("agent", "f3 a", "agent", "What the agent sees", "The exact call and answer, to copy."),
    _command("fit", "f4 f", "fit", "Fit the document", "The smallest budget that lets it in."),
    _command("compare", "f5 c", "compare", "Compare", "Two queries, budgets or caches side by side."),
    _command("caches", "f6 o", "caches", "Caches", "Go to the list of caches; Enter opens one."),
    _command("history", "f7 h", "history", "History", "Ask an earlier query again."),
    VERIFY,
    _command(
        "sources", "ctrl+r r", "sources", "Sources, rebuild", "What changed since the build; rebuild it."
    ),
    _command("tests", "ctrl+t x", "tests", "Query tests", "Run the project's tests; Enter asks one."),
    _command("save_test", "ctrl+s s", "save test", "Save as a test", "The query and what was chosen for it."),
    _command("budget_up", "shift+up plus equals_sign", "", "Budget up", "A little more; the answer follows."),
    _command("budget_down", "shift+down minus", "", "Budget down", "A little less."),
    _command("preset_up", "ctrl+up right_square_bracket", "", "Next usual budget", "500, 1,000, 2,000 …"),
    _command("preset_down", "ctrl+down left_square_bracket", "", "Usual budget before", "The other way."),
    _command("edit_budget", "ctrl+b b", "", "Type a budget", "4000, 4,000 and 4k are the same."),
    _command("ask", "escape slash", "", "Type a query", "Back to the query."),
    _command("arithmetic", "ctrl+y w", "", "Arithmetic", "Show or hide the score as a tree of numbers."),
    *MOVES,
)

DOCUMENTS = (
    BACK,
    READ,
    _command("sort('document')", "f2 i", "by name", "Sort by name", "By id; once more turns it round."),
    _command("sort('title')", "f3 l", "title", "Sort by title", "By title; once more turns it round."),
    _command(
        "sort('tokens')", "f4 s", "tokens", "Sort by tokens", "Largest first; once more turns it round."
    ),
    _command("sort('words')", "f5 w", "words", "Sort by words", "Longest first; once more turns it round."),
    _command("filter", "ctrl+f slash", "", "Filter", "Only documents whose id or title holds some words."),
    VERIFY,
    *MOVES,
)

DOCUMENT = (
    BACK,
    _command("next_match", "n", "next match", "Next match", "To the next word that the query found."),
    _command("previous_match", "N", "previous", "Previous match", "To the word before."),
    _command("rendered", "r", "raw", "Rendered or raw", "Rendered Markdown, or the text as it is."),
    _command("next_document", "right_square_bracket", "next", "Next document", "The next of the list."),
    _command("previous_document", "left_square_bracket", "before", "Document before", "The one before."),
    _command("edit", "e", "edit", "Edit the source", "Open the source in $EDITOR, at its line."),
    _command("copy", "y", "copy", "Copy", "Copy the content, exactly."),
)

AGENT = (
    BACK,
    _command("show('text')", "1", "answer", "The exact answer", "What the agent receives, byte for byte."),
    _command("show('pretty')", "2", "indented", "Indented", "The same object, indented for reading."),
    _command("show('call')", "3", "call", "The call", "The call that was made, as JSON."),
    _command("copy", "y", "copy", "Copy", "Copy the text in view, exactly."),
)

SOURCES = (
    _command("back", "escape", "back", "Back", "Back; while it is building, stop."),
    _command("rebuild", "ctrl+r r enter", "rebuild", "Rebuild", "Build what is stale; keep what is not."),
    _command("force", "f4 n", "from nothing", "Build from nothing", "Build all of it, whatever is there."),
    _command("compare", "f5 c", "compare", "Compare", "The query, asked of the build before and of this."),
    *MOVES,
)

QUERY_TESTS = (
    BACK,
    _command("take", "enter", "ask it", "Ask it", "Ask the query of the test on the main screen."),
    _command("run", "ctrl+t x", "run again", "Run again", "Run all tests as they are written now."),
    *MOVES,
)

SAVE_TEST = (
    BACK,
    _command("save", "enter", "save", "Save", "Write the test into the configuration."),
    _command("pick", "space", "take or leave", "Take or leave", "Whether the answer must hold it."),
    _command(
        "whole_files", "f", "whole files", "Whole files", "Expect files, whichever section of them; or back."
    ),
    _command("pick_all", "a", "all or none", "All or none", "Leave all; or take all, where none is taken."),
    UP,
    DOWN,
)

SCOPE = (BACK, _command("copy", "y", "copy", "Copy", "Copy the text, exactly."))

COMPARE = (
    BACK,
    READ,
    _command("swap", "f2 x", "swap", "Swap", "Change the two sides."),
    _command("next_cache(0)", "f3", "left cache", "Another cache before", "The next one, on the left."),
    _command("next_cache(1)", "f4", "right cache", "Another cache after", "The next one, on the right."),
    UP,
    DOWN,
)

HISTORY = (
    BACK,
    _command("take", "enter", "ask again", "Ask again", "Ask the highlighted query with its budget."),
    UP,
    DOWN,
)

HELP = (_command("back", "escape f1 question_mark enter", "back", "Back", "Close the help."),)
