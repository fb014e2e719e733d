"""The map step of a build: from source texts to documents and their postings.

A batch is compiled alone, in this process or another. Nothing in its outcome depends on which, or on the
other batches, but that copies of documents which the process has compiled already are left uncounted.
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from ..cache.documents import Document, Origin, version_of
from ..garbage import gc_paused
from ..memo import BoundedMemo
from ..parallel import Work
from ..safeio import OpenFolder
from ..text import TokenCounter, token_counter
from .convert import Converter
from .report import DATA, INCLUDES, Finding, Notice, Skipped
from .sources.decode import read_bytes, text_of
from .sources.front_matter import front_matter
from .sources.source_filter import SourceFile
from .splitting.findings import findings
from .splitting.formats import is_convertible, kind_of
from .splitting.sections import Section, split, title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .convert import Converted
    from .counting import Lexicon, Postings
    from .heads import Heads
    from .sources.decode import SourceText
    from .spool import Spool, Spooled


class GivenText(NamedTuple):
    """A text that comes from no file and has its id and title already."""

    id: str
    title: str
    content: str
    kind: str = "markdown"
    """How its headings are written, where it is split; see `splitting.formats.kind_of`."""


Source = SourceFile | GivenText

ALONE = 2 << 20
"""Up to so many bytes, one process is done before others have started."""

_MOST_REMEMBERED = 32 << 20  # bytes of what tells copies
_ENTRY_BYTES = 400
_NOTHING = Document(id="", version="", source="", title="", content="", tokens=0, words=0)
_KINDS_OF_FINDINGS = {"include": INCLUDES, "data URI": DATA}


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What the compiling of a source depends on, beside its bytes."""

    analyzer: str
    tokenizer: str
    max_tokens: int | None
    """Files above so many tokens are split; None keeps them whole."""
    max_file_bytes: int
    unique: bool
    """Whether identical documents will be one."""
    convert: bool
    """Whether documents of the converted formats are converted; else their bytes are read as text."""


@dataclass(kw_only=True, slots=True)
class Batch:
    """Documents, postings and notes of some sources, in the order of the sources."""

    lines: bytes = b""
    """Of the documents file, one after the other, unless they are beside the postings in a spool.

    A document that is a copy has an empty line, and no postings: see `_Copies`.
    """
    heads: Heads = field(init=False)
    columns: dict[str, Any] = field(init=False)
    """For each of `document_list.COLUMNS`, and the `lengths` of lines, the number of each document."""
    postings: Postings | Spooled = field(init=False)
    sources: int = 0
    """Sources that became documents."""
    digests: dict[str, str] = field(default_factory=dict)
    """Id of each file that was read → hex SHA-256 of its bytes."""
    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    """What is found in a source alone; its path is that of the source."""


class _Tools:
    """What a thread works with: used by one at a time."""

    def __init__(self, settings: Settings) -> None:
        from .counting import Lexicon  # numpy, which format 1 does without

        self.lexicon = Lexicon(settings.analyzer)
        self.converter = Converter()
        self.copies = _Copies()


class _Copies:
    """Tells which documents of a build are copies: identical to one before them that is compiled already.

    The build makes them aliases of the first (rule C22), so that they need not be counted. Which of several
    are told as copies depends on what was met before; the first, by id, never is.
    """

    def __init__(self) -> None:
        self._met: BoundedMemo[tuple[str, str], bytes] = BoundedMemo(_MOST_REMEMBERED)

    def replaced(self, documents: Iterable[Document]) -> list[Document]:
        """The documents, with one that says nothing in the place of each copy."""
        return [_NOTHING if self._is_copy(document) else document for document in documents]

    def _is_copy(self, document: Document) -> bool:
        key, id_ = (document.version, document.title), document.id.encode()
        first = self._met.get(key)
        if first is None:
            self._met.keep(key, id_, _ENTRY_BYTES + len(document.title) + len(id_))
        return first is not None and first < id_


