"""A cache against its sources, by content: what was added, removed or changed since it was built.

The files of the cache are compared with its manifest first: a damaged one is never fresh.
Neither times nor paths count, so a checkout or a copy is no change. Where a record of the
build is at hand, the bytes of each source are compared with the digests in it; elsewhere its
text against the documents of the cache, whose sections joined are the text.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from ..cache.documents import file_of, file_of_alias
from ..cache.manifest import read_manifest
from ..cache.store import Store, open_store
from ..errors import CacheInvalid, CacheMissing
from ..garbage import gc_paused
from ..jsonio import JsonResult, escaped
from ..safeio import OpenFolder
from ..text import token_counter
from .compile import Batch, Settings, documents_of_file, told_encoding
from .convert import Converter, identity_of, missing_converter, rules_in_force
from .incremental import read_record
from .report import Skipped, first_of
from .sources.decode import read_bytes, text_of
from .sources.walk import walk
from .splitting.formats import is_convertible
from .verification import fault_of_file

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from ..cache.documents import Document
    from ..cache.format1 import Format1Store
    from .config import BuildConfig
    from .incremental import Record
    from .report import Finding
    from .sources.source_filter import Rules, SourceFile
    from .sources.walk import Walk

FRESH, STALE, MISSING, INVALID = STATES = ("fresh", "stale", "missing", "invalid")


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Freshness(JsonResult):
    """How a cache stands to its sources."""

    state: str
    """`fresh`, `stale`, `missing` or `invalid`."""
    added: tuple[str, ...] = ()
    """Ids of sources, sorted, like the next two."""
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    configuration: tuple[str, ...] = ()
    """What is configured otherwise: `tokenizer: was "o200k_base", is "bytes4"`."""
    same: int = 0
    """How many sources the cache holds as they are."""
    problem: str = ""
    """Why there is no judgement: what is wrong with the cache or its sources."""
    line_ends: int = 0
    """How many of `changed` differ in line ends alone, as git's `core.autocrlf` makes them."""
    left_out: int = 0
    """How many files were read that become no document."""
    is_blocked: bool = False
    """Whether a build would fail as things are: the problem is one of the sources."""
    store: Store | None = None
    """The cache as it was judged, if a rebuild can reuse something of it."""
    unchanged: Mapping[str, str] = field(default_factory=dict)
    """Sources that a rebuild may reuse, with the hex SHA-256 of their bytes."""
    findings: tuple[Finding, ...] = ()
    """What the record says was found in the sources."""
    walked: Walk | None = None
    """What the walk of the sources has found."""

    @property
    def fresh(self) -> bool:
        """Whether a build would change nothing."""
        return self.state == FRESH

    @property
    def is_mostly_gone(self) -> bool:
        """Whether more than half of the sources of the cache are there no more."""
        return 2 * len(self.removed) > self.same + len(self.changed) + len(self.removed)

    @property
    def summary(self) -> str:
        """What led to the state, in a few words: `1 added, 2 changed, configured otherwise`."""
        counts = (("added", self.added), ("removed", self.removed), ("changed", self.changed))
        words = [f"{len(ids):,} {word}" for word, ids in counts if ids]
        words += [f"{self.line_ends:,} of them in line ends alone"] if self.line_ends else []
        words += ["configured otherwise"] if self.configuration else []
        return self.problem or ", ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """The state and what led to it."""
        lists = {name: list(getattr(self, name)) for name in ("added", "removed", "changed", "configuration")}
        return {"state": self.state, **lists, "problem": self.problem, "line_ends": self.line_ends}


@gc_paused()
def freshness(
    sources: Path,
    cache_dir: Path,
    config: BuildConfig,
    *,
    record_file: Path | None = None,
    skip_unreadable: bool = False,
    allow_missing_converter: bool = False,
) -> Freshness:
    """Judge the cache at `cache_dir`, built from `sources`; a damaged one is an answer, not an error.

    A source that the system refuses to read, and a missing converter, make it invalid unless a build may
    go on without what they would bring.

    Raises `SourceError` when the sources cannot be walked, `IoError` when the system refuses.
    """
    rules = rules_in_force(config)
    walked = walk(sources, rules)
    with Converter() as convert:
        comparison = _Comparison(cache_dir, config, rules, walked, convert)
        result = comparison.run(record_file)
    if not skip_unreadable and comparison.unreadable:
        problem = first_of(comparison.unreadable)
    elif not allow_missing_converter and comparison.missing_converter:
        problem = comparison.missing_converter
    else:
        return replace(result, walked=walked)
    return replace(result, state=INVALID, problem=problem, is_blocked=True, walked=walked)


class _Comparison:
    """One cache against the sources that a walk found."""

    def __init__(
        self, cache_dir: Path, config: BuildConfig, rules: Rules, walked: Walk, convert: Converter
    ) -> None:
        self._cache_dir = cache_dir
        self._config = config
        self._rules = rules
        self._walked = walked
        self._convert = convert
        self._unreadable = [item for item in walked.skipped if item.unreadable]
        self.unreadable = self._unreadable
        self.missing_converter = ""
        """Why the converted documents of the cache cannot be judged."""

    def run(self, record_file: Path | None) -> Freshness:
        """Compare; when a rebuild takes the files of the cache away meanwhile, once more."""
        try:
            while True:
                store = open_store(str(self._cache_dir))
                # The files of the cache are hashed while the sources are read: a third less time.
                with ThreadPoolExecutor(1) as beside:
                    checking = beside.submit(_fault, store)
                    result = self._compare(store, record_file)
                    fault = checking.result()
                if not fault:
                    return result
                if read_manifest(str(self._cache_dir))[1].cache_version == store.manifest.cache_version:
                    raise CacheInvalid(fault)
        except CacheMissing:
            return Freshness(state=MISSING)
        except CacheInvalid as error:
            return Freshness(state=INVALID, problem=str(error))

    def _compare(self, store: Store | Format1Store, record_file: Path | None) -> Freshness:
        """Compare each source with its state when the cache was built."""
        was = store.manifest.build_config
        ids = [file.id for file in self._walked.files]
        self.missing_converter = missing_converter(was, self._config, ids, self._walked.skipped)
        identity = identity_of(self._config, self._rules, ids)
        differing = differences(was, identity)
        configuration, description = differing, store.manifest.description
        if description != self._config.description:  # which costs a rebuild nothing but its manifest
            configuration += (f"description: was {description!a}, is {self._config.description!a}",)
        record = read_record(record_file, self._cache_dir) if record_file else None
        state = (
            StateFromRecord(record, self._rules, self._convert)
            if record
            else StateFromCache(store, self._rules, self._convert)
        )
        with OpenFolder() as folder:
            for file in self._walked.files:
                state.judge(file, folder)
        self.unreadable = [*self._unreadable, *state.unreadable]
        removed = tuple(sorted(set(state.ids).difference(ids)))
        reusable = store if isinstance(store, Store) and state.unchanged and not differing else None
        return Freshness(
            state=STALE if state.added or removed or state.changed or configuration else FRESH,
            added=tuple(state.added),
            removed=removed,
            changed=tuple(state.changed),
            configuration=configuration,
            line_ends=state.line_ends,
            left_out=state.left_out,
            same=state.same,
            store=reusable,
            unchanged=state.unchanged if reusable else {},
            findings=tuple(record.findings) if record else (),
        )


def _fault(store: Store | Format1Store) -> str:
    """What is wrong with the files of a cache by its manifest; those of format 1 are checked on opening."""
    faults = (fault_of_file(store.directory, file) for file in store.manifest.files.values())
    return next(filter(None, faults), "")


def differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """Where the identities of two configurations differ, a line each."""
    return tuple(
        f"{name}: was {_in_words(was.get(name))}, is {_in_words(now.get(name))}"
        for name in dict.fromkeys((*was, *now))
        if was.get(name) != now.get(name)
    )


def _in_words(value: Any) -> str:
    """A value of an identity in a line: `auto` and `450` of `{"mode": "auto", "max_tokens": 450}`."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(inner)}" for name, inner in value.items())
    return "nothing" if value is None else str(value)


