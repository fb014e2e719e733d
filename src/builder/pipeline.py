"""A build: from a folder to a cache in place, and the report of it.

walk → batches → compile (anywhere) → spool in order → invert → write → publish. What a
build writes is a function of its sources and its configuration; how many processes took
part, and in which order they ended, leaves no trace.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..cache.place import require_place
from ..cache.publish import Staging
from ..cache.refusals import refusals
from ..errors import UsageError
from .compile import Batch, Compiler, GivenText, Settings, Source
from .config import BuildConfig
from .convert import identity_of, rules_in_force
from .demands import Demands
from .given import judged
from .parallel import ordered_map, processes
from .report import BuildReport, Notice, Skipped
from .sources import Rules, SourceFile, walk

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .rebuild import Rebuild

BATCH_BYTES = 1 << 20
BATCH_SOURCES = 256


class Progress(NamedTuple):
    """How far a build has come, in bytes of its sources."""

    done: int
    total: int


Reporter = Callable[[Progress], None]


def build(
    sources: str | os.PathLike[str] | Iterable[GivenText],
    cache: str | os.PathLike[str],
    *,
    config: BuildConfig | None = None,
    force: bool = False,
    strict: bool = False,
    allow_empty: bool = True,
    jobs: int | None = 1,
    executor: Executor | None = None,
    progress: Reporter | None = None,
    rebuild: Rebuild | None = None,
) -> BuildReport:
    """Build a cache at `cache` from a folder, or from texts.

    `force` replaces a cache that is there; `strict` makes any input that was meant to be a
    document and is not an error, and `allow_empty=False` a cache without a document. `jobs`
    processes compile (None: one for each core), or the workers of `executor`; a script that asks
    for several needs the `__main__` guard of `multiprocessing`. `progress` is called in this
    thread. What `rebuild` keeps of the cache that is replaced is not compiled again.

    Raises `UsageError` for what cannot be built, `IoError` when the system refuses; what was
    at `cache` before is then untouched.
    """
    chosen = config or BuildConfig()
    place = Path(cache)
    with refusals(place):
        require_place(place, force=force)
        _require_apart(sources, place)
        rules = rules_in_force(chosen)
        texts, skipped, warnings = _sources(sources, rules)
        named = os.fspath(sources) if isinstance(sources, (str, os.PathLike)) else "the texts"
        demands = Demands(named, strict, allow_empty)
        if chosen.profile == "v0":
            from .format1 import write_format1  # only for those who ask for it

            return write_format1(texts, place, chosen, skipped, warnings, demands)
        from .writing import CacheWriter  # numpy, which format 1 does without

        files = [text.id for text in texts if isinstance(text, SourceFile)]
        with Staging(place) as staging:
            writer = CacheWriter(staging, identity_of(chosen, rules, files))
            if rebuild is not None:
                texts = rebuild.take(texts, writer)
            with closing(_compiled(texts, chosen, jobs, executor, progress)) as compiled:
                for batch in compiled:
                    if rebuild is not None:
                        rebuild.learn(batch)
                    skipped.extend(batch.skipped)
                    warnings.extend(batch.warnings)
                    demands.judge(skipped)
                    writer.add(batch)
            demands.judge_all(writer.sources, skipped)
            return writer.finish(tuple(sorted(skipped)), tuple(warnings))


def _require_apart(sources: str | os.PathLike[str] | Iterable[GivenText], place: Path) -> None:
    """Raise `UsageError` when the folder of the sources is the cache's, or lies in it."""
    if isinstance(sources, (str, os.PathLike)) and Path(sources).resolve().is_relative_to(place.resolve()):
        raise UsageError(f"{place}: is no place apart from the sources; name another with --cache")


def _sources(
    sources: str | os.PathLike[str] | Iterable[GivenText], rules: Rules
) -> tuple[Sequence[Source], list[Skipped], list[Notice]]:
    """What there is to build, in id order, and what the walk has left out."""
    if not isinstance(sources, (str, os.PathLike)):
        return judged(sources), [], []
    found = walk(Path(sources), rules)
    warnings = list(found.warnings)
    if not found.files:
        warnings.append(Notice("", "no document was found: the cache is empty"))
    return found.files, list(found.skipped), warnings


def _compiled(
    texts: Sequence[Source],
    config: BuildConfig,
    jobs: int | None,
    executor: Executor | None,
    progress: Reporter | None,
) -> Generator[Batch, None, None]:
    settings = Settings(
        analyzer=config.identity["analyzer"],
        tokenizer=config.tokenizer,
        max_tokens=config.max_tokens if config.split == "auto" else None,
        max_file_bytes=config.rules.max_file_bytes,
        convert=config.convert,
    )
    total = sum(map(_size, texts))
    shares = list(batches(texts))
    done = 0
    with (
        Compiler(settings) as compiler,
        closing(ordered_map(compiler, shares, jobs=processes(jobs, total), executor=executor)) as outcomes,
    ):
        for sources, batch in zip(shares, outcomes, strict=True):
            yield batch
            done += sum(map(_size, sources))
            if progress:
                progress(Progress(done, total))


def batches(texts: Sequence[Source]) -> Iterator[Sequence[Source]]:
    """Runs of about a megabyte: large enough to keep a worker busy, small enough to share out."""
    first = size = 0
    for number, text in enumerate(texts):
        size += _size(text)
        if size >= BATCH_BYTES or number + 1 - first >= BATCH_SOURCES:
            yield texts[first : number + 1]
            first, size = number + 1, 0
    if first < len(texts):
        yield texts[first:]


def _size(source: Source) -> int:
    return source.size if isinstance(source, SourceFile) else len(source.content)
