"""The commands `ask`, an answer for people, and `why`, the explanation of an answer in words or as JSON."""

from __future__ import annotations

from ..arguments import DEFAULT_BUDGET
from ..errors import UsageError
from ..resolver.budget import budget_curve
from ..resolver.result import SelectionResult, wire_tokens
from ..text.display import escape_control, pluralize
from .output import write, write_as, write_json
from .parser import Command, add_budget, add_cache, add_format, add_html, add_query, nearest
from .paths import cache_dir_of, require_folder_of
from .resolve import request_of, totals
from .terminal import Terminal, add_color, crop_middle, table, width

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator

    from ..resolver.cache import Cache
    from ..resolver.explain import ExplainedWord, Explanation, RankedDocument
    from ..scoring import ExplanationNode

_MIN_ID = 20
"""The least width of an id, in cells."""
_FIGURES = 24
"""The width of a row without its id, in cells."""


def _ask_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words or a question")
    add_cache(parser, required=False)
    add_budget(parser, default=DEFAULT_BUDGET)
    parser.add_argument("--read", action="store_true", help="show the texts too, through a pager")
    parser.add_argument("--why", action="store_true", help="explain the ranking, as `ctx why` does")
    add_format(parser, "table", "json", "pretty")
    add_color(parser)


def _run_ask(options: Namespace) -> None:
    options.query = " ".join(options.query)
    cache, query, budget = request_of(options)
    result = cache.resolve(query, budget)
    terminal = Terminal(options.color)
    if options.format == "table" and options.read:
        terminal.page("".join(_texts(result, terminal)) + totals(result))
    elif options.format == "table" and options.why:
        terminal.page(ranking_in_words(cache, cache.explain(query, budget), limit=20))
    else:
        rows = _rows(cache, result, query, terminal)
        write_as(options.format, result, lambda: "".join(rows) + totals(result))


def _rows(cache: Cache, result: SelectionResult, query: str, terminal: Terminal) -> Iterator[str]:
    """Two lines for each chosen document: its id, score and tokens; its matching words and an excerpt."""
    from ..resolver.snippets import snippet

    most = max(_MIN_ID, terminal.width - _FIGURES)
    ids = [crop_middle(escape_control(document.id), most) for document in result.documents]
    id_width = max(map(width, ids), default=0)
    for rank, (id_, document) in enumerate(zip(ids, result.documents, strict=True), start=1):
        name = terminal.paint(id_, "bold") + " " * (id_width - width(id_))
        yield f"{rank:>3}  {name}  {document.score:.3f}  {document.tokens:>7,}\n"
        words = ", ".join(map(escape_control, document.why.query_terms))
        excerpt = escape_control(snippet(cache, query, document.content))
        line = f"{document.why.term_matches:,} × {words}" + (f" · {excerpt}" if excerpt else "")
        yield "     " + terminal.paint(_cut(line, terminal.width - 5), "dim") + "\n"
    if result.documents:
        yield "\n"


def _texts(result: SelectionResult, terminal: Terminal) -> Iterator[str]:
    """The whole texts of the chosen documents, each below its id."""
    for document in result.documents:
        heading = f"── {escape_control(document.id)} · {document.tokens:,} tokens"
        yield terminal.paint(heading, "bold") + "\n"
        yield escape_control(document.content, newlines=True).rstrip("\n") + "\n\n"


def _cut(line: str, most: int) -> str:
    """A line cut to at most `most` cells, with an ellipsis."""
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


CHOSEN, LEFT_OUT = "●", "○"


def ranking_in_words(cache: Cache, explained: Explanation, *, limit: int | None) -> str:
    """A row for each of the first `limit` matching documents with its decision, then the figures."""
    shown = len(explained) if limit is None else min(limit, len(explained))
    rows = [("#", "", "document", "score", "tokens", "")]
    rows += [_ranking_row(entry) for entry in explained.entries(stop=shown + 1)]
    ranking = table(rows, "><<>><", shorten=2) + "\n" if shown else ""
    return ranking + "".join(f"{line}\n" for line in _figures(cache, explained, shown))


def document_in_words(explained: Explanation, entry: RankedDocument) -> str:
    """The rank of one document, the query's words, and the arithmetic of its score as a tree."""
    lines = [
        escape_control(entry.id),
        f"{_rank_in_words(entry, explained)} · {pluralize(entry.tokens, 'token')}",
    ]
    lines += _words(explained.words)
    if entry.missing:
        lines.append(f"lacks: {_listed(entry.missing)}")
    if entry.rank is not None:
        lines += ["", *_tree(entry.reason, "")]
    return "".join(f"{line}\n" for line in lines)


def _ranking_row(entry: RankedDocument) -> tuple[str, str, str, str, str, str]:
    mark = CHOSEN if entry.chosen else LEFT_OUT
    return (str(entry.rank), mark, entry.id, f"{entry.score:.3f}", f"{entry.tokens:,}", decision(entry))


def decision(entry: RankedDocument) -> str:
    """Why a matching document is chosen or not, in numbers, and the words that it lacks.

    `chosen at` names the smallest budget that chooses it; a larger one may choose others instead.
    """
    missing = [word.text for word in entry.missing if word.documents]  # the others are in no document
    lacks = f"lacks {', '.join(missing)}" if missing else ""
    if entry.left is None:
        outcome = f"chosen at {entry.fits_from:,}"
    elif entry.chosen:
        outcome = f"{entry.left - entry.tokens:,} left after it"
    else:
        outcome = f"needs {entry.tokens:,}, {entry.left:,} left · chosen at {entry.fits_from:,}"
    return " · ".join(filter(None, (outcome, lacks)))


