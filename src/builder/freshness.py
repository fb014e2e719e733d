"""A cache against its sources, by content: what was added, removed or changed since it was built.

The files of the cache are held against its manifest first: a damaged one is never fresh.
Neither times nor places count, so a checkout or a copy is no change. Where a record of the
build is at hand, the bytes of each source are held against the digests in it; elsewhere its
text against the documents, whose sections joined are the text.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..answers import Answer
from ..cache.manifest import read_manifest
from ..cache.store import Store, open_store
from ..errors import CacheInvalid, CacheMissing
from .convert import Converter, identity_of, rules_in_force
from .known import Fate, Held, Known, Recorded
from .record import read_record
from .sources import walk
from .verification import fault_of_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ..cache.legacy import LegacyStore
    from .config import BuildConfig
    from .sources import Rules, Walk

FRESH, STALE, MISSING, INVALID = STATES = ("fresh", "stale", "missing", "invalid")


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Freshness(Answer):
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
    store: Store | None = None
    """The cache as it was judged, if a rebuild can keep something of it."""
    unchanged: Mapping[str, str] = field(default_factory=dict)
    """Sources that a rebuild may keep, with the hex SHA-256 of their bytes."""

    @property
    def fresh(self) -> bool:
        """Whether a build would change nothing."""
        return self.state == FRESH

    @property
    def summary(self) -> str:
        """What led to the state, in a few words: `1 added, 2 changed, configured otherwise`."""
        counts = (("added", self.added), ("removed", self.removed), ("changed", self.changed))
        words = [f"{len(ids):,} {word}" for word, ids in counts if ids]
        words += ["configured otherwise"] if self.configuration else []
        return ", ".join(words) or self.problem

    def to_dict(self) -> dict[str, Any]:
        """The state and what led to it."""
        return {
            "state": self.state,
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": list(self.changed),
            "configuration": list(self.configuration),
            "problem": self.problem,
        }


def freshness(
    sources: Path, place: Path, config: BuildConfig, *, record_file: Path | None = None
) -> Freshness:
    """Judge the cache at `place`, built from `sources`; a damaged one is an answer, not an error.

    Raises `SourceError` when the sources cannot be walked, `IoError` when the system refuses.
    """
    rules = rules_in_force(config)
    found = walk(sources, rules)
    with Converter() as convert:
        return _freshness(place, config, rules, found, record_file, convert)


def _freshness(
    place: Path,
    config: BuildConfig,
    rules: Rules,
    found: Walk,
    record_file: Path | None,
    convert: Converter,
) -> Freshness:
    """The same for sources that were walked."""
    try:
        while True:
            store = open_store(str(place))
            identity = identity_of(config, rules, (file.id for file in found.files))
            differing = tuple(_differences(store.manifest.build_config, identity))
            # The files of the cache are hashed while the sources are read: a third less time.
            with ThreadPoolExecutor(1) as beside:
                checking = beside.submit(_fault, store)
                record = read_record(record_file, place) if record_file else None
                known = Recorded(record, rules, convert) if record else Held(store, rules, convert)
                judged = _judged(store, known, found, differing)
                fault = checking.result()
            if not fault:
                return judged
            if read_manifest(str(place))[1].cache_version == store.manifest.cache_version:
                raise CacheInvalid(fault)  # else a rebuild has taken the files away meanwhile
    except CacheMissing:
        return Freshness(state=MISSING)
    except CacheInvalid as error:
        return Freshness(state=INVALID, problem=str(error))


def _fault(store: Store | LegacyStore) -> str:
    """What is wrong with the files of a cache by its manifest; those of format 1 are checked on opening."""
    faults = (fault_of_file(store.directory, file) for file in store.manifest.files.values())
    return next(filter(None, faults), "")


def _judged(store: Store | LegacyStore, known: Known, found: Walk, differing: tuple[str, ...]) -> Freshness:
    """Hold each source against what is known of it."""
    fates = {file.id: known.fate(file) for file in found.files}
    added, changed = (
        [id_ for id_, fate in fates.items() if fate is one] for one in (Fate.ADDED, Fate.CHANGED)
    )
    removed = sorted(set(known.ids) - fates.keys())
    reusable = store if isinstance(store, Store) and known.unchanged and not differing else None
    return Freshness(
        state=STALE if added or removed or changed or differing else FRESH,
        added=tuple(added),
        removed=tuple(removed),
        changed=tuple(changed),
        configuration=differing,
        same=sum(fate is Fate.SAME for fate in fates.values()),
        store=reusable,
        unchanged=known.unchanged if reusable else {},
    )


def _differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Where two identities differ, a line each."""
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            yield f"{name}: was {_written(was.get(name))}, is {_written(now.get(name))}"


def _written(value: Any) -> str:
    """A value of an identity in a line: `auto` and `450` of `{"mode": "auto", "max_tokens": 450}`."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_written(inner)}" for name, inner in value.items())
    return "nothing" if value is None else str(value)