class Compiler(Work[Sequence["Source"], "Batch"]):
    """Compiles batches for one build. Threads may share it: each has tools of its own while it works."""

    def __init__(self, settings: Settings, spool: Spool | None = None) -> None:
        """Nothing is loaded yet. Postings are left in a `spool`, if there is one, and not in the batches."""
        self._settings = settings
        self._spool = spool
        self._tools: list[_Tools] = []
        self._idle: list[_Tools] = []

    def __reduce__(self) -> tuple[Callable[..., Compiler], tuple[Settings, Spool | None]]:
        """Another process has one of its own for all batches, with tools of its own."""
        return _compiler_of_process, (self._settings, self._spool)

    def __call__(self, sources: Sequence[Source]) -> Batch:
        """Read, split, count and analyse some sources."""
        try:
            tools = self._idle.pop()
        except IndexError:
            tools = _Tools(self._settings)
            self._tools.append(tools)
        batch = _compile(sources, self._settings, tools, self._spool)
        self._idle.append(tools)  # an error may have left them in the middle of something
        return batch

    def prepare(self) -> None:
        """Load what forked processes share."""
        token_counter(self._settings.tokenizer)

    def close(self) -> None:
        """End the processes that convert; no batch is being compiled any more."""
        for tools in self._tools:
            tools.converter.close()

    def kill(self) -> None:
        """End them in the middle of a document."""
        for tools in self._tools:
            tools.converter.kill()

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@lru_cache(maxsize=1)
def _compiler_of_process(settings: Settings, spool: Spool | None) -> Compiler:
    """The compiler of this process: what it has read makes later batches quicker and decides nothing."""
    return Compiler(settings, spool)


@gc_paused()
def _compile(sources: Sequence[Source], settings: Settings, tools: _Tools, spool: Spool | None) -> Batch:
    batch = Batch()
    counter = token_counter(settings.tokenizer)
    documents: list[Document] = []
    with OpenFolder() as folder:
        for source in sources:
            compiled = _documents(source, settings, counter, tools.converter, batch, folder)
            ordered = sorted(compiled, key=lambda document: document.id.encode())
            batch.sources += bool(ordered)
            documents += ordered
    # A spool is of one build: without it, a process may have met documents of another, or of a sample.
    originals = tools.copies.replaced(documents) if settings.unique and spool is not None else documents
    _index(tools.lexicon, documents, originals, batch, spool)
    return batch


def index_documents(lexicon: Lexicon, documents: Sequence[Document]) -> Batch:
    """The postings of documents that are there already, in id order; their words are counted anew."""
    batch = Batch()
    _index(lexicon, documents, documents, batch)
    return batch


def _documents(
    source: Source,
    settings: Settings,
    counter: TokenCounter,
    convert: Converter,
    batch: Batch,
    folder: OpenFolder,
) -> Iterable[Document]:
    """The documents of one source, words not yet counted; what hinders it is noted in `batch`."""
    if isinstance(source, GivenText):
        return _sections(source, {}, Origin(), 0, settings, counter)
    data = read_bytes(source, max_file_bytes=settings.max_file_bytes, folder=folder)
    if isinstance(data, Skipped):
        batch.skipped.append(data)
        return []
    return documents_of_file(source, data, settings, counter, convert, batch)


def documents_of_file(
    file: SourceFile,
    data: bytes,
    settings: Settings,
    counter: TokenCounter,
    convert: Converter,
    batch: Batch,
) -> Iterable[Document]:
    """The documents that a file with these bytes becomes; `batch` gets their digest and what hinders."""
    batch.digests[file.id] = hashlib.sha256(data).hexdigest()
    if settings.convert and is_convertible(file.id):
        return _converted(file, convert(file.id, data), settings, counter, batch)
    return _read(file, data, settings, counter, batch)


def _converted(
    source: SourceFile,
    converted: list[Converted] | str,
    settings: Settings,
    counter: TokenCounter,
    batch: Batch,
) -> Iterator[Document]:
    """The documents of a file that is no text."""
    if isinstance(converted, str):
        batch.skipped.append(Skipped(source.id, converted, fault=True))
        return
    origin = Origin(converter=source.id.rpartition(".")[2].lower(), digest=batch.digests[source.id])
    for one in converted:
        name = one.title or title(one.text, kind="markdown", id=source.id)
        text = GivenText(one.source(source.id), name, one.text)
        for document in _sections(text, {}, origin, 0, settings, counter):
            if one.pages and document.origin.line:
                page = f"page {bisect_right(one.pages, document.origin.line)}"
                document.origin.part = ", ".join(filter(None, (document.origin.part, page)))
            yield document


