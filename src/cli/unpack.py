"""Write the cache that `ctx pack` put into a file to a directory, once its digest and bytes are checked."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..builder.verification import verify
from ..cache.manifest import read_manifest
from ..cache.pack import unpack
from ..errors import CacheInvalid, UsageError
from .output import narrate
from .paths import project_caches, require_file
from .tables import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLE = "ctx unpack handbook.ctx.tar --cache handbook-2"

_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})\Z")


def add_arguments(parser: ArgumentParser) -> None:
    """FILE, `--digest`, `--cache`."""
    parser.add_argument("file", metavar="FILE", help="what `ctx pack` wrote")
    words = "the SHA-256 that the file must have"
    parser.add_argument("--digest", metavar="SHA256", help=words)
    words = "the directory to write (default: .ctx/caches/NAME)"
    parser.add_argument("-c", "--cache", metavar="DIR", help=words)


def run(options: Namespace) -> None:
    """Write the cache; a file whose cache has faults leaves none."""
    require_file(options.file)
    digest = _digest(options.digest)
    name = os.path.basename(options.file).removesuffix(".tar").removesuffix(".ctx")
    target = Path(options.cache or f"{project_caches()}/{name}")
    unpack(Path(options.file), target, digest, _require_valid)
    documents = read_manifest(str(target))[1].document_count
    narrate(f"unpacked {target}: {count(documents, 'document')}")


def _require_valid(cache: Path) -> None:
    """Raise `CacheInvalid` for a cache with a fault."""
    verification = verify(str(cache))
    if not verification.valid:
        raise CacheInvalid(f"the cache in the file is not valid: {verification.faults[0].detail}")


def _digest(text: str | None) -> str | None:
    """The hexadecimal digits of a digest. Raises `UsageError`."""
    if text is None:
        return None
    match = _DIGEST.match(text.lower())
    if match is None:
        raise UsageError("--digest: 64 hexadecimal digits, with or without sha256: before them")
    return match[1]
