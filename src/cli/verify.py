"""Check every byte of a cache: documents against versions, index against documents, stray files.

The first fault of each kind is named. A cache with faults is exit code 5.
"""

from __future__ import annotations

from ..builder.verification import verify
from ..errors import CacheInvalid
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

EXAMPLE = "ctx verify --cache handbook"


def add_arguments(parser: ArgumentParser) -> None:
    """`--cache`, `--cache-root`, `--format`."""
    add_cache(parser)
    add_format(parser, "table", "json", "pretty")


def run(options: Namespace) -> int:
    """Write the verification; a cache with faults ends like any other that is invalid."""
    verification = verify(find_cache(options.cache, options.cache_root))
    if options.format == "json":
        write(verification.to_json())
    elif options.format == "pretty":
        write(verification.to_pretty())
    else:
        write(_in_words(verification))
    return 0 if verification.valid else exit_code(CacheInvalid)


def _in_words(verification: Verification) -> str:
    checked = f"{count(verification.documents, 'document')} checked"
    notes = "".join(f"note: {visible(note)}\n" for note in verification.notes)
    if verification.valid:
        return f"{notes}valid · {checked}\n"
    faults = "".join(f"{fault.kind}: {visible(fault.detail)}\n" for fault in verification.faults)
    return f"{faults}{notes}not valid · {checked}\n"