class SourceState(ABC):
    """The sources of a cache when it was built, and what has become of those that were judged since."""

    ids: Collection[str]
    """The sources that became documents."""

    def __init__(self, rules: Rules, convert: Converter) -> None:
        """`rules` are those in force now."""
        self._rules = rules
        self._convert = convert
        self.added: list[str] = []
        self.changed: list[str] = []
        self.same = 0
        self.line_ends = 0
        """How many have changed in line ends alone."""
        self.left_out = 0
        """How many were no document and are none: not UTF-8, say."""
        self.unreadable: list[Skipped] = []
        """What the system refused to read."""
        self.unchanged: dict[str, str] = {}
        """Sources that a rebuild may reuse, with the hex SHA-256 of their bytes."""

    @abstractmethod
    def is_same(self, file: SourceFile, data: bytes) -> bool:
        """Whether these bytes are those that the documents of a file were made from."""

    def is_document(self, file: SourceFile, data: bytes) -> bool:
        """Whether these bytes become documents."""
        if self.converts(file):
            return not isinstance(self._convert(file.id, data), str)
        return not isinstance(text_of(file, data), Skipped)

    def converts(self, file: SourceFile) -> bool:
        """Whether a file is one that conversion makes text."""
        return self._rules.convert and is_convertible(file.id)

    def judge(self, file: SourceFile, folder: OpenFolder) -> None:
        """Read a file, in a folder that may be open, and count it with its like."""
        data = read_bytes(file, max_file_bytes=self._rules.max_file_bytes, folder=folder)
        if isinstance(data, Skipped) and data.unreadable:
            self.unreadable.append(data)
        if file.id not in self.ids:
            if isinstance(data, Skipped) or not self.is_document(file, data):
                self.left_out += 1
            else:
                self.added.append(file.id)
        elif isinstance(data, Skipped):
            self.changed.append(file.id)
        elif self.is_same(file, data):
            self.same += 1
        else:
            self.changed.append(file.id)
            self.line_ends += b"\r\n" in data and self.is_same(file, data.replace(b"\r\n", b"\n"))
            self.unchanged.pop(file.id, None)


