"""Write a cache to one file, whose bytes are the same on every machine, and tell its digest.

The file is a tar archive without compression; publish it with a release, and the digest beside it.
"""

from __future__ import annotations

from pathlib import Path

from ..builder.verification import verify
from ..cache.pack import pack
from ..errors import CacheInvalid
from .asking import place_of
from .output import narrate, write
from .parser import add_cache
from .paths import require_folder_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

EXAMPLE = "ctx pack --cache handbook --output handbook.ctx.tar"


def add_arguments(parser: ArgumentParser) -> None:
    """`--cache`, `--output`."""
    add_cache(parser, required=False)
    words = "the file to write (default: NAME.ctx.tar)"
    parser.add_argument("-o", "--output", metavar="FILE", help=words)


def run(options: Namespace) -> None:
    """Write the file; its digest is the result."""
    place = place_of(options)
    require_folder_of(options.output)
    verification = verify(place)
    if not verification.valid:
        raise CacheInvalid(f"{place}: not valid; `ctx verify --cache {place}` says why")
    file = Path(options.output or f"{Path(place).resolve().name}.ctx.tar")
    digest = pack(place, file)
    write(f"{digest}\n")
    narrate(f"wrote {file}; `ctx unpack {file} --digest {digest}` gives the cache back")
