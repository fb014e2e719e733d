"""Print one document of a cache whole, and the ids of those before and after it in its file.

ID is an id as answers give it, or that of any heading inside a document.
"""

from __future__ import annotations

from ..resolver.cache import open_cache
from ..resolver.reading import checked_id
from .output import write
from .parser import add_cache, add_format
from .paths import find_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..resolver.reading import ReadDocument

EXAMPLE = "ctx show --cache handbook oncall/paging.md --format text"


def add_arguments(parser: ArgumentParser) -> None:
    """`--cache`, `--cache-root`, ID, `--format`."""
    add_cache(parser)
    parser.add_argument("id", metavar="ID", help="the document")
    add_format(parser, "json", "pretty", "text")


def run(options: Namespace) -> None:
    """Write the document."""
    wanted = checked_id(options.id)
    document = open_cache(find_cache(options.cache, options.cache_root)).read(wanted)
    if options.format == "json":
        write(document.to_json())
    elif options.format == "pretty":
        write(document.to_pretty())
    else:
        write(_in_words(document))


def _in_words(read: ReadDocument) -> str:
    from ..text.visible import visible  # for people alone

    return visible(read.document.content, newlines=True).rstrip("\n") + "\n"