def _rank_in_words(entry: RankedDocument, explained: Explanation) -> str:
    if entry.rank is None:
        return "does not match"
    outcome = "chosen" if entry.chosen else decision(entry)
    return f"rank {entry.rank:,} of {len(explained):,} · score {entry.score:.3f} · {outcome}"


def _figures(cache: Cache, explained: Explanation, shown: int) -> Iterator[str]:
    """The figures of the selection, and the words of the query by their status."""
    if shown < len(explained):
        yield f"… and {len(explained) - shown:,} more"
    if not len(explained) or explained.budget is None:
        matches = f"{len(explained):,} match" if len(explained) else "nothing matches"
        yield f"{matches} · {pluralize(cache.document_count, 'document')} searched"
    else:
        answer = cache.resolve(explained.query, explained.budget)
        yield totals(answer).rstrip("\n")
        tokens = pluralize(wire_tokens(answer, cache.manifest.tokenizer), "token")
        characters = pluralize(len(answer.to_json()), "character")
        yield f"with its JSON the answer takes {tokens}, in {characters}"
        yield f"other budgets: {_curve(explained)}"
    yield from _words(explained.words)


def _curve(explained: Explanation) -> str:
    """The number of documents that each usual budget chooses, up to the first that chooses all."""
    parts = []
    for point in budget_curve(explained):
        parts.append(f"{point.budget:,} → {point.documents:,}")
        if point.documents == len(explained):
            break
    return ", ".join(parts)


def _words(words: Iterable[ExplainedWord]) -> Iterator[str]:
    """A line for each status, with the words of the query that have it."""
    words = list(words)
    for status, title in (("scored", "searched for"), ("ignored", "ignored"), ("unknown", "in no document")):
        group = [word for word in words if word.status == status]
        if group:
            yield f"{title}: {_listed(group)}"


def _listed(words: Iterable[ExplainedWord]) -> str:
    return ", ".join(
        escape_control(word.text) + (f" (in {word.documents:,})" if word.status == "scored" else "")
        for word in words
    )


def _tree(reason: ExplanationNode, indent: str) -> Iterator[str]:
    yield f"{indent}{reason.value:,}  {escape_control(reason.reason)}"
    for part in reason.parts:
        yield from _tree(part, indent + "    ")


_ROWS, _RECORDS = 20, 100
"""The default limits of a ranking as a table and as JSON."""


def _why_arguments(parser: ArgumentParser) -> None:
    text = "explain this one, to the last number: an id, a file, a heading, a folder or a pattern"
    parser.add_argument("document", nargs="?", metavar="DOCUMENT", help=text)
    add_cache(parser, required=False)
    add_query(parser)
    add_budget(parser, default=DEFAULT_BUDGET)
    text = f"only the first N of the ranking (default: {_ROWS} in a table, {_RECORDS} in JSON)"
    parser.add_argument("--limit", type=int, metavar="N", help=text)
    parser.add_argument("--all", action="store_true", help="the whole ranking")
    add_format(parser, "table", "json", "pretty")
    add_html(parser)


def _run_why(options: Namespace) -> None:
    require_folder_of(options.html)
    if options.limit is not None and options.limit < 0:
        raise UsageError(f"--limit: {options.limit} is negative")
    cache, query, budget = request_of(options, needs_budget=False)
    explained = cache.explain(query, budget)
    if options.html is not None:
        from .html import write_explanation  # a library for templates

        limit = _limit(options, _RECORDS)
        write_explanation(options.html, explained, name=cache_dir_of(options), limit=limit)
    if options.document is not None:
        entry = _document(cache, explained, options.document)
        if options.format == "table":
            write(document_in_words(explained, entry))
        else:
            write_json(options.format, entry.to_dict(tree=True))
    elif options.format == "table":
        write(ranking_in_words(cache, explained, limit=_limit(options, _ROWS)))
    else:
        limit = _limit(options, _RECORDS)
        omitted = 0 if limit is None else max(0, len(explained) - limit)
        write_json(options.format, explained.to_dict(limit=limit) | ({"omitted": omitted} if omitted else {}))


def _document(cache: Cache, explained: Explanation, name: str) -> RankedDocument:
    """The first document in the ranking that a name means. Raises `UsageError` if it means none."""
    if cache.store.number_of(name) is not None:
        return explained.document(name)
    from ..resolver.names import DocumentNames  # reads the names of all documents

    names = DocumentNames(cache.summaries())
    ids = names.ids(name)
    if not ids:
        near = nearest(name, names.names)
        raise UsageError(
            f"{name}: no document of this cache has this name" + (f"; did you mean {near}?" if near else "")
        )
    first = next((entry for entry in explained.entries() if entry.id in set(ids)), None)
    return first or explained.document(ids[0])


def _limit(options: Namespace, default: int) -> int | None:
    """The number of documents to write; None for all."""
    if options.all:
        return None
    limit: int | None = options.limit
    return default if limit is None else limit


WHY = Command(
    help="""Explain a selection: the whole ranking, what was chosen and what was not, or one document.

With `--budget none` nothing is chosen, and each document says the smallest budget that chooses it; a
larger one may choose documents before it instead.""",
    examples=('ctx why --cache handbook --query "how do we roll back a deployment"',),
    arguments=_why_arguments,
    run=_run_why,
)
