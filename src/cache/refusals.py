"""What the system refuses while a cache is written or checked, told as one kind of error."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from ..errors import IoError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def refusals(place: str | Path) -> Iterator[None]:
    """Turn any `OSError` of the block into `IoError`, naming its file, or else `place`.

    A broken pipe passes: it tells of the reader of a progress report, not of a cache.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = error.filename if isinstance(error.filename, (str, bytes)) else place
        raise IoError(f"{os.fsdecode(name)}: {error.strerror or error}") from None
