"""The completion scripts of three shells, each from the same description of the commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .completing import Argument, Command

_PROGRAMS = ("ctx", "context")

_BASH_HEAD = r"""
_ctx_caches() {
    compgen -W "$(ls -1 .ctx/caches 2>/dev/null)" -- "$1"
    compgen -d -- "$1"
}
_ctx() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} IFS=$'\n'
    COMPREPLY=()
""".strip("\n").splitlines()

_ZSH_HEAD = r"""
#compdef ctx context
_ctx_caches() {
    local -a names
    names=(.ctx/caches/*(N/:t))
    compadd -a names
    _files -/
}
_ctx() {
""".strip("\n").splitlines()

_ZSH_TAIL = r"""
    esac
}
if [[ $funcstack[1] == _ctx ]]; then _ctx "$@"; else compdef _ctx ctx context; fi
""".strip("\n").splitlines()

_FISH_HEAD = r"""
function __ctx_caches
    for cache in .ctx/caches/*/
        string split -r -m1 -f2 / (string trim -r -c / $cache)
    end
    __fish_complete_directories
end
""".strip("\n").splitlines()


def bash(commands: list[Command]) -> Iterator[str]:
    """Two looks: what the option before the cursor takes, else what the command takes."""
    yield from _BASH_HEAD
    yield f"    if ((COMP_CWORD == 1)); then {_bash_reply(_bash_words(c.name for c in commands))}; return; fi"
    yield '    case "${COMP_WORDS[1]} $before" in'
    for command in commands:
        for option in command.options:
            if option.takes_value:
                when = "|".join(f'"{command.name} {flag}"' for flag in option.flags)
                yield f"        {when}) {_bash_values(option)}; return ;;"
    yield from ("    esac", '    case "${COMP_WORDS[1]} $word" in')
    for command in commands:
        flags = _bash_words(flag for option in command.options for flag in option.flags)
        yield f'        "{command.name} -"*) {_bash_reply(flags)} ;;'
        if command.places:
            yield f'        "{command.name} "*) {_bash_values(command.places[0])} ;;'
    yield from ("    esac", "}", f"complete -o filenames -F _ctx {' '.join(_PROGRAMS)}")


def _bash_values(argument: Argument) -> str:
    makers = {
        "words": _bash_words(argument.choices),
        "caches": '_ctx_caches "$word"',
        "files": 'compgen -f -- "$word"',
        "folders": 'compgen -d -- "$word"',
        "text": ":",
    }
    return _bash_reply(makers[argument.kind])


def _bash_words(words: Iterable[str]) -> str:
    lines = r"\n".join(words)
    return f"""compgen -W $'{lines}' -- "$word\""""


def _bash_reply(command: str) -> str:
    return f"COMPREPLY=($({command}))"


def zsh(commands: list[Command]) -> Iterator[str]:
    """`_describe` for the commands, `_arguments` for each of them."""
    yield from _ZSH_HEAD
    names = " ".join(_quoted(f"{command.name}:{command.help}") for command in commands)
    yield f"    local -a commands=({names})"
    yield "    if ((CURRENT == 2)); then _describe command commands; return; fi"
    yield from ("    shift words", "    ((CURRENT--))", "    case $words[1] in")
    for command in commands:
        specs = [spec for argument in command.options for spec in _zsh_option(argument)]
        specs += [_quoted(_zsh_place(place, number)) for number, place in enumerate(command.places, start=1)]
        yield f"        {command.name}) _arguments -s {' '.join(specs)} ;;"
    yield from _ZSH_TAIL


def _zsh_option(option: Argument) -> Iterator[str]:
    others = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
    value = f":{option.metavar}:{_zsh_values(option)}" if option.takes_value else ""
    for flag in option.flags:
        yield _quoted(f"{others}{flag}[{_zsh_safe(option.help)}]{value}")


def _zsh_place(place: Argument, number: int) -> str:
    where = "*" if place.repeated else str(number)
    return f"{where}:{place.metavar}:{_zsh_values(place)}"


def _zsh_values(argument: Argument) -> str:
    makers = {"words": f"({' '.join(argument.choices)})", "caches": "_ctx_caches", "files": "_files"}
    return (makers | {"folders": "_files -/", "text": " "})[argument.kind]


def _zsh_safe(text: str) -> str:
    return text.replace("[", r"\[").replace("]", r"\]").replace(":", r"\:")


def fish(commands: list[Command]) -> Iterator[str]:
    """A line for each command and each option."""
    yield from _FISH_HEAD
    for program in _PROGRAMS:
        yield f"complete -c {program} -f"
        for command in commands:
            begin = f"complete -c {program} -n __fish_use_subcommand -a {command.name}"
            yield f"{begin} -d {_fish_quoted(command.help)}"
        for command in commands:
            begin = f"complete -c {program} -n '__fish_seen_subcommand_from {command.name}'"
            for argument in (*command.options, *command.places[:1]):
                yield f"{begin}{_fish_argument(argument)}"


def _fish_argument(argument: Argument) -> str:
    flags = "".join(
        f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in argument.flags
    )
    values = {
        "words": f" -a {_fish_quoted(' '.join(argument.choices))}",
        "caches": " -a '(__ctx_caches)'",
        "files": " -F",
        "folders": " -a '(__fish_complete_directories)'",
        "text": "",
    }[argument.kind]
    takes = f" {'-r' if argument.kind == 'files' else '-x'}" if argument.flags else ""
    takes = takes + values if argument.takes_value else ""
    return f"{flags}{takes} -d {_fish_quoted(argument.help)}"


def _quoted(text: str) -> str:
    """A word of zsh that stands for `text`."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
"""What writes the script of a shell, line by line."""
