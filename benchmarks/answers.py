"""What an answer costs a model beside the contents that its budget counts, part by part.

    python -m benchmarks.answers CACHE...

Fifteen questions to each cache: the headings of documents at equal distances. One line for each budget and
cache, and one for all: tokens of the answers ÷ tokens of their contents, documents an answer, characters
of the longest, and what each part takes of a document. A part costs what the answer is shorter without it.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import ctxcache
from ctxcache.jsonio import compact
from ctxcache.text.tokens import token_counter

if TYPE_CHECKING:
    from ctxcache import Cache
    from ctxcache.resolver.result import SelectionResult

BUDGETS = (1000, 2000, 3000, 4000, 16000)
QUESTIONS = 15  # to each cache
tokens = token_counter("o200k_base")


def cost(answer: SelectionResult) -> Counter[str]:
    """The tokens of an answer and of its parts."""
    whole = tokens(answer.to_json())

    def share(part: str, empty: Any) -> int:
        """What the answer is shorter where this field of each document is empty."""
        fields = answer.to_dict()
        for document in fields["documents"]:
            holder = document if part in document else document["why"]
            holder[part] = empty
        return whole - tokens(compact(fields))

    parts = Counter(
        escapes=share("content", "") - answer.tokens_used,
        ids=share("id", ""),
        versions=share("version", ""),
        scores=share("score", 0),
        query_terms=share("query_terms", []),
        selection=tokens(compact(answer.to_dict()["selection"])),
    )
    parts["names, signs and counts"] = whole - answer.tokens_used - parts.total()
    counts = Counter(answers=whole, contents=answer.tokens_used, documents=len(answer.documents), questions=1)
    return parts | counts


def questions(cache: Cache) -> list[str]:
    """The headings of documents at equal distances."""
    places = [number * cache.document_count // QUESTIONS for number in range(QUESTIONS)]
    titles = [each.title for place in places for each in cache.summaries(place, place + 1)]
    return [title.rpartition(" > ")[2] for title in titles]


def described(costs: Counter[str], longest: int) -> str:
    """Costs in words."""
    parts = dict(costs)
    answers, contents, documents, asked = (
        parts.pop(name) for name in ("answers", "contents", "documents", "questions")
    )
    spelled = ", ".join(f"{name} {value / documents:.1f}" for name, value in parts.items())
    return (
        f"{answers / contents:.2f} x, {documents / asked:.0f} documents of {contents / documents:.0f} "
        f"tokens, longest {longest:,} characters; a document: {spelled}"
    )


def main(places: list[str]) -> None:
    """Measure each budget on each cache."""
    for budget in BUDGETS:
        total: Counter[str] = Counter()
        characters = []
        for place in places:
            cache = ctxcache.open_cache(place)
            answers = [cache.resolve(question, budget) for question in questions(cache)]
            answers = [answer for answer in answers if answer.documents]
            costs = sum(map(cost, answers), Counter[str]())
            longest = max(len(answer.to_json()) for answer in answers)
            print(f"{budget} {place}: {described(costs, longest)}", flush=True)
            total += costs
            characters.append(longest)
        print(f"{budget} all: {described(total, max(characters))}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
