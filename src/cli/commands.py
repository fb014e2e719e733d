"""The commands of `ctx`: a module of this folder each, and a line each here.

The module named like the command has a docstring (its description in `--help`), `EXAMPLE` (a
command line that works), `add_arguments(parser)` and `run(options)`, which returns the exit
code or None for 0. It is imported when its command is asked for, and no other is.
"""

COMMANDS = {
    "init": "write a ctx.toml for the folder at hand",
    "build": "compile a folder of documents into a cache",
    "status": "say which caches of the project are fresh, stale, missing or invalid",
    "resolve": "select documents for a query within a token budget",
    "why": "explain a selection: what was chosen, what was not, and the arithmetic",
    "tui": "inspect: browse caches, ask while typing, see why",
    "inspect": "say what a cache is and whether its structure holds",
    "list": "list the caches of a directory",
    "verify": "check every byte of a cache and name its faults",
    "diff": "compare two caches: documents, and what that does to queries",
    "test": "run the query tests of the project",
    "eval": "measure how well a cache answers judged queries",
    "scope": "write, check and read the contexts of a project's directories",
    "serve": "serve caches and scopes to agents over MCP",
    "install": "configure an agent to start the server",
    "completion": "write a script that completes command lines in a shell",
}
"""What each command does, in the order of `ctx --help`."""
