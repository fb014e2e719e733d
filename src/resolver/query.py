"""A query as this cache sees it: its terms with weights, and what stands in for words that it lacks.

A *clause* is one term of the query with its variants; a document gets what the best of them gives. All
weights are in sixteenths of a word.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice

from ..scoring import WHOLE_WORD
from ..text.analyzer import LIGHT
from ..text.stopwords import STOP_WORDS
from ..text.words import NAME
from .terms import (
    MOST_REPAIRED,
    MOST_TERMS,
    Term,
    Variant,
    is_repairable,
    relatives,
    repaired,
    with_character,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..cache.documents import Document
    from ..cache.index import Index, Postings
    from ..scoring import Factors, Scorer
    from ..text import Analyzer, QueryWord
    from .numpy_accumulator import MergedPostings

    Ranked = tuple[int, int, int]
    """A document's number, its total, its tokens."""

ALSO = re.compile(r"(?:\A|[\r\n;|])[ \t]*also:", re.IGNORECASE | re.ASCII)
"""What ends the words of a query; alternatives follow (rule C21)."""
MOST_TITLE_WORDS = 2
SHORT = 2
"""Words of a query in which stop words order as much as other words: `IS NULL`, `while loop`."""


class Clause:
    """A term of the query and the variants that count in its place, the best of them for each document."""

    __slots__ = ("max_score", "merged", "term", "text", "variants", "weight", "word")

    def __init__(
        self, text: str, weight: int, word: QueryWord, term: Term | None, variants: Sequence[Variant]
    ) -> None:
        """`term` is None when no document holds it."""
        self.text = text
        self.weight = weight
        self.word = word
        self.term = term
        self.variants = list(variants)
        self.merged: MergedPostings | None = None
        """The postings of all variants, once numpy has merged them."""
        if term is not None:
            self.max_score = term.max_score
        else:
            self.max_score = max((variant.max_score for variant in variants), default=0)

    def variants_among(self, index: Index, documents: Sequence[int]) -> Iterator[tuple[int, Term, int]]:
        """Which of some ascending documents hold which variant, with the position among its postings."""
        terms = [variant.term for variant in self.variants]
        if self.merged is not None:
            for document, number, offset in self.merged.among(documents):
                yield document, terms[number], terms[number].postings.start + offset
            return
        for term in terms:
            for document, position in index.postings_among(term.postings, documents):
                yield document, term, position


