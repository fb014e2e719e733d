"""Check every byte of a cache: documents against versions, index against documents, stray files.

`--quick` only compares the files with the manifest, which finds all damage; `--deep` also analyses every text
again, as a build does. The first fault of each kind is named. A cache with faults is exit code 5.
"""

from __future__ import annotations

from ..builder.verification import DEEP, QUICK, STRUCTURE, verify
from ..errors import CacheInvalid, UsageError
from ..text.visible import visible
from .main import exit_code
from .output import write
from .parser import add_cache, add_format
from .paths import find_cache
from .tables import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..builder.verification import Verification

_CHECKED = {QUICK: "checked", STRUCTURE: "checked", DEEP: "checked and analysed again"}

EXAMPLE = "ctx verify --cache handbook"


def add_arguments(parser: ArgumentParser) -> None:
    """`--cache`, `--cache-root`, the depth, `--jobs`, `--format`."""
    add_cache(parser)
    depth = parser.add_mutually_exclusive_group()
    words = "only compare sizes and digests of the files with the manifest"
    depth.add_argument("--quick", action="store_const", dest="depth", const=QUICK, help=words)
    words = "count tokens and words and analyse every text again"
    depth.add_argument("--deep", action="store_const", dest="depth", const=DEEP, help=words)
    parser.set_defaults(depth=STRUCTURE)
    words = "so many processes check documents (default: one for each core)"
    parser.add_argument("--jobs", type=int, metavar="N", help=words)
    add_format(parser, "table", "json", "pretty")


def run(options: Namespace) -> int:
    """Write the verification; a cache with faults ends like any other that is invalid."""
    if options.jobs is not None and options.jobs < 1:
        raise UsageError("--jobs: at least 1")
    directory = find_cache(options.cache, options.cache_root)
    verification = verify(directory, depth=options.depth, jobs=options.jobs)
    if options.format == "json":
        write(verification.to_json())
    elif options.format == "pretty":
        write(verification.to_pretty())
    else:
        write(_in_words(verification))
    return 0 if verification.valid else exit_code(CacheInvalid)


def _in_words(verification: Verification) -> str:
    checked = f"{count(verification.documents, 'document')} {_CHECKED[verification.depth]}"
    if verification.depth == QUICK and not verification.documents:
        checked = "files checked, not what is in them"
    notes = "".join(f"note: {visible(note)}\n" for note in verification.notes)
    if verification.valid:
        return f"{notes}valid · {checked}\n"
    faults = "".join(f"{fault.kind}: {visible(fault.detail)}\n" for fault in verification.faults)
    return f"{faults}{notes}not valid · {checked}\n"
