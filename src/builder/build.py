"""A build: from a folder to a published cache, and the report of it.

walk → batches → compile (anywhere) → spool in order → invert → write → publish. What a
build writes is a function of its sources and its configuration; how many processes took
part, and in which order they ended, leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..cache.manifest import read_manifest
from ..cache.publish import Staging, require_vacant
from ..errors import CacheInvalid, CacheMissing, UsageError
from ..parallel import ordered_map, processes
from ..safeio import translate_oserror
from .compile import ALONE, Compiler, Settings
from .config import BuildConfig, Conditions
from .convert import identity_of, missing_converter, rules_in_force
from .inputs import inputs_of, require_apart
from .report import Notice
from .sources.source_filter import SourceFile
from .splitting.formats import is_convertible

if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from .compile import Batch, GivenText, Source
    from .incremental import Rebuild
    from .inputs import Inputs
    from .inverter import Processes
    from .report import BuildReport, Finding
    from .spool import Spool

BATCH_BYTES = 1 << 20
BATCH_SOURCES = 256
SAMPLE = 32
"""Batches that are compiled first, where there may be more postings than a cache holds."""
MARGIN = 1.25
"""A sample that shows so many times what a cache holds is no accident."""


class Progress(NamedTuple):
    """How far a build has come, in bytes of its sources."""

    done: int
    total: int
    name: str = ""
    """The document that is converted now, which may take long; empty while texts are compiled."""


Reporter = Callable[[Progress], None]


def build(
    sources: str | os.PathLike[str] | Iterable[GivenText],
    cache: str | os.PathLike[str],
    *,
    config: BuildConfig | None = None,
    force: bool = False,
    strict: bool = False,
    allow_empty: bool = True,
    skip_unreadable: bool = False,
    allow_missing_converter: bool = False,
    jobs: int | None = 1,
    executor: Executor | None = None,
    progress: Reporter | None = None,
    rebuild: Rebuild | None = None,
) -> BuildReport:
    """Build a cache at `cache` from a folder, from the URL of one that fsspec opens, or from texts.

    `force` replaces a cache that is there; `strict` makes any input that was meant to be a
    document and is not an error, and `allow_empty=False` a cache without a document. A file or
    folder that the system refuses to read is an error, unless `skip_unreadable`; so is a converted
    document of the cache that nothing can convert any more, unless `allow_missing_converter`. `jobs`
    processes compile (None: one for each core), or the workers of `executor`; a script that asks
    for several needs the `__main__` guard of `multiprocessing`. `progress` is called in this
    thread. What `rebuild` reuses of the cache that is replaced is not compiled again.

    Raises `UsageError` for what cannot be built, `IoError` when the system refuses; what was
    at `cache` before is then untouched.
    """
    chosen = config or BuildConfig()
    cache_dir = Path(cache)
    with translate_oserror(cache_dir):
        require_vacant(cache_dir, force=force)
        require_apart(sources, cache_dir)
        inputs = inputs_of(sources, rules_in_force(chosen), rebuild.walked if rebuild is not None else None)
        conditions = Conditions(inputs.name, strict, allow_empty, skip_unreadable)
        conditions.check(inputs.skipped)
        if not allow_missing_converter:
            _require_converter(cache_dir, chosen, inputs)
        if chosen.profile == "v0":
            from .format1 import write_format1  # only for those who ask for it

            return write_format1(inputs, cache_dir, chosen, conditions)
        with Staging(cache_dir) as staging, _spool(staging, executor) as spool:
            workers = Workers(jobs, executor, spool, progress)
            return _write(staging, inputs, chosen, conditions, workers, rebuild)


class Workers(NamedTuple):
    """What compiles, where it leaves postings, and what progress is reported to."""

    jobs: int | None
    executor: Executor | None
    spool: Spool | None
    """None where the workers of an executor send all they have."""
    progress: Reporter | None

    def merging(self) -> Processes:
        """Who merges what was left."""
        from .inverter import Processes  # numpy, which format 1 does without

        if self.spool is None:
            return Processes()
        return Processes(processes(self.jobs, pays=True), self.executor)


def _spool(staging: Staging, executor: Executor | None) -> AbstractContextManager[Spool | None]:
    """Where those who compile leave postings: an executor may say what its workers reach."""
    from .spool import Spool, shared_spool  # numpy, which format 1 does without

    if scratch := getattr(executor, "scratch", None):
        return shared_spool(scratch)
    return nullcontext(Spool(str(staging.scratch)) if executor is None else None)


def _write(
    staging: Staging,
    inputs: Inputs,
    config: BuildConfig,
    conditions: Conditions,
    workers: Workers,
    rebuild: Rebuild | None,
) -> BuildReport:
    """Compile what there is to build and publish it."""
    from .writer import CacheWriter  # numpy, which format 1 does without

    texts, skipped, warnings = inputs.texts, inputs.skipped, inputs.warnings
    if staging.warning:
        warnings.append(Notice("", staging.warning))
    identity = identity_of(config, rules_in_force(config), inputs.files)
    writer = CacheWriter(
        staging,
        identity,
        description=config.description,
        spool=workers.spool,
        processes=workers.merging(),
    )
    findings: list[Finding] = []
    if rebuild is not None:
        texts = rebuild.reuse(texts, writer)
        findings += rebuild.recorded.findings
    with closing(_compiled(texts, config, workers)) as compiled:
        for batch in compiled:
            if rebuild is not None:
                rebuild.record(batch)
            skipped.extend(batch.skipped)
            warnings.extend(batch.warnings)
            findings.extend(batch.findings)
            conditions.check(batch.skipped)
            writer.add(batch)
    conditions.check_all(writer.sources, skipped)
    return writer.finish(tuple(sorted(skipped)), tuple(warnings), findings)


def _require_converter(cache_dir: Path, config: BuildConfig, inputs: Inputs) -> None:
    """Raise `UsageError` when converted documents of the cache in place would be lost."""
    try:
        was = read_manifest(str(cache_dir))[1].build_config
    except (CacheMissing, CacheInvalid):  # no build can reuse it
        return
    if problem := missing_converter(was, config, inputs.files, inputs.skipped):
        raise UsageError(problem)


def _compiled(texts: Sequence[Source], config: BuildConfig, workers: Workers) -> Generator[Batch, None, None]:
    settings = Settings(
        analyzer=config.identity["analyzer"],
        tokenizer=config.tokenizer,
        max_tokens=config.max_tokens if config.split == "auto" else None,
        max_file_bytes=config.rules.max_file_bytes,
        unique=config.unique,
        convert=config.convert,
    )
    total = sum(map(_size, texts))
    jobs = processes(workers.jobs, pays=total > ALONE)
    shares = list(batches(texts))
    done = 0
    compiled = partial(ordered_map, jobs=jobs, executor=workers.executor)
    with Compiler(settings, workers.spool) as compiler:
        _require_room(shares, total, partial(compiled, Compiler(settings)))
        with closing(compiled(compiler, shares)) as outcomes:
            for number, sources in enumerate(shares):
                if workers.progress:
                    name = sources[0].id if _is_converted(sources[0]) else ""
                    workers.progress(Progress(done, total, name))
                batch = next(outcomes)
                if getattr(workers.executor, "is_remote", False):
                    from .cluster import require_same  # only for those who build elsewhere

                    require_same(sources, batch, settings.max_file_bytes)
                yield batch
                done += sum(map(_size, sources))
                if workers.progress and number + 1 == len(shares):
                    workers.progress(Progress(done, total))


def _require_room(
    shares: list[Sequence[Source]],
    total: int,
    compiled: Callable[[list[Sequence[Source]]], Generator[Batch, None, None]],
) -> None:
    """Raise `UsageError` when a sample of the batches shows that a cache cannot hold all of them."""
    from .inverter import MAX_POSTINGS  # numpy, which format 1 does without

    if total <= MAX_POSTINGS:  # a text has fewer postings than bytes
        return
    sample = shares[:: -(-len(shares) // SAMPLE)]
    with closing(compiled(sample)) as outcomes:
        postings = sum(batch.postings.size for batch in outcomes)
    expected = postings * len(shares) // len(sample)
    if expected > MARGIN * MAX_POSTINGS:
        raise UsageError(
            f"these sources have some {expected:,} postings, and a cache holds {MAX_POSTINGS:,}: "
            "split them into several caches, by topic"
        )


def batches(texts: Sequence[Source]) -> Iterator[Sequence[Source]]:
    """Runs of about a megabyte: large enough to keep a worker busy, small enough to share out.

    What is converted, which takes long, stands alone.
    """
    first = size = 0
    for number, text in enumerate(texts):
        size += _size(text)
        alone = _is_converted(text)
        if alone and number > first:
            yield texts[first:number]
            first = number
        if alone or size >= BATCH_BYTES or number + 1 - first >= BATCH_SOURCES:
            yield texts[first : number + 1]
            first, size = number + 1, 0
    if first < len(texts):
        yield texts[first:]


def _is_converted(source: Source) -> bool:
    return isinstance(source, SourceFile) and is_convertible(source.id)


def _size(source: Source) -> int:
    return source.size if isinstance(source, SourceFile) else len(source.content)
