"""Caches that a listing or a server does not see: each knows one directory and nothing outside (C4, C6)."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import CtxError
from ..project.project import find_project


def told_elsewhere(caches: str, remedy: str, start: str = ".") -> list[str]:
    """A line for each cache that the configuration of `start` puts elsewhere than in the directory `caches`.

    `remedy` says how to see them there, with `{}` for the directory.
    """
    try:
        project = find_project(Path(start))
    except CtxError:  # `ctx status` complains of a configuration
        return []
    described = project.caches.items() if project else ()
    return [
        f"note: {name} lies in {os.path.relpath(cache.place)}, not in {os.path.relpath(caches)}; "
        + remedy.format(os.path.relpath(cache.place.parent))
        for name, cache in described
        if cache.place.parent != Path(caches).resolve()
    ]