class Query:
    """The words of a query and the terms that take part in scoring."""

    def __init__(
        self, text: str, words: list[QueryWord], analyzer: Analyzer, scorer: Scorer, factors: Factors
    ) -> None:
        """Terms are added by `read_query`."""
        self.text = text
        self.words = words
        self.analyzer = analyzer
        self.clauses: list[Clause] = []
        """What finds documents."""
        self.light: list[Term] = []
        """What only orders them."""
        self.exact: list[Term] = []
        """Words as they are written."""
        self.names: list[Term] = []
        """Words in the names of files and folders; they find documents too."""
        self.title: list[Term] = []
        """The words of a query so short that it may be a title; more is added where one holds all of them."""
        self.heading: Term | None = None
        """All words of the query as one heading."""
        self.alternatives: list[Term] = []
        self.alternative_words: list[QueryWord] = []
        self.synonyms: dict[str, str] = {}
        """For the terms of alternatives that are synonyms of the cache, the word that they stand for."""
        self.alternative_share = (0, 1)
        """What weight × impact of an alternative is multiplied with, and divided by."""
        self.max_score = 0
        self.scorer = scorer
        self.factors = factors

    @property
    def title_bonus(self) -> int:
        """What a document gets whose title holds all words of a short query."""
        return self.factors.title * sum(term.max_score for term in self.title)

    @property
    def heading_bonus(self) -> int:
        """What a document gets that has a heading which the query repeats."""
        if self.heading is None:
            return 0
        return self.factors.heading * sum(term.max_score for term in self.terms)

    @property
    def terms(self) -> list[Term]:
        """The terms of the query that documents hold, in its order."""
        return [clause.term for clause in self.clauses if clause.term is not None]

    @property
    def file_terms(self) -> list[Term]:
        """What is looked for in whole files."""
        repairs = [v.term for c in self.clauses for v in c.variants if v.kind == "repair" and c.term is None]
        return [term for term in (*self.terms, *repairs) if term.file_postings is not None]

    @cached_property
    def scored_words(self) -> list[str]:
        """The words that took part, repaired ones as they were read, then the alternatives (C10, C21)."""
        words = [
            shown
            for word in self.words
            if not word.light
            and (shown := self.read_as(word) or (word.text if _is_known(word, self._known_terms) else ""))
        ]
        alternatives = {term.text for term in self.alternatives}
        words += [word.text for word in self.alternative_words if _is_known(word, alternatives)]
        return list(dict.fromkeys(words))

    def read_as(self, word: QueryWord) -> str | None:
        """The known word that an unknown one is read as."""
        if word.light or not word.terms:
            return None
        for clause in self.clauses:
            if clause.text == word.terms[0][0]:
                return next((v.written for v in clause.variants if v.kind == "repair"), None)
        return None

    def is_unknown(self, word: QueryWord) -> bool:
        """Whether a word that should take part is held by no document."""
        return not word.light and not _is_known(word, self._known_terms)

    @cached_property
    def _known_terms(self) -> set[str]:
        names = (term.text.removeprefix(NAME) for term in self.names)
        return {*(term.text for term in (*self.terms, *self.exact)), *names}

    @cached_property
    def matching_terms(self) -> dict[str, Postings]:
        """The terms by which words of a content match."""
        matching = {term.text: term.postings for term in (*self.terms, *self.alternatives)}
        for clause in self.clauses:
            matching |= {variant.term.text: variant.term.postings for variant in clause.variants}
        return matching

    def all_postings(self) -> Iterator[Postings]:
        """All that is added up for the query."""
        yield from self.matching_terms.values()
        for term in (*self.light, *self.exact, *self.names):
            yield term.postings
        if self.heading is not None:
            yield self.heading.postings
        for term in self.file_terms:
            if term.file_postings is not None:
                yield term.file_postings

    def matches(self, index: Index, documents: Mapping[int, Document]) -> dict[int, int]:
        """How many words of the content of each of some documents, by number, match a word of the query.

        The occurrences in the index say it, unless a word may have been counted for two terms
        (`getUserById` for `get` and for `user`): then the content is looked at for such words.
        """
        totals = dict.fromkeys(sorted(documents), 0)
        shared: dict[int, set[str]] = {}
        for number, term, position in self._postings_among(index, tuple(totals)):
            occurrences = index.occurrences(term.postings, position)
            totals[number] += occurrences.body
            if occurrences.multi_term:
                shared.setdefault(number, set()).add(term.text)
        for number, terms in shared.items():
            if len(terms) > 1:
                totals[number] -= self.analyzer.counted_again(documents[number].content, terms)
        return {number: min(documents[number].words, total) for number, total in totals.items()}

    def _postings_among(self, index: Index, documents: Sequence[int]) -> Iterator[tuple[int, Term, int]]:
        """Which of some ascending documents match by which term; a term of several clauses comes once."""
        own = {term.text: term for term in (*self.terms, *self.alternatives)}
        for term in own.values():
            for document, position in index.postings_among(term.postings, documents):
                yield document, term, position
        owners = {variant.term.text: clause for clause in self.clauses for variant in clause.variants}
        for clause in self.clauses:
            for document, term, position in clause.variants_among(index, documents):
                if owners[term.text] is clause and term.text not in own:
                    yield document, term, position


def _is_known(word: QueryWord, vocabulary: Iterable[str]) -> bool:
    return any(term in vocabulary for term, _ in word.terms) or (
        not word.terms and any(term in vocabulary for term, _ in word.exact)
    )


def read_query(
    text: str, index: Index, analyzer: Analyzer, synonyms: Mapping[str, Sequence[str]] | None = None
) -> Query:
    """Analyse `text` and look its terms up in `index`; `synonyms` are those of the cache's author."""
    also = ALSO.search(text)
    own, other = (text[: also.start()], text[also.end() :]) if also else (text, "")
    words = analyzer.query(own)
    alternatives = [word for word in analyzer.query(other) if not word.light] if also else []
    query = _read_words(text, words, index, analyzer)
    if also and not (query.clauses or query.names):
        return _finished(_read_words(text, alternatives, index, analyzer))
    query.heading = next(iter(_known({analyzer.heading(own): WHOLE_WORD}, index)), None)
    asked = {term for word in alternatives for term, _ in word.terms}
    for key, word in _synonyms(query, synonyms or {}, analyzer):
        alternatives.append(word)
        query.synonyms |= {term: key for term, _ in word.terms if term not in asked | {*query.synonyms}}
    if alternatives:
        _add_alternatives(query, alternatives, index)
    return _finished(query)


def _read_words(text: str, words: list[QueryWord], index: Index, analyzer: Analyzer) -> Query:
    query = Query(text, words, analyzer, index.scorer, index.scorer.factors(index.files))
    strong: dict[str, int] = {}
    owners: dict[str, QueryWord] = {}
    light: dict[str, int] = {}
    exact: dict[str, int] = {}
    for word in words:
        for term, weight in word.terms:
            weights = light if weight == LIGHT else strong
            weights[term] = weights.get(term, 0) + weight
            owners.setdefault(term, word)
        for term, weight in word.exact:
            joined = query.factors.joined if weight > WHOLE_WORD else 1
            exact[term] = exact.get(term, 0) + joined * weight
    if len(words) <= SHORT:
        stop_words = [term for term in light if owners[term].base in STOP_WORDS]
        light |= dict.fromkeys(stop_words, WHOLE_WORD)
    repairs = _repairs(strong, owners, index, analyzer)
    for term, weight in strong.items():
        clause = _clause(term, weight, owners[term], strong, index, repairs.get(term))
        if clause is not None:
            query.clauses.append(clause)
    query.light = _known(light, index)
    query.exact = _known(exact, index)
    query.names = _known({NAME + term: weight for term, weight in strong.items()}, index)
    query.title = _title(words, query)
    return query


