"""A build, and tiktoken alone, timed; each to be called in a process of its own."""

from __future__ import annotations

import functools
import resource
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import ctxcache
from ctxcache.builder.executing import ordered_map
from ctxcache.builder.pipeline import Progress, batches
from ctxcache.builder.sources import SourceFile, read_text, walk
from ctxcache.builder.sources.reading import SourceText
from ctxcache.text import token_counter

if TYPE_CHECKING:
    from collections.abc import Sequence


class Build(NamedTuple):
    """What a build took: seconds, and bytes of memory."""

    walk: float
    compile: float
    write: float
    memory: int


def built(folder: Path, tokenizer: str, jobs: int) -> Build:
    """Build a cache of the folder, which is thrown away."""
    config = ctxcache.BuildConfig(tokenizer=tokenizer)
    started = perf_counter()
    walk(folder)
    walked = compiled = perf_counter()

    def note(_: Progress) -> None:
        nonlocal compiled
        compiled = perf_counter()

    with tempfile.TemporaryDirectory() as scratch:
        began = perf_counter()
        ctxcache.build(folder, Path(scratch) / "cache", config=config, jobs=jobs, progress=note)
        ended = perf_counter()
    own, worker = (
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    memory = 1024 * (own + (worker * jobs if jobs > 1 else 0))
    return Build(walked - started, compiled - began - (walked - started), ended - compiled, memory)


def counted(files: Sequence[SourceFile], tokenizer: str, jobs: int) -> float:
    """The seconds to read the files and count the tokens of each, whole."""
    started = perf_counter()
    for _ in ordered_map(functools.partial(count, tokenizer), list(batches(files)), jobs=jobs):
        pass
    return perf_counter() - started


def count(tokenizer: str, files: Sequence[SourceFile]) -> int:
    """The tokens of some files."""
    counter = token_counter(tokenizer)
    texts = map(read_text, files)
    return sum(counter(text.text) for text in texts if isinstance(text, SourceText))
