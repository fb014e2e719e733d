"""The caches of the root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pieces import padded
from ..shelf_lines import volume_line
from .row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..library import Freshness
    from ..pieces import Piece
    from ..shelf import Volume


class ShelfList(RowList):
    """A row for each cache, broken ones too."""

    BORDER_TITLE = "caches"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._volumes: tuple[Volume, ...] = ()
        self._open = ""
        self._states: Mapping[str, Freshness | None] = {}

    def show(
        self, volumes: tuple[Volume, ...], open_name: str, states: Mapping[str, Freshness | None]
    ) -> None:
        """Replace the rows; the cursor stays on the cache that it was on. `states` are by path."""
        self._states = states
        before = self.volume if open_name == self._open else None
        self._volumes, self._open = volumes, open_name
        self.count = len(volumes)
        names = [volume.name for volume in volumes]
        wanted = before.name if before else open_name
        if wanted in names:
            self.cursor = names.index(wanted)
        self.renew()

    @property
    def volume(self) -> Volume | None:
        """The highlighted cache."""
        return self._volumes[self.cursor] if self._volumes else None

    def header(self, width: int) -> list[Piece]:
        """The header line."""
        return [(f"  {padded('name', max(4, width - 13))}documents", "dim")]

    def row(self, index: int, width: int) -> list[Piece]:
        """One cache."""
        volume = self._volumes[index]
        is_open, freshness = volume.name == self._open, self._states.get(volume.path)
        return volume_line(volume, width, is_open=is_open, freshness=freshness)
