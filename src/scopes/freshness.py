"""Whether a context still describes its directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .fingerprint import content_fingerprint, stat_fingerprint

if TYPE_CHECKING:
    from .listing import Listing
    from .memo import Memo


class Freshness(NamedTuple):
    """The verdict, and the fingerprint that the directory has now."""

    fresh: bool
    computed: str
    """The fingerprint that matched, else the one by content."""

    @property
    def state(self) -> str:
        """`fresh` or `stale`."""
        return "fresh" if self.fresh else "stale"


def freshness(stored: str, directory: str, listing: Listing, hashes: Memo[str]) -> Freshness:
    """Compare a stored fingerprint with both of a directory, the cheap one first."""
    by_times = stat_fingerprint(listing.files)
    if stored == by_times:
        return Freshness(True, by_times)
    by_content = content_fingerprint(directory, listing.files, hashes)
    return Freshness(stored == by_content, by_content)
