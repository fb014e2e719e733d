"""A cache of a project: comparing it with its sources, and rebuilding it; and the folder `.ctx`."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from ..builder.build import Reporter, build
from ..builder.freshness import FRESH, INVALID, MISSING, STALE, Freshness, differences, freshness
from ..builder.incremental import Rebuild, read_record
from ..builder.report import SourceError
from ..builder.sources.tree import label_of
from ..cache.documents import version_of
from ..cache.manifest import read_manifest
from ..cache.publish import remove_leftovers, require_vacant
from ..cache.store import open_store
from ..errors import CacheInvalid, CacheMissing, IoError, UsageError
from ..safeio import exists, is_directory, translate_oserror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from ..builder.compile import GivenText
    from ..builder.config import BuildConfig
    from ..builder.report import BuildReport
    from ..cache.manifest import Manifest

HOME = ".ctx"
CACHES = f"{HOME}/caches"
RECORDS = f"{HOME}/records"

_IGNORE = "# Caches and records of builds, which `ctx build` makes again.\n*\n"


@contextmanager
def ignored_home(root: Path) -> Iterator[None]:
    """Write a `.gitignore` into the folder `.ctx` of a project if the folder is made within this context.

    An existing folder stays as it is, since its caches may be committed.
    """
    home = root / HOME
    is_new = not os.path.lexists(home)
    yield
    if is_new:  # with a cache outside `.ctx` there is still no such folder, which is suppressed
        with suppress(OSError), (home / ".gitignore").open("x", encoding="utf-8", newline="\n") as file:
            file.write(_IGNORE)


class MostlyGone(UsageError):
    """More than half of the sources of a cache are gone, as happens while a folder is being deleted."""

    def __init__(self, freshness: Freshness) -> None:
        """`freshness` is the comparison of the cache with its sources."""
        count = freshness.same + len(freshness.changed) + len(freshness.removed)
        super().__init__(
            f"{len(freshness.removed):,} of {count:,} sources are gone, so the cache stays as it was; "
            "--force builds it from those that are left"
        )


class Built(NamedTuple):
    """The outcome of `update`."""

    before: Freshness
    """The comparison with the sources before the build."""
    report: BuildReport | None
    """None if the cache was fresh and was not built."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectCache:
    """A cache, its sources, and the configuration of its build."""

    name: str
    root: Path
    """The project's folder."""
    sources: Path
    directory: Path
    config: BuildConfig
    given: str | tuple[GivenText, ...] = ()
    """A URL, or texts, which are compiled instead of the files in `sources`."""
    strict: bool = False
    skip_unreadable: bool = False
    """Whether `update` leaves out files that the system refuses to read."""
    allow_missing_converter: bool = False
    """Whether `update` drops converted documents if the converter is not installed."""
    configured_at: Callable[[], str] | None = field(default=None, compare=False)
    """Returns the place of the sources in the configuration: `ctx.toml:4: caches.docs.sources`."""

    @property
    def folders(self) -> list[Path]:
        """The folders of documents: those that are configured in `sources`, else `sources` itself."""
        return [self.sources / folder for folder in self.config.rules.folders] or [self.sources]

    @property
    def record_file(self) -> Path:
        """The file with the record of the last build of this directory from these sources."""
        origin = label_of(self.given) if isinstance(self.given, str) else os.path.realpath(self.sources)
        paths = os.fsencode(f"{os.path.realpath(self.directory)}\0{origin}")
        return self.root / RECORDS / f"{self.name}-{hashlib.sha256(paths).hexdigest()[:12]}.json"

    @property
    def manifest(self) -> Manifest:
        """The manifest of the cache. Raises `CacheMissing`, `CacheInvalid`, `IoError`."""
        return read_manifest(str(self.directory))[1]

    @property
    def is_built(self) -> bool:
        """Whether the directory of the cache exists. Raises `IoError`."""
        with translate_oserror(self.directory):
            return exists(self.directory)

    def require_built(self) -> None:
        """Raise `CacheMissing`, with the command that builds it, if the directory does not exist."""
        if not self.is_built:
            raise CacheMissing(f"{self.name}: not built yet; `ctx build {self.name}` builds it")

    def require_sources(self) -> None:
        """Raise `SourceError`, with the place in the configuration, if a source folder does not exist."""
        for folder in self.folders:
            with translate_oserror(folder):
                if self.configured_at is None or is_directory(folder):
                    continue
            name = folder.relative_to(self.root).as_posix()
            near = get_close_matches(folder.name, (path.name for path in _folders(folder.parent)), n=1)
            hint = f"; did you mean {(folder.parent / near[0]).relative_to(self.root)}?" if near else ""
            raise SourceError(f"{self.configured_at()}: {name}: no such folder{hint}")

    def freshness(self) -> Freshness:
        """Compare the cache with its sources; the state is invalid if the sources cannot be read."""
        try:
            return self._compare_with_sources()
        except (SourceError, IoError) as error:
            return Freshness(state=INVALID, problem=str(error), is_blocked=True)

    def _compare_with_sources(self) -> Freshness:
        """Compare the cache with its sources. Raises `SourceError`, `IoError`."""
        if isinstance(self.given, str):  # the content behind a URL is unknown until a build reads it
            return Freshness(state=STALE if self.is_built else MISSING)
        if self.given:
            return _compare_with_texts(self.given, self.directory, self.config)
        self.require_sources()
        return freshness(
            self.sources,
            self.directory,
            self.config,
            record_file=self.record_file,
            skip_unreadable=self.skip_unreadable,
            allow_missing_converter=self.allow_missing_converter,
        )

    def require_replaceable(self, *, force: bool) -> None:
        """Raise `UsageError` if the directory is no cache, or is one of other sources without `force`."""
        require_vacant(self.directory, force=force or self.is_of_sources())

    def is_of_sources(self) -> bool:
        """Whether the existing cache was built from these sources.

        The record of the build decides. Without one, as in a clone, the configuration must be the same, and
        at least half of the sources must exist.
        """
        if read_record(self.record_file, self.directory) is not None:
            return True
        current = self.freshness()
        has_sources = current.same + len(current.changed) > 0
        return has_sources and not current.configuration and not current.is_mostly_gone

    def _may_fail(self, before: Freshness) -> bool:
        """Whether a strict build of a fresh cache may fail, because `strict` may be new."""
        skipped = before.walked.skipped if before.walked else ()
        return self.strict and (before.left_out > 0 or any(item.fault for item in skipped))

    def update(
        self,
        *,
        force: bool = False,
        always: bool = False,
        allow_empty: bool = True,
        allow_mostly_gone: bool = True,
        jobs: int | None = 1,
        executor: Executor | None = None,
        progress: Reporter | None = None,
    ) -> Built:
        """Rebuild the cache unless it is fresh; the bytes are those of a build from nothing.

        `force` reuses nothing of an existing cache; `always` also builds a fresh cache, for its report.
        Without `allow_mostly_gone`, raises `MostlyGone` if more than half of the sources are gone. The other
        arguments and errors are those of `build`.
        """
        before = self._compare_with_sources()
        if before.fresh and not (force or always or self._may_fail(before)):
            remove_leftovers(self.directory)
            return Built(before, None)
        if before.is_mostly_gone and not (force or allow_mostly_gone):
            # What cannot be read is not gone.
            raise UsageError(before.problem) if before.is_blocked else MostlyGone(before)
        run = partial(
            build, self.given or self.sources, self.directory, config=self.config, force=True,
            strict=self.strict, allow_empty=allow_empty, skip_unreadable=self.skip_unreadable,
            allow_missing_converter=self.allow_missing_converter,
            jobs=jobs, executor=executor, progress=progress,
        )  # fmt: skip
        with ignored_home(self.root):
            return Built(before, self._rebuilt(run, Rebuild(self.record_file, before, reuses=not force)))

    def _rebuilt(self, run: Callable[..., BuildReport], rebuild: Rebuild) -> BuildReport:
        """Build with the parts of `rebuild`, from nothing if they are damaged, and save the record."""
        try:
            report = run(rebuild=rebuild)
        except CacheInvalid:
            rebuild = Rebuild(self.record_file)
            report = run(rebuild=rebuild)
        if self.config.profile != "v0":  # of which no part can be reused
            rebuild.save(self.directory, report.cache_version)
        return report


