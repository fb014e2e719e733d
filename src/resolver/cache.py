"""An open cache, ready to answer: one object for both formats.

It may be shared between threads and kept open: a rebuild that replaces the files on disk
does not disturb it.
"""

from __future__ import annotations

import os

from ..arguments import DEFAULT_BUDGET, checked_budget, checked_query, require_name
from ..cache.store import Store, open_store
from ..jsonio import millionths
from .budget import select
from .format1 import Format1Ranking, query_words
from .query import Query, read_query
from .rank import rank
from .reading import checked_id, read_document
from .result import SelectedDocument, SelectionResult, Why, short_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..cache.documents import Document, DocumentSummary
    from ..cache.format1 import Format1Store
    from ..cache.manifest import Manifest
    from .explain import Explanation
    from .query import Ranked
    from .reading import ReadDocument


class Cache:
    """A cache opened for reading: `open_cache("docs").resolve("roll back", budget=4000)`."""

    def __init__(self, store: Store | Format1Store) -> None:
        """`store` is the open cache on disk."""
        self.store = store

    @property
    def path(self) -> str:
        """The directory, as it was given."""
        return self.store.directory

    @property
    def manifest(self) -> Manifest:
        """What the cache says of itself."""
        return self.store.manifest

    @property
    def document_count(self) -> int:
        """How many documents the cache holds."""
        return self.manifest.document_count

    def document(self, id_: str) -> Document | None:
        """The document with this id, or None."""
        number = self.store.number_of(id_)
        return None if number is None else self.store.document(number)

    def read(self, id_: object) -> ReadDocument:
        """The document with this id or this heading, and the ids beside it in its file (rule C18).

        Raises `InvalidQuery` where there is none, naming the nearest ids.
        """
        return read_document(self.store, checked_id(id_))

    def documents(self) -> Iterator[Document]:
        """All documents, by the UTF-8 bytes of their ids."""
        return map(self.store.document, range(self.document_count))

    def summaries(self, start: int = 0, stop: int | None = None) -> Iterator[DocumentSummary]:
        """The documents without their contents, from one place in id order up to another."""
        return map(self.store.summary, range(*slice(start, stop).indices(self.document_count)))

    def resolve(self, query: object, budget: object = DEFAULT_BUDGET) -> SelectionResult:
        """The documents that fit `query` and `budget`, by default that of `ctx ask`; see `resolve`."""
        text, tokens = checked_query(query), checked_budget(budget)
        if isinstance(self.store, Store):
            return _resolve(self.store, text, tokens)
        return _resolve_format1(self.store, text, tokens)

    def explain(self, query: object, budget: object = None) -> Explanation:
        """Why each document stands where it does for `query`, and what `budget` buys."""
        from .explain import explain_store  # a resolve needs none of it

        text = checked_query(query)
        return explain_store(self.store, text, None if budget is None else checked_budget(budget))

    def __repr__(self) -> str:
        return f"Cache({self.path!r}, {self.document_count} documents)"


def open_cache(path: str | os.PathLike[str]) -> Cache:
    """Open the cache at `path`. Raises `CacheMissing`, `CacheInvalid`, `IoError`."""
    return Cache(open_store(os.fsdecode(path)))


def resolve(
    cache: Cache | str | os.PathLike[str], query: object, budget: object = DEFAULT_BUDGET
) -> SelectionResult:
    """Which documents of a cache, whole and in which order, fit this query and this budget in tokens.

    Arguments are judged before the cache is looked at, in the order of rule C3. Raises
    `InvalidQuery`, `InvalidBudget`, `CacheMissing`, `CacheInvalid`, `IoError`.
    """
    if not isinstance(cache, Cache):
        require_name(cache)
    text, tokens = checked_query(query), checked_budget(budget)
    opened = cache if isinstance(cache, Cache) else open_cache(cache)
    return opened.resolve(text, tokens)


def _resolve(store: Store, text: str, budget: int) -> SelectionResult:
    query = read_query(text, store.index, store.analyzer, store.manifest.synonyms)
    ranking = rank(query, store.index)
    chosen = select(ranking, budget, least_tokens=store.index.counts["least_tokens"])
    return SelectionResult(
        query=text,
        budget=budget,
        documents=_selected(store, query, chosen),
        considered=store.index.documents,
        matched=ranking.matches,
    )


def _selected(store: Store, query: Query, chosen: Sequence[Ranked]) -> list[SelectedDocument]:
    documents = {number: store.document(number) for number, _, _ in chosen}
    matches = query.matches(store.index, documents)
    selected = []
    for number, total, _ in chosen:
        document = documents[number]
        why = Why(query.scored_words, matches[number], document.words)
        score = millionths(store.index.scorer.score_in_millionths(total, query.max_score))
        selected.append(
            SelectedDocument(document, score=score, why=why, version=short_version(document.version))
        )
    return selected


def _resolve_format1(store: Format1Store, text: str, budget: int) -> SelectionResult:
    words = query_words(text)
    ranking = Format1Ranking(words, store)
    documents = []
    for number, matches, _ in select(ranking, budget):
        document = store.document(number)
        why = Why(words, matches, document.words)
        documents.append(SelectedDocument(document, score=ranking.scores[number], why=why))
    return SelectionResult(
        query=text,
        budget=budget,
        documents=documents,
        considered=ranking.matches,
        matched=ranking.matches,
    )


def explain(cache: Cache | str | os.PathLike[str], query: object, budget: object = None) -> Explanation:
    """Why each document stands where it does, chosen or not; arguments and errors as in `resolve`."""
    if not isinstance(cache, Cache):
        require_name(cache)
    text, tokens = checked_query(query), None if budget is None else checked_budget(budget)
    opened = cache if isinstance(cache, Cache) else open_cache(cache)
    return opened.explain(text, tokens)