def _read(
    source: SourceFile, data: bytes, settings: Settings, counter: TokenCounter, batch: Batch
) -> Iterable[Document]:
    """The documents of a text file."""
    read = text_of(source, data)
    if isinstance(read, Skipped):
        batch.skipped.append(read)
        return []
    front = front_matter(read.text)
    if front.problem:
        batch.warnings.append(Notice(source.id, front.problem))
    if read.encoding != "utf-8":
        batch.warnings.append(Notice(source.id, f"decoded as {read.encoding}, by its byte-order mark"))
    kind = kind_of(source.id)
    batch.findings += [
        Finding(_KINDS_OF_FINDINGS[finding.kind], source.id, f"line {finding.line}: {finding.detail}")
        for finding in findings(read.text, kind)
    ]
    name = front.title or title(read.text, kind=kind, id=source.id, body_start=front.end)
    text = GivenText(source.id, name, read.text, kind)
    origin = Origin(encoding=told_encoding(read))
    return _sections(text, front.metadata, origin, front.end, settings, counter)


def told_encoding(read: SourceText) -> str:
    """The encoding of a source as its documents tell it: empty for UTF-8."""
    return "" if read.encoding == "utf-8" else read.encoding


def _sections(
    source_text: GivenText,
    metadata: dict[str, str],
    origin: Origin,
    body_start: int,
    settings: Settings,
    counter: TokenCounter,
) -> Iterator[Document]:
    """The text as one document, or its sections as several."""
    id_, name, text = source_text.id, source_text.title, source_text.content
    sections = split(
        text, kind=source_text.kind, max_tokens=settings.max_tokens, counter=counter, body_start=body_start
    )
    if len(sections) < 2:
        yield _document(id_, id_, name, sections[0], metadata, origin)
        return
    for section in sections:
        path = section.heading_path or (name,)
        heading = " > ".join(path if path[0] == name else (name, *path))
        here = origin.at(section.line, section.part)
        yield _document(f"{id_}#{section.slug}", id_, heading, section, metadata, here)


def _document(
    id_: str, source: str, title_: str, section: Section, metadata: dict[str, str], origin: Origin
) -> Document:
    return Document(
        id=id_,
        version=version_of(section.text),
        source=source,
        title=title_,
        headings=section.headings,
        content=section.text,
        tokens=section.tokens,
        words=0,
        metadata=metadata,
        origin=origin,
    )


def _headings(document: Document) -> list[str]:
    """What its headings say, and its title where it is a whole file."""
    titles = [document.title] if document.id == document.source else []
    return titles + [heading for _, heading in document.headings]


def _index(
    lexicon: Lexicon,
    documents: Sequence[Document],
    originals: Sequence[Document],
    batch: Batch,
    spool: Spool | None = None,
) -> None:
    """Add documents and their postings to an empty batch; the words of `originals` among them are counted."""
    from .counting import count_terms  # numpy, which format 1 does without
    from .heads import heads_of

    counted = count_terms(
        lexicon,
        [document.content for document in originals],
        [document.title for document in originals],
        [document.source for document in originals],
        [_headings(document) for document in originals],
    )
    batch.postings = counted.postings
    lines = []
    for document, original, words in zip(documents, originals, counted.words.tolist(), strict=True):
        document.words = words
        lines.append(document.line() if document is original else b"")
    batch.lines = b"".join(lines)
    batch.heads = heads_of(documents)
    batch.columns = {
        "tokens": array("q", [document.tokens for document in documents]),
        "words": counted.words,
        "title_words": counted.title_words,
        "line_checksums": array("q", map(crc32, lines)),
        "lengths": array("q", map(len, lines)),
    }
    if spool is not None:
        batch.postings, batch.lines = spool.put(counted.postings, batch.lines), b""