def _title(words: list[QueryWord], query: Query) -> list[Term]:
    """The words that find something, if they are one or two, and none a name such as `--all`."""
    clauses = {clause.text for clause in query.clauses}
    asked = [
        word
        for word in words
        if not word.light and (not query.is_unknown(word) or (word.terms and word.terms[0][0] in clauses))
    ]
    if not all(map(_is_plain, asked)):
        return []
    wholes = {word.terms[0][0] for word in asked}
    terms = [term for term in query.terms if term.text in wholes]
    return terms if len(terms) == len(wholes) <= MOST_TITLE_WORDS else []


def _is_plain(word: QueryWord) -> bool:
    """Whether a word is one term and its parts, and no name that joins words (`--all`, `package.json`)."""
    wholes = [term for term, weight in word.terms if weight >= WHOLE_WORD]
    return len(wholes) == 1 and all(weight == WHOLE_WORD for _, weight in word.exact)


def _known(weights: Mapping[str, int], index: Index) -> list[Term]:
    looked_up = ((text, weight, index.find(text)) for text, weight in weights.items())
    return [
        Term(text, weight, postings, index) for text, weight, postings in looked_up if postings is not None
    ]


def _repairs(
    weights: Mapping[str, int], owners: Mapping[str, QueryWord], index: Index, analyzer: Analyzer
) -> dict[str, Variant]:
    """By term, what the first words of a query that the cache does not know are read as."""
    unknown = (
        term
        for term in weights
        if term == owners[term].terms[0][0]
        and is_repairable(owners[term].base)
        and index.find(term) is None
        and index.find(NAME + term) is None
    )
    repairs = {}
    for term in islice(unknown, MOST_REPAIRED):
        if repair := repaired(owners[term].base, weights[term], index, analyzer):
            repair.term.with_files(index)
            repairs[term] = repair
    return repairs


def _clause(
    text: str, weight: int, word: QueryWord, terms: Mapping[str, int], index: Index, repair: Variant | None
) -> Clause | None:
    """A term of the query, or None when nothing of the cache stands for it."""
    postings = index.find(text)
    term = None if postings is None else Term(text, weight, postings, index).with_files(index)
    variants: list[Variant] = []
    if len(text) == 1 and text >= "\u0e00":
        variants = with_character(text, weight, index)
    elif len(terms) <= MOST_TERMS:
        variants = relatives(text, weight, terms, index, None if term is None else term.idf)
    if repair is not None:
        variants = [repair, *(variant for variant in variants if variant.term.text != repair.term.text)]
    return Clause(text, weight, word, term, variants) if term or variants else None


def _synonyms(
    query: Query, synonyms: Mapping[str, Sequence[str]], analyzer: Analyzer
) -> list[tuple[str, QueryWord]]:
    """What the author's synonyms add to the words of a query, each with the word that it stands for."""
    terms = {clause.text for clause in query.clauses} | {
        term for word in query.words if not word.light for term, _ in word.terms
    }
    pairs: list[tuple[str, QueryWord]] = []
    for key, others in synonyms.items():
        wanted = [term for word in analyzer.query(key) for term, _ in word.terms[:1]]
        if wanted and terms.issuperset(wanted):
            words = (word for other in others for word in analyzer.query(other))
            pairs += [(key, word) for word in words if not word.light]
    return pairs


def _add_alternatives(query: Query, words: list[QueryWord], index: Index) -> None:
    """Each distinct term once, without those of the query."""
    weights: dict[str, int] = {}
    own = {clause.text for clause in query.clauses}
    for word in words:
        for term, weight in word.terms:
            if term not in own and weight != LIGHT:
                weights[term] = max(weight, weights.get(term, 0))
    query.alternative_words = words
    query.alternatives = _known(weights, index)
    most = sum(term.max_score for term in query.alternatives)
    if most:
        own_score = sum(clause.max_score for clause in query.clauses)
        query.alternative_share = (query.factors.text * min(most, own_score), 2 * most)


def _finished(query: Query) -> Query:
    """The query with the score that a document can reach at most."""
    factors, scorer = query.factors, query.scorer
    most = factors.text * sum(clause.max_score for clause in query.clauses)
    most += factors.text * sum(term.max_score for term in query.light)
    most += factors.exact * sum(term.max_score for term in query.exact)
    most += factors.name * sum(term.weight * scorer.name_impact(term.idf) for term in query.names)
    most += factors.file * sum(term.weight * term.file_idf for term in query.file_terms)
    most += query.title_bonus + query.heading_bonus
    if query.alternatives:
        share, divisor = query.alternative_share
        alternatives = sum(term.max_score for term in query.alternatives)
        most += share * alternatives // divisor + len(query.alternatives)
    query.max_score = most
    return query
