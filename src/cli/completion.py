"""Write a script that completes command lines of ctx: for bash, zsh or fish.

bash:  echo 'eval "$(ctx completion bash)"' >> ~/.bashrc
zsh:   echo 'eval "$(ctx completion zsh)"' >> ~/.zshrc, below compinit
fish:  ctx completion fish > ~/.config/fish/completions/ctx.fish
"""

from __future__ import annotations

from .completing import commands
from .completion_scripts import SCRIPTS
from .output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLE = "ctx completion bash"


def add_arguments(parser: ArgumentParser) -> None:
    """SHELL."""
    parser.add_argument("shell", choices=tuple(SCRIPTS), metavar="SHELL", help=", ".join(SCRIPTS))


def run(options: Namespace) -> None:
    """Write the script."""
    write("".join(f"{line}\n" for line in SCRIPTS[options.shell](commands())))
