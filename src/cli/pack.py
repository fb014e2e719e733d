"""The commands `pack` and `unpack`: a cache as one file with a digest, and back."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from ..builder.verification import verify
from ..cache.manifest import read_manifest
from ..cache.pack import pack, unpack
from ..errors import CacheInvalid, UsageError
from .output import narrate, write, write_json
from .parser import Command, add_cache, add_format
from .paths import project_caches, require_file, require_folder_of
from .resolve import place_of
from .terminal import count

TYPE_CHECKING = False

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def _pack_arguments(parser: ArgumentParser) -> None:
    """`--cache`, `--output`, `--format`."""
    add_cache(parser, required=False)
    words = "the file to write (default: NAME.ctx.tar)"
    parser.add_argument("-o", "--output", metavar="FILE", help=words)
    add_format(parser, "text", "json", "pretty")


def _run_pack(options: Namespace) -> None:
    """Write the file; its digest is the result."""
    place = place_of(options)
    require_folder_of(options.output)
    verification = verify(place)
    if not verification.valid:
        raise CacheInvalid(f"{place}: not valid; `ctx verify --cache {shlex.quote(place)}` says why")
    file = Path(options.output or f"{Path(place).resolve().name}.ctx.tar")
    digest = pack(place, file)
    if options.format == "text":
        write(f"{digest}\n")
    else:
        write_json(options.format, {"file": str(file), "digest": digest})
    narrate(f"wrote {file}; `ctx unpack {shlex.quote(str(file))} --digest {digest}` gives the cache back")


PACK = Command(
    help="""Write a cache to one file, whose bytes are the same on every machine, and tell its digest.

The file is a tar archive without compression; publish it with a release, and the digest beside it.""",
    examples=("ctx pack --cache handbook --output handbook.ctx.tar",),
    arguments=_pack_arguments,
    run=_run_pack,
)


_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})\Z")


def _unpack_arguments(parser: ArgumentParser) -> None:
    """FILE, `--digest`, `--cache`, `--format`."""
    parser.add_argument("file", metavar="FILE", help="what `ctx pack` wrote")
    words = "the SHA-256 that the file must have"
    parser.add_argument("--digest", metavar="SHA256", help=words)
    words = "the directory to write (default: .ctx/caches/NAME)"
    parser.add_argument("-c", "--cache", metavar="DIR", help=words)
    add_format(parser, "text", "json", "pretty")


def _run_unpack(options: Namespace) -> None:
    """Write the cache; a file whose cache has faults leaves none."""
    require_file(options.file)
    digest = _digest(options.digest)
    name = os.path.basename(options.file).removesuffix(".tar").removesuffix(".ctx")
    if options.cache is None and name in ("", ".", ".."):
        raise UsageError(f"{options.file}: gives the cache no name; name its directory with --cache")
    target = Path(options.cache or f"{project_caches()}/{name}")
    unpack(Path(options.file), target, digest, _require_valid)
    documents = read_manifest(str(target))[1].document_count
    if options.format != "text":
        write_json(options.format, {"cache": str(target), "document_count": documents})
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


UNPACK = Command(
    help="""Write the cache in a file of `ctx pack` to a directory, once its digest and bytes are checked.""",
    examples=("ctx unpack handbook.ctx.tar --cache handbook-2",),
    arguments=_unpack_arguments,
    run=_run_unpack,
)
