"""Commands: their keys and words."""

from __future__ import annotations

from collections import Counter

import pytest

from ctxcache.tui import commands as command_table
from ctxcache.tui.commands import Command, is_typed, key_name

TABLES = {
    name: value
    for name, value in vars(command_table).items()
    if name.isupper() and isinstance(value, tuple) and not name.startswith("_")
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_no_key_of_a_screen_means_two_things(name: str) -> None:
    """Keys that work everywhere included, unless the whole command is replaced by one of the screen."""
    commands: tuple[Command, ...] = TABLES[name]
    keys = Counter(key for command in commands for key in command.keys)
    assert [key for key, times in keys.items() if times > 1] == []
    if name not in ("EVERYWHERE", "HELP"):
        everywhere = {key for command in command_table.EVERYWHERE for key in command.keys}
        assert not everywhere & keys.keys()


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_command_says_what_it_does(name: str) -> None:
    for command in TABLES[name]:
        assert command.title and command.help.endswith((".", "…"))
        assert command.keys


def test_keys_are_named_as_people_know_them() -> None:
    names = [key_name(key) for key in ("f1", "ctrl+p", "shift+up", "slash", "enter", "f", "alt+x")]
    assert names == ["F1", "^p", "⇧↑", "/", "⏎", "f", "alt+x"]


def test_a_letter_is_no_key_while_something_is_typed() -> None:
    command = Command(action="x", title="X", keys=("d", "f2"), help="Do.")
    assert command.key(typing=False) == "d"
    assert command.key(typing=True) == "F2"
    assert is_typed("plus") and is_typed("left_square_bracket") and not is_typed("escape")
