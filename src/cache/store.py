"""An open cache of format 2: its manifest, its index, and its documents by number or name.

Both data files are opened at once and nothing of them is read: from then on, a rebuild
that replaces them does not disturb this reader, and opening costs the same for any size.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from zlib import crc32

from ..errors import REBUILD, CacheInvalid, CtxError
from ..safeio import translate_oserror
from ..text import Analyzer
from ..text.display import escape_control
from .checked_file import CheckedFile
from .documents import CRLF, Document, DocumentSummary, RawContent, ends_in_crlf, summary_of, version_of
from .files import OpenFile, require_directory
from .format1 import Format1Store
from .index import Index
from .manifest import Manifest, read_manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


REMEMBERED_WORDS = 1 << 13
"""How many words the analyzer of an open cache remembers: queries have fewer words than a build."""


class Store:
    """The documents and the index of a format 2 cache. Safe to share between threads."""

    def __init__(self, directory: str, manifest: Manifest, *, native: bool = False) -> None:
        """Open the files that `manifest` names; `FileNotFoundError` when one is gone."""
        self.directory = directory
        self.manifest = manifest
        self.analyzer = Analyzer(manifest.analyzer, native=native, remembered=REMEMBERED_WORDS)
        """Reads queries as the documents were read."""
        files = manifest.files
        self._at = f"{directory}/{files['documents'].path}"
        lines = OpenFile(self._at)
        if not lines.has_size(files["documents"].bytes):
            with translate_oserror(self._at):
                is_crlf = ends_in_crlf(lines.descriptor)
            problem = CRLF if is_crlf else "has not the bytes that the manifest says"
            raise CacheInvalid(f"{self._at}: {problem}")
        self.read = lines.read
        """Bytes of the documents file, given offset and length, as they are there now. Raises `IoError`."""
        at = f"{directory}/{files['index'].path}"
        self.index = Index(CheckedFile(at, size=files["index"].bytes), manifest.scorer)
        if self.index.identity != manifest.identity:
            raise CacheInvalid(
                f"{at}: was made for other documents than the manifest says; {REBUILD} rebuilds the cache"
            )
        if self.index.documents != manifest.document_count:
            raise CacheInvalid(f"{at}: holds another number of documents than the manifest says")

    def line(self, number: int) -> bytes:
        """The checked line of the document with this number."""
        index = self.index
        start = index.number("line_ends", number - 1) if number else 0
        length = index.number("line_ends", number) - start
        if not 0 < length <= self.manifest.files["documents"].bytes:
            raise self._misplaced(number)
        line = self.read(start, length)
        if len(line) != length or crc32(line) != index.number("line_checksums", number):
            raise self._damaged(number)
        return line

    def _misplaced(self, number: int) -> CacheInvalid:
        return CacheInvalid(f"{self._at}: line {number + 1} is not where the index says")

    def _damaged(self, number: int) -> CacheInvalid:
        return CacheInvalid(f"{self._at}: line {number + 1} is damaged; {REBUILD} rebuilds the cache")

    def lines(self, start: int, stop: int) -> list[bytes]:
        """The checked lines of the documents from number `start` up to `stop`, read at once."""
        index = self.index
        first = index.number("line_ends", start - 1) if start else 0
        ends = [first, *index.numbers("line_ends", start, stop)]
        checksums = index.numbers("line_checksums", start, stop)
        if not first <= ends[-1] <= self.manifest.files["documents"].bytes:
            raise self._misplaced(start)
        data = self.read(first, ends[-1] - first)
        lines = [data[begin - first : end - first] for begin, end in pairwise(ends)]
        for number, (line, checksum) in enumerate(zip(lines, checksums, strict=True), start):
            if not line or crc32(line) != checksum:
                raise self._damaged(number)
        return lines

    def raw_contents(self, start: int, stop: int) -> list[RawContent]:
        """The contents of the documents from number `start` up to `stop`, in a third of the time."""
        try:
            return [*map(RawContent, self.lines(start, stop))]
        except ValueError as error:
            raise CacheInvalid(f"{self._at}: lines {start + 1} to {stop}: {error}") from None

    def document(self, number: int) -> Document:
        """The document with this number, in id order from 0."""
        try:
            document = Document.parse(self.line(number))
            if version_of(document.content) != document.version:
                raise ValueError("the content does not match its version")
            sizes = (self.index.number("tokens", number), self.index.number("words", number))
            if (document.tokens, document.words) != sizes:
                raise ValueError("other sizes than the index has")
        except ValueError as error:
            raise CacheInvalid(f"{self._at}: line {number + 1}: {error}") from None
        return document

    def summary(self, number: int) -> DocumentSummary:
        """The document with this number without its content, much faster where that is long."""
        tokens, words = self.index.number("tokens", number), self.index.number("words", number)
        try:
            return summary_of(self.line(number), tokens, words)
        except ValueError as error:
            raise CacheInvalid(f"{self._at}: line {number + 1}: {error}") from None

    def number_of(self, id_: str) -> int | None:
        """The number of the document with this id, or None."""
        number = self.position_of(id_)
        return number if number < self.index.documents and self.summary(number).id == id_ else None

    def position_of(self, id_: str) -> int:
        """How many documents have a smaller id."""
        wanted = id_.encode("utf-8", "surrogatepass")
        numbers = range(self.index.documents)
        return bisect_left(numbers, wanted, key=lambda number: self.summary(number).id.encode("utf-8"))


def open_store(directory: str, *, native: bool = False) -> Store | Format1Store:
    """Open the cache at `directory`, of either format.

    When a file that the manifest names is gone, or not what it says, a rebuild may have replaced
    the manifest meanwhile: it is read again, until it says the same twice.

    `native` is for a cache that stays open: its analyzer stems with compiled code where it can.

    Raises `CacheMissing`, `CacheInvalid`, `IoError`.
    """
    require_directory(directory)
    before = b""
    while True:
        data, manifest = read_manifest(directory)
        try:
            if manifest.format == "1":
                return Format1Store(directory, manifest)
            return Store(directory, manifest, native=native)
        except (FileNotFoundError, CacheInvalid) as error:
            if data == before:
                if isinstance(error, CacheInvalid):
                    raise
                raise CacheInvalid(f"{error.filename}: named by the manifest, but not there") from None
            before = data


_LINES_PER_READ = 1024


def find_document(store: Store | Format1Store, name: str) -> int | None:
    """The number of the document with this id, that holds this heading (`file#slug`) or has this alias.

    An id comes first, then a heading. Aliases are in no index: the documents file is read for them.
    """
    number = store.number_of(name)
    if number is not None or not isinstance(store, Store):
        return number
    number = _with_heading(store, name)
    if number is None:
        number = _with_alias(store, name)
    source, _, slug = name.rpartition("#")
    if number is None and source:
        whole_file = _with_alias(store, source)
        if whole_file is not None and _has_heading(store.summary(whole_file), slug):
            number = whole_file
    return number


def documents_of(store: Store, source: str) -> Iterator[tuple[int, DocumentSummary]]:
    """The documents of a file with their numbers, in id order."""
    whole_file = store.number_of(source)
    if whole_file is not None:
        yield whole_file, store.summary(whole_file)
    sections = f"{source}#"
    for number in range(store.position_of(sections), store.index.documents):
        summary = store.summary(number)
        if not summary.id.startswith(sections):
            return
        if summary.source == source:
            yield number, summary


def _with_heading(store: Store, name: str) -> int | None:
    """The document of a file that holds the heading."""
    source, _, slug = name.rpartition("#")
    numbers = (number for number, summary in documents_of(store, source) if _has_heading(summary, slug))
    return next(numbers, None) if source else None


def _has_heading(summary: DocumentSummary, slug: str) -> bool:
    return any(slug == own for own, _ in summary.headings)


def _with_alias(store: Store, name: str) -> int | None:
    """The document that has the alias."""
    name_bytes = name.encode("utf-8", "surrogatepass")
    for start in range(0, store.index.documents, _LINES_PER_READ):
        lines = store.lines(start, min(start + _LINES_PER_READ, store.index.documents))
        for number, line in enumerate(lines, start):
            # In nearly all lines there is nothing to parse. An id with a quote or backslash is parsed.
            beginning = line.partition(b',"content":"')[0]
            if beginning.endswith(b'"aliases":[]'):
                continue
            if (name_bytes in beginning or b"\\" in beginning) and name in store.summary(number).aliases:
                return number
    return None


_LONGEST_DESCRIPTION = 80  # characters
_FIRST_PAGES = tuple(
    f"{name}{suffix}"
    for name in ("index", "README", "readme", "Readme")
    for suffix in (".md", ".rst", ".adoc", ".txt", ".html")
)


def description_of(store: Store | Format1Store) -> str:
    """One line of at most 80 characters, safe for a terminal; empty where a cache says nothing."""
    text = store.manifest.description
    if not text and isinstance(store, Store):
        try:
            text = _title_of_first_page(store)
        except CtxError:  # its answers report a damaged cache
            text = ""
    line = escape_control(" ".join(text.split()))
    return line if len(line) <= _LONGEST_DESCRIPTION else line[: _LONGEST_DESCRIPTION - 1] + "…"


def _title_of_first_page(store: Store) -> str:
    """The title of the index page or README at the top of the sources."""
    for page in _FIRST_PAGES:
        number = store.position_of(page)
        if number < store.index.documents:
            summary = store.summary(number)
            if summary.source == page:
                return summary.title.partition(" > ")[0]  # of a section, the title of the page
    return ""
