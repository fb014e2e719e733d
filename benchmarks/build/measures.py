"""A build, and tiktoken alone, timed; each to be called in a process of its own."""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import ctxcache
from ctxcache.builder.build import Progress, batches
from ctxcache.builder.compile import Source
from ctxcache.builder.sources.decode import SourceText, read_text
from ctxcache.builder.sources.source_filter import SourceFile
from ctxcache.builder.sources.walk import walk
from ctxcache.parallel import Work, ordered_map
from ctxcache.text.tokens import exact_counter


class Build(NamedTuple):
    """What a build took: wall seconds, CPU seconds of all its processes, and bytes of memory."""

    walk: float
    compile: float
    write: float
    cpu: float
    memory: int

    @property
    def total(self) -> float:
        """All wall seconds."""
        return self.walk + self.compile + self.write


class Count(NamedTuple):
    """What counting took: wall seconds, and CPU seconds of all its processes."""

    wall: float
    cpu: float


def built(folder: Path, tokenizer: str, jobs: int) -> Build:
    """Build a cache of the folder, which is thrown away."""
    started = perf_counter()
    walk(folder)
    walking = perf_counter() - started
    compiled = started

    def note(_: Progress) -> None:
        nonlocal compiled
        compiled = perf_counter()

    with tempfile.TemporaryDirectory() as scratch:
        began, cpu = perf_counter(), _cpu()
        config = ctxcache.BuildConfig(tokenizer=tokenizer)
        ctxcache.build(folder, Path(scratch) / "cache", config=config, jobs=jobs, progress=note)
        ended, cpu = perf_counter(), _cpu() - cpu
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if jobs > 1 else 0
    memory = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + jobs * worker
    )  # KiB; shared pages count again
    return Build(walking, compiled - began - walking, ended - compiled, cpu, memory << 10)


def counted(files: Sequence[SourceFile], tokenizer: str, jobs: int) -> Count:
    """Read the files and count the tokens of each, whole."""
    began, cpu = perf_counter(), _cpu()
    for _ in ordered_map(TokenCount(tokenizer), list(batches(files)), jobs=jobs):
        pass
    return Count(perf_counter() - began, _cpu() - cpu)


class TokenCount(Work[Sequence[Source], int]):
    """Counts the tokens of some files, by tiktoken itself, whatever a build uses."""

    def __init__(self, tokenizer: str) -> None:
        """`tokenizer` is the name of an encoding."""
        self._tokenizer = tokenizer

    def __call__(self, sources: Sequence[Source]) -> int:
        """Read and count."""
        counter = exact_counter(self._tokenizer)
        texts = [read_text(source) for source in sources if isinstance(source, SourceFile)]
        return sum(counter(text.text) for text in texts if isinstance(text, SourceText))

    def prepare(self) -> None:
        """Load the vocabulary."""
        exact_counter(self._tokenizer)


def _cpu() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])
