"""What a process of ours may take of the machine, for one that reads what others wrote."""

from __future__ import annotations

from pathlib import Path


def limit_memory(most: int) -> None:
    """Let the system refuse more than `most` bytes beyond what is loaded, where it can (Linux)."""
    try:
        import resource

        loaded = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = loaded + most if hard == resource.RLIM_INFINITY else min(loaded + most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    except (ImportError, OSError, ValueError):
        pass