def _folders(parent: Path) -> list[Path]:
    """The folders in a folder; none if it cannot be listed."""
    try:
        return sorted(path for path in parent.iterdir() if path.is_dir())
    except OSError:
        return []


def _compare_with_texts(texts: Sequence[GivenText], directory: Path, config: BuildConfig) -> Freshness:
    """Compare the cache in `directory` with texts, each of which is one document."""
    versions = {text.id: version_of(text.content) for text in texts}
    try:
        store = open_store(str(directory))
        summaries = [store.summary(number) for number in range(store.manifest.document_count)]
    except CacheMissing:
        return Freshness(state=MISSING)
    except CacheInvalid as error:
        return Freshness(state=INVALID, problem=str(error))
    documents = {id_: document.version for document in summaries for id_ in (document.id, *document.aliases)}
    configuration = differences(store.manifest.build_config, config.identity)
    shared = documents.keys() & versions.keys()
    changed = tuple(sorted(id_ for id_ in shared if documents[id_] != versions[id_]))
    return Freshness(
        state=FRESH if documents == versions and not configuration else STALE,
        added=tuple(sorted(versions.keys() - shared)),
        removed=tuple(sorted(documents.keys() - shared)),
        changed=changed,
        configuration=configuration,
        same=len(shared) - len(changed),
    )
