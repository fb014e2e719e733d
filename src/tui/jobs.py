"""What workers do: call the library in a thread and post what came of it.

A job is given the function that posts. It touches no widget, and every failure that the
library knows becomes a message with a sentence.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import CtxError
from ..resolver.cache import open_cache
from ..resolver.comparison import compare
from ..resolver.wire import wire_tokens
from .answered import answer
from .calls import exchange
from .desk import suggestions
from .highlights import match_spans
from .lines import layout, page
from .listing import arranged, size_counts
from .messages import (
    Arranged,
    CacheOpened,
    Compared,
    DocumentRead,
    Exchanged,
    HeadingsRead,
    PageLaid,
    Refused,
    Resolved,
    RowsRead,
    ScopeRead,
    ScopesRead,
    ShelfRead,
    Verified,
    Weighed,
    WhyFound,
)
from .reasons import explain_entry
from .shelf import read_shelf, read_volume

if TYPE_CHECKING:
    from textual.message import Message

    from ..cache.documents import DocumentSummary
    from ..resolver.cache import Cache
    from .answered import Answered
    from .authoring.workshop import Workshop
    from .lines import Page
    from .listing import Order
    from .question import Question
    from .shelf import Shelf, Volume

Post = Callable[["Message"], object]
FIRST_HEADINGS = 500
"""Documents that are shown before all are listed."""


def read_caches(post: Post, place: str, known: Shelf, workshop: Workshop) -> None:
    """Look at the root."""
    post(ShelfRead(read_shelf(place, known, workshop.places(place))))


def read_scopes(post: Post, project: str) -> None:
    """Look at the contexts of a project."""
    from .scopes_read import read_scopes  # a part of the library that few sessions need

    before = time.monotonic()
    scopes = read_scopes(project)
    post(ScopesRead(scopes, seconds=time.monotonic() - before))


def read_scope(post: Post, project: str, name: str) -> None:
    """Read the context of one directory."""
    from .scopes_read import read_scope  # as above

    text, state, changes = read_scope(project, name)
    post(ScopeRead(text=text, state=state, changes=changes))


def open_volume(post: Post, volume: Volume) -> None:
    """Open a cache, and find something to ask it."""
    try:
        import numpy  # noqa: F401 - ranking takes the fast way wherever numpy is loaded already

        cache = open_cache(volume.path)
        titles = suggestions(cache)
    except CtxError as error:
        found = read_volume(volume.path, volume.name)
        post(CacheOpened(volume=found, cache=None, problem=str(error)))
    else:
        post(CacheOpened(volume=read_volume(volume.path, volume.name), cache=cache, titles=titles))


def resolve(
    post: Post, sequence: int, cache: Cache, question: Question, ranks: range, highlighted: int
) -> None:
    """Answer a question, with the rows of some ranks and the reasons for one of them."""
    try:
        answered = answer(sequence, cache, question)
        rows = answered.rows(ranks.start, ranks.stop)
        rank = min(highlighted, answered.matches)
        why = explain_entry(answered.explained, answered.explained.entry(rank)) if rank else None
    except CtxError as error:
        post(Refused(sequence=sequence, problem=str(error)))
    else:
        post(Resolved(answered=answered, rows=rows, why=why))


def weigh(post: Post, answered: Answered) -> None:
    """Count what the answer costs on the wire."""
    question = answered.question
    try:
        result = answered.cache.resolve(question.query, question.budget)
        tokens = wire_tokens(result, answered.cache.manifest.tokenizer)
    except CtxError as error:
        post(Refused(sequence=answered.sequence, problem=str(error)))
    else:
        post(Weighed(sequence=answered.sequence, tokens=tokens))


def read_rows(post: Post, answered: Answered, ranks: range) -> None:
    """Read more rows of an answer."""
    post(RowsRead(sequence=answered.sequence, rows=answered.rows(ranks.start, ranks.stop)))


def find_why(post: Post, answered: Answered, document: int | str) -> None:
    """Explain one document, named by its rank or by its id."""
    explained = answered.explained
    try:
        entry = explained.entry(document) if isinstance(document, int) else explained.document(document)
        why = explain_entry(explained, entry)
    except CtxError as error:
        post(WhyFound(sequence=answered.sequence, document=document, why=None, problem=str(error)))
    else:
        post(WhyFound(sequence=answered.sequence, document=document, why=why))


def check_volume(post: Post, volume: Volume) -> None:
    """Check every byte of a cache."""
    from ..builder.verification import verify  # the whole builder, which costs as much as Textual

    try:
        verification = verify(volume.path)
    except CtxError as error:
        post(Verified(name=volume.name, path=volume.path, verification=None, problem=str(error)))
    else:
        post(Verified(name=volume.name, path=volume.path, verification=verification))


def list_headings(post: Post, cache: Cache) -> None:
    """List the documents of a cache: the first at once, then all."""
    stops = {min(FIRST_HEADINGS, cache.document_count), cache.document_count}
    try:
        for stop in sorted(stops):
            headings = list(cache.summaries(0, stop))
            post(HeadingsRead(headings=headings, sizes=size_counts(headings)))
    except CtxError as error:
        post(HeadingsRead(headings=[], sizes=[], problem=str(error)))


def arrange(post: Post, headings: list[DocumentSummary], order: Order) -> None:
    """Filter and sort documents."""
    post(Arranged(order=order, headings=arranged(headings, order)))


def read_document(post: Post, cache: Cache, id_: str, query: str) -> None:
    """Read a document and find the words of the query in it."""
    from .markdown import renderable  # a part of the builder

    try:
        document = cache.document(id_)
    except CtxError as error:
        post(DocumentRead(id=id_, document=None, page=None, problem=str(error)))
        return
    if document is None:
        post(
            DocumentRead(id=id_, document=None, page=None, problem=f"{id_}: this cache has no such document")
        )
        return
    spans = match_spans(cache, query, document.content)
    shown = page(document.content, spans)
    rendered = renderable(document.source or id_, shown.text)
    post(DocumentRead(id=id_, document=document, page=shown, rendered=rendered))


def lay_page(post: Post, shown: Page, width: int) -> None:
    """Cut a text into rows."""
    post(PageLaid(layout=layout(shown, width)))


def make_call(post: Post, name: str, cache: Cache, question: Question) -> None:
    """Make the call that an agent would make."""
    try:
        post(Exchanged(exchange=exchange(name, cache, question)))
    except CtxError as error:
        post(Exchanged(exchange=None, problem=str(error)))


def compare_two(
    post: Post, sequence: int, before: tuple[Cache, Question], after: tuple[Cache, Question]
) -> None:
    """Ask both sides and compare the answers."""
    try:
        explained = [cache.explain(question.query, question.budget) for cache, question in (before, after)]
        comparison = compare(*explained)
    except CtxError as error:
        post(Compared(sequence=sequence, comparison=None, problem=str(error)))
    else:
        post(Compared(sequence=sequence, comparison=comparison))
