"""A build: from a folder to a published cache, and the report of it.

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

from ..cache.manifest import read_manifest
from ..cache.publish import Staging, require_place
from ..errors import OperationError, UsageError
from ..safeio import translate_oserror
from .compile import Batch, Compiler, GivenText, Settings, Source
from .config import BuildConfig, Conditions
from .convert import identity_of, missing_converter, rules_in_force
from .parallel import ordered_map, processes
from .report import BuildReport, Finding, Notice, Skipped
from .sources import Rules, SourceFile, Walk, is_convertible, walk

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .incremental import Rebuild

BATCH_BYTES = 1 << 20
BATCH_SOURCES = 256


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
    """Build a cache at `cache` from a folder, or from texts.

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
        require_place(cache_dir, force=force)
        _require_apart(sources, cache_dir)
        rules = rules_in_force(chosen)
        walked = rebuild.walked if rebuild is not None else None
        texts, skipped, warnings = _inputs(sources, rules, walked)
        named = os.fspath(sources) if isinstance(sources, (str, os.PathLike)) else "the texts"
        conditions = Conditions(named, strict, allow_empty, skip_unreadable)
        conditions.check(skipped)
        files = [text.id for text in texts if isinstance(text, SourceFile)]
        if not allow_missing_converter:
            _require_converter(cache_dir, chosen, files, skipped)
        if chosen.profile == "v0":
            from .format1 import write_format1  # only for those who ask for it

            return write_format1(texts, cache_dir, chosen, skipped, warnings, conditions)
        from .writer import CacheWriter  # numpy, which format 1 does without

        with Staging(cache_dir) as staging:
            if staging.weak:
                warnings.append(Notice("", staging.weak))
            writer = CacheWriter(staging, identity_of(chosen, rules, files), description=chosen.description)
            findings: list[Finding] = []
            if rebuild is not None:
                texts = rebuild.reuse(texts, writer)
                findings += rebuild.findings
            with closing(_compiled(texts, chosen, jobs, executor, progress)) as compiled:
                for batch in compiled:
                    if rebuild is not None:
                        rebuild.record(batch)
                    skipped.extend(batch.skipped)
                    warnings.extend(batch.warnings)
                    findings.extend(batch.findings)
                    conditions.check(batch.skipped)
                    writer.add(batch)
            conditions.check_all(writer.sources, skipped)
            report = writer.finish(tuple(sorted(skipped)), tuple(warnings), findings)
            if rebuild is not None:
                rebuild.record_aliases(writer.aliases)
            return report


def _require_apart(sources: str | os.PathLike[str] | Iterable[GivenText], cache_dir: Path) -> None:
    """Raise `UsageError` when the folder of the sources is the cache's, or lies in it."""
    if isinstance(sources, (str, os.PathLike)) and Path(sources).resolve().is_relative_to(
        cache_dir.resolve()
    ):
        raise UsageError(f"{cache_dir}: the sources lie in it; name another directory with --cache")


def _require_converter(
    cache_dir: Path, config: BuildConfig, files: list[str], skipped: list[Skipped]
) -> None:
    """Raise `UsageError` when converted documents of the cache in place would be lost."""
    try:
        was = read_manifest(str(cache_dir))[1].build_config
    except OperationError:  # there is none that could be read
        return
    if problem := missing_converter(was, config, files, skipped):
        raise UsageError(problem)


def _inputs(
    sources: str | os.PathLike[str] | Iterable[GivenText], rules: Rules, walked: Walk | None
) -> tuple[Sequence[Source], list[Skipped], list[Notice]]:
    """What there is to build, in id order, and what the walk has left out."""
    if not isinstance(sources, (str, os.PathLike)):
        return _validated(sources), [], []
    walked = walked or walk(Path(sources), rules)
    warnings = list(walked.warnings)
    if not walked.files:
        warnings.append(Notice("", "no document was found: the cache is empty"))
    return walked.files, list(walked.skipped), warnings


def _validated(texts: object) -> list[GivenText]:
    """The texts in id order. Raises `UsageError` naming the first that no cache can hold."""
    if not isinstance(texts, Iterable):
        raise UsageError(f"sources: neither a folder nor texts, but {type(texts).__name__}")
    validated = [_validated_text(text, number) for number, text in enumerate(texts)]
    return sorted(validated, key=lambda text: text.id.encode("utf-8"))


def _validated_text(text: object, number: int) -> GivenText:
    """A text; `number` is its index among those of the caller."""
    if not isinstance(text, GivenText):
        raise UsageError(f"sources[{number}]: {type(text).__name__} is no GivenText(id, title, content)")
    for name, value in text._asdict().items():
        if not isinstance(value, str):
            raise UsageError(f"sources[{number}].{name}: {type(value).__name__} is no str")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            problem = f"lone surrogate U+{ord(value[error.start]):04X} at offset {error.start}"
            raise UsageError(f"sources[{number}].{name}: {problem}; decode it as what it is") from None
    return text


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
        for number, sources in enumerate(shares):
            if progress:
                progress(Progress(done, total, sources[0].id if _is_converted(sources[0]) else ""))
            yield next(outcomes)
            done += sum(map(_size, sources))
            if progress and number + 1 == len(shares):
                progress(Progress(done, total))


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
