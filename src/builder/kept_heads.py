"""How the lines of a cache begin, kept beside the record of its build: to read lines takes long.

What is read back is what was written, or nothing: the record has its SHA-256.
"""

from __future__ import annotations

import os
from hashlib import file_digest, sha256
from typing import TYPE_CHECKING

import numpy as np

from ..cache.files import open_regular
from ..cache.texts import Texts
from ..errors import OperationError
from ..safeio import new_beside
from .heads import NUMBERS, TEXTS, Heads

if TYPE_CHECKING:
    from pathlib import Path


def keep(heads: Heads, file: Path) -> str:
    """Write them into a file, which may be lost with the power; its SHA-256. Raises `OSError`."""
    texts = [getattr(heads, name) for name in TEXTS]
    columns = [*(getattr(heads, name) for name in NUMBERS), *(text.ends for text in texts)]
    sizes = np.array([*map(len, columns), *(len(text.data) for text in texts)], np.int64)
    digest = sha256()
    file.parent.mkdir(parents=True, exist_ok=True)
    with new_beside(file) as (new, opened):
        for part in (*(column.tobytes() for column in (sizes, *columns)), *(text.data for text in texts)):
            digest.update(part)
            opened.write(part)
        opened.flush()
        if os.name == "nt":
            opened.close()  # it renames no open file
        new.replace(file)
    return digest.hexdigest()


def kept(file: Path, digest: str) -> Heads | None:
    """Those in the file with this SHA-256; None if there is another or none."""
    try:
        with open_regular(str(file)) as opened:
            if file_digest(opened, "sha256").hexdigest() != digest:
                return None
            opened.seek(0)
            count = len(NUMBERS) + len(TEXTS)
            sizes = np.fromfile(opened, np.int64, count + len(TEXTS)).tolist()
            columns = [np.fromfile(opened, np.int64, size) for size in sizes[:count]]
            texts = map(Texts, map(opened.read, sizes[count:]), columns[len(NUMBERS) :])
            starts, id_sizes = columns[: len(NUMBERS)]
            return Heads(starts, id_sizes, *texts)
    except (OSError, OperationError):
        return None
