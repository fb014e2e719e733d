"""What `resolve` returns: the documents chosen and the account of the selection.

Source: the specification `context.resolve`, *Output Schema*; rules C9 and C10.
"""

from __future__ import annotations

from json.encoder import encode_basestring as quoted

from ..jsonio import JsonResult, compact, decimal
from ..text import token_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..cache.documents import Document


def short_version(version: str) -> str:
    """The first 12 hex digits of a version, as answers have it: a model pays for each (rule C19)."""
    return version.removeprefix("sha256:")[:12]


class Why:
    """Why a document was chosen, in three figures."""

    __slots__ = ("query_terms", "term_matches", "total_words")

    def __init__(self, query_terms: list[str], term_matches: int, total_words: int) -> None:
        """`term_matches` of the `total_words` of the content match a query term."""
        self.query_terms = query_terms
        self.term_matches = term_matches
        self.total_words = total_words


class SelectedDocument:
    """A document of the answer, whole."""

    __slots__ = ("content", "id", "score", "title", "tokens", "version", "why")

    def __init__(self, document: Document, *, score: float, why: Why, version: str = "") -> None:
        """`score` is from 0 to 1; `version` is the document's own if it is not given."""
        self.id = document.id
        self.version = version or document.version
        self.title = document.title
        self.content = document.content
        self.score = score
        self.tokens = document.tokens
        self.why = why

    def to_dict(self) -> dict[str, Any]:
        """The fields of the specification, in its order."""
        return {
            "id": self.id,
            "version": self.version,
            "content": self.content,
            "score": self.score,
            "tokens": self.tokens,
            "why": {
                "query_terms": self.why.query_terms,
                "term_matches": self.why.term_matches,
                "total_words": self.why.total_words,
            },
        }

    def as_json(self) -> str:
        """The same as a JSON object: what `compact` writes, in a quarter of its time."""
        why = self.why
        return (
            f'{{"id":{quoted(self.id)},"version":{quoted(self.version)},"content":{quoted(self.content)},'
            f'"score":{decimal(self.score)},"tokens":{self.tokens},'
            f'"why":{{"query_terms":[{",".join(map(quoted, why.query_terms))}],'
            f'"term_matches":{why.term_matches},"total_words":{why.total_words}}}}}'
        )


class SelectionResult(JsonResult):
    """The answer to a query within a budget."""

    def __init__(
        self, *, query: str, budget: int, documents: list[SelectedDocument], considered: int, matched: int
    ) -> None:
        """`considered` counts all documents of the cache, `matched` those that could be chosen."""
        self.query = query
        self.budget = budget
        self.documents = documents
        self.tokens_used = sum(document.tokens for document in documents)
        self.documents_considered = considered
        self.documents_selected = len(documents)
        self.documents_excluded_by_budget = matched - len(documents)

    def to_dict(self) -> dict[str, Any]:
        """The `SelectionResult` of the specification."""
        return {
            "documents": [document.to_dict() for document in self.documents],
            "selection": self._selection(),
        }

    def to_json(self) -> str:
        """The same as one line of compact JSON and a newline."""
        documents = ",".join([document.as_json() for document in self.documents])
        return f'{{"documents":[{documents}],"selection":{compact(self._selection())[:-1]}}}\n'

    def _repr_html_(self) -> str:
        """What a notebook shows: the chosen documents in order, and how much of the budget they take."""
        from . import notebook as html  # a program needs none of it

        rows = (
            (str(rank), html.text_of(each.id), f"{each.score:.3f}", f"{each.tokens:,}")
            for rank, each in enumerate(self.documents[: html.SHOWN], start=1)
        )
        left_out = f"{self.documents_excluded_by_budget:,} more match and did not fit"
        return (
            html.heading(self.query)
            + html.budget_bar(self.tokens_used, self.budget)
            + html.table(("#", "document", "score", "tokens"), rows)
            + html.line(f"{html.more(len(self.documents))}{left_out}; {self.documents_considered:,} searched")
        )

    def _selection(self) -> dict[str, Any]:
        return {
            "query": self.query,
            "budget": self.budget,
            "tokens_used": self.tokens_used,
            "documents_considered": self.documents_considered,
            "documents_selected": self.documents_selected,
            "documents_excluded_by_budget": self.documents_excluded_by_budget,
        }


def wire_tokens(answer: JsonResult, tokenizer: str) -> int:
    """The tokens of the exact text that a client receives, JSON included.

    The budget counts contents alone, so this is more than `tokens_used`.
    """
    return token_counter(tokenizer)(answer.to_json())
