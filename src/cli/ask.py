"""The command `ask`: the answer to a question, for people."""

from __future__ import annotations

from ..arguments import DEFAULT_BUDGET
from ..text.display import escape_control
from .output import write_as
from .parser import Command, add_budget, add_cache, add_format
from .resolve import account, asked
from .terminal import Terminal, add_color, fitted, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from ..resolver.cache import Cache
    from ..resolver.result import SelectedDocument, SelectionResult

_NARROWEST_ID = 20
_FIGURES = 24
"""Cells of a row that are not the id."""


def _ask_arguments(parser: ArgumentParser) -> None:
    """QUERY, the cache, the budget, and the form."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words or a question")
    add_cache(parser, required=False)
    add_budget(parser, default=DEFAULT_BUDGET)
    parser.add_argument("--read", action="store_true", help="show the texts too, through a pager")
    parser.add_argument("--why", action="store_true", help="explain the ranking, as `ctx why` does")
    add_format(parser, "table", "json", "pretty")
    add_color(parser)


def _run_ask(options: Namespace) -> None:
    """Write the answer."""
    options.query = " ".join(options.query)
    cache, query, budget = asked(options)
    result = cache.resolve(query, budget)
    terminal = Terminal(options.color)
    if options.format == "table" and options.read:
        terminal.page("".join(_texts(result, terminal)) + account(result))
    elif options.format == "table" and options.why:
        from .why import the_ranking

        terminal.page(the_ranking(cache, cache.explain(query, budget), limit=20))
    else:
        rows = _rows(cache, result, query, terminal)
        write_as(options.format, result, lambda result: "".join(rows) + account(result))


def _rows(cache: Cache, result: SelectionResult, query: str, terminal: Terminal) -> Iterator[str]:
    """Two lines for each chosen document: what it is and costs, and where its words match."""
    from ..resolver.snippets import snippet

    most = max(_NARROWEST_ID, terminal.width - _FIGURES)
    ids = [fitted(escape_control(document.id), most) for document in result.documents]
    broadest = max(map(width, ids), default=0)
    for rank, (id_, document) in enumerate(zip(ids, result.documents, strict=True), start=1):
        name = terminal.paint(id_, "bold") + " " * (broadest - width(id_))
        yield f"{rank:>3}  {name}  {document.score:.3f}  {document.tokens:>7,}\n"
        words = ", ".join(map(escape_control, document.why.query_terms))
        found = escape_control(snippet(cache, query, document.content))
        line = f"{document.why.term_matches:,} × {words}" + (f" · {found}" if found else "")
        yield "     " + terminal.paint(_cut(line, terminal.width - 5), "dim") + "\n"
    if result.documents:
        yield "\n"


def _texts(result: SelectionResult, terminal: Terminal) -> Iterator[str]:
    """The chosen documents, whole, each under its id."""
    for document in result.documents:
        yield _heading(document, terminal)
        yield escape_control(document.content, newlines=True).rstrip("\n") + "\n\n"


def _heading(document: SelectedDocument, terminal: Terminal) -> str:
    return terminal.paint(f"── {escape_control(document.id)} · {document.tokens:,} tokens", "bold") + "\n"


def _cut(line: str, most: int) -> str:
    """The line without what is beyond the edge of the terminal."""
    while width(line) > most:
        line = line[: max(0, len(line) - max(1, width(line) - most) - 1)] + "…"
    return line


ASK = Command(
    help="""Ask a question, and see which documents answer it, where their words match, and what they cost.

For people: the form of this table may change. Programs read `ctx resolve`. Without --cache the only
cache of the project is asked.""",
    examples=('ctx ask "how do we roll back a deployment"',),
    arguments=_ask_arguments,
    run=_run_ask,
)