class StateFromCache(SourceState):
    """According to the documents of the cache, which are all that a copy of it brings along."""

    def __init__(self, store: Store | Format1Store, rules: Rules, convert: Converter) -> None:
        """List the documents of `store` by file. Raises `CacheInvalid`."""
        super().__init__(rules, convert)
        self._store = store
        self._documents: defaultdict[str, list[range]] = defaultdict(list)
        self._shared: defaultdict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
        """Of each file the ids of documents that stand under another id, with their versions and titles."""
        self._with_aliases: set[str] = set()  # files whose documents have aliases
        if isinstance(store, Store):
            try:
                self._list(store)
            except ValueError as error:
                raise CacheInvalid(f"{store.directory}: {error}") from None
        else:
            for number in range(store.manifest.document_count):
                self._documents[store.summary(number).source].append(range(number, number + 1))
        self.ids = self._documents.keys() | self._shared.keys()

    def _list(self, store: Store) -> None:
        """List the documents of `store` by file."""
        from .reuse import all_heads_of  # numpy, which a look at a record does without

        heads = all_heads_of(store)
        bounds = [*heads.source_starts.tolist(), len(heads)]
        for source, (start, stop) in zip(heads.sources, pairwise(bounds), strict=True):
            self._documents[file_of(source.decode())].append(range(start, stop))
        for number in heads.with_aliases():
            summary = store.summary(number)
            self._with_aliases.add(file_of(summary.source))
            for alias in summary.aliases:
                self._shared[file_of_alias(alias)][alias] = summary.version, summary.title

    def is_same(self, file: SourceFile, data: bytes) -> bool:
        """Whether the documents, joined, are the text of these bytes."""
        if file.id in self._shared:
            return self._is_cut_so(file, data)
        first = self._documents[file.id][0].start
        if self.converts(file):
            digest = hashlib.sha256(data).hexdigest()
            same = bool(self._store.document(first).origin.digest == digest)
            if same and file.id not in self._with_aliases:
                self.unchanged[file.id] = digest  # what takes longest is reused without a record, too
            return same
        text = text_of(file, data)
        if isinstance(text, Skipped):
            return False
        if not isinstance(self._store, Store):
            return text.text == self._store.document(first).content
        raw = (self._store.raw_contents(part.start, part.stop) for part in self._documents[file.id])
        parts = sorted(chain.from_iterable(raw), key=lambda one: one.place)
        if parts[0].encoding != told_encoding(text):
            return False
        return b"".join([one.content for one in parts]) == escaped(text.text)

    def _is_cut_so(self, file: SourceFile, data: bytes) -> bool:
        """The same where documents are shared with other sources, so that their order is not known."""
        was, shared = self._store.manifest.build_config, self._shared[file.id]
        settings = Settings(
            analyzer=was["analyzer"],
            tokenizer=was["tokenizer"],
            max_tokens=was["split"].get("max_tokens"),
            max_file_bytes=self._rules.max_file_bytes,
            unique=was["unique"],
            convert=self._rules.convert,
        )
        counter = token_counter(settings.tokenizer)
        documents = documents_of_file(file, data, settings, counter, self._convert, Batch())
        now = {document.id: document for document in documents}
        own = [*map(self._store.document, chain.from_iterable(self._documents.get(file.id, ())))]
        return (
            now.keys() == shared.keys() | {one.id for one in own}
            and all((now[id_].version, now[id_].title) == said for id_, said in shared.items())
            and all(_without_counts(now[one.id]) == _without_counts(one) for one in own)
        )


def _without_counts(document: Document) -> tuple[Any, ...]:
    """All that a document says but what follows from its text, and its aliases."""
    origin = document.origin.to_dict()
    return document.version, document.title, document.headings, document.metadata, origin


class StateFromRecord(SourceState):
    """According to the record of the build, by digests."""

    def __init__(self, record: Record, rules: Rules, convert: Converter) -> None:
        """`record` is that of the cache."""
        super().__init__(rules, convert)
        self._record = record
        self.ids = record.documents.keys()

    def is_same(self, file: SourceFile, data: bytes) -> bool:
        """Whether the bytes of a file have the digest that they had."""
        digest = hashlib.sha256(data).hexdigest()
        same = digest == self._record.documents[file.id]
        if same and file.id not in self._record.warned:
            self.unchanged[file.id] = digest
        return same

    def is_document(self, file: SourceFile, data: bytes) -> bool:
        """Whether these bytes become documents; not tried again with bytes that did not."""
        skipped = self._record.skipped.get(file.id)
        if skipped is not None and skipped == hashlib.sha256(data).hexdigest():
            return False
        return super().is_document(file, data)
