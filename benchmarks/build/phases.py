"""Where the time of compiling goes: each step alone over all files, in one process."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from ctxcache.builder.build import BATCH_SOURCES, batches
from ctxcache.builder.compile import Compiler, Settings
from ctxcache.builder.counting import Lexicon, count_terms
from ctxcache.builder.sources.decode import SourceText, read_bytes, text_of
from ctxcache.builder.sources.front_matter import front_matter
from ctxcache.builder.splitting.formats import kind_of
from ctxcache.builder.splitting.sections import Section, split, title
from ctxcache.cache.documents import Document, version_of
from ctxcache.text import TokenCounter, token_counter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctxcache.builder.sources.source_filter import SourceFile

CHARACTERS = TokenCounter(lambda text: len(text) // 4, "")
"""Costs nothing worth mentioning, and cuts files about where tokens would."""


class Text(NamedTuple):
    """A file as the builder reads it."""

    id: str
    content: str
    body_start: int


class Steps:
    """Steps by name, with the thread-CPU seconds that they took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what is done inside; a name that comes again keeps the quicker time."""
        before = thread_time()
        yield
        self.seconds[name] = min(thread_time() - before, self.seconds.get(name, float("inf")))


def phases(settings: Settings, files: Sequence[SourceFile]) -> dict[str, float]:
    """The steps of compiling, the whole of it, and counting the tokens of the same files once."""
    steps = Steps()
    count = token_counter(settings.tokenizer)
    limit = settings.max_tokens or 1 << 30
    count("")
    compiler, lexicon = Compiler(settings), Lexicon(settings.analyzer)
    with steps.step("all of it, nothing remembered"):
        for share in batches(files):
            compiler(share)
    for _ in range(2):
        with steps.step("read, hash, decode"):
            texts = [text for text in map(_read, files) if text]
        with steps.step("scan and split"):
            sections = [section for text in texts for section in _split(text, limit)]
        with steps.step("analyse"):
            for first in range(0, len(sections), BATCH_SOURCES):
                some = [section.text for section in sections[first : first + BATCH_SOURCES]]
                count_terms(lexicon, some, [""] * len(some), [""] * len(some), [[]] * len(some))
        with steps.step("lines"):
            for section in sections:
                _line(section)
        with steps.step("tokens"):
            for text in texts:
                count(text.content)
        with steps.step("all of it"):
            for share in batches(files):
                compiler(share)
    return steps.seconds


def _read(file: SourceFile) -> Text | None:
    data = read_bytes(file)
    if not isinstance(data, bytes):
        return None
    hashlib.sha256(data).hexdigest()
    text = text_of(file, data)
    return Text(file.id, text.text, front_matter(text.text).end) if isinstance(text, SourceText) else None


def _split(text: Text, limit: int) -> list[Section]:
    kind = kind_of(text.id)
    title(text.content, kind=kind, id=text.id, body_start=text.body_start)
    return split(text.content, kind=kind, max_tokens=limit, counter=CHARACTERS, body_start=text.body_start)


def _line(section: Section) -> bytes:
    version = version_of(section.text)
    document = Document(
        id=section.slug, version=version, source="", title="", content=section.text,
        tokens=section.tokens, words=0, metadata={},
    )  # fmt: skip
    return document.line()
