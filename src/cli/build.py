"""Compile a folder of documents into a cache.

Each input that did not become a document has a line on standard error, with the rule that
decided. Without --cache the cache goes to .ctx/caches/FOLDER of the current project.
"""

from __future__ import annotations

from pathlib import Path

from ..builder.config import MAX_TOKENS, PROFILES, SPLITS, BuildConfig
from ..builder.pipeline import build
from ..builder.sources import MAX_FILE_BYTES, Rules, explain_path
from ..cache.manifest import TOKENIZERS
from ..errors import UsageError
from .output import narrate, write
from .places import project_caches
from .progress import Bar
from .tables import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..builder.report import BuildReport

EXAMPLE = "ctx build docs --cache caches/docs"


def add_arguments(parser: ArgumentParser) -> None:
    """SOURCES and the options of a build."""
    add = parser.add_argument
    add("sources", nargs="?", metavar="SOURCES", help="the folder of documents")
    add("--sources", dest="sources_option", metavar="DIR", help="the same as the argument")
    add("-c", "--cache", metavar="DIR", help="where the cache goes (default: .ctx/caches/FOLDER)")
    add("--force", action="store_true", help="replace a cache that is there; readers never see half of one")
    add("--profile", choices=PROFILES, default=PROFILES[-1], help="the format (default: %(default)s)")
    add(
        "--split", choices=SPLITS, help="cut long files at their headings, or keep them whole (default: auto)"
    )
    add("--max-tokens", type=int, metavar="N", help=f"cut files above so many tokens (default: {MAX_TOKENS})")
    add("--tokenizer", choices=TOKENIZERS, help=f"what counts tokens (default: {TOKENIZERS[0]})")
    patterns = {"action": "append", "default": [], "metavar": "PATTERN"}
    add("--include", **patterns, help="take only what matches, as in a .gitignore; may be repeated")  # type: ignore[arg-type]  # a dictionary of mixed values
    add("--exclude", **patterns, help="leave out what matches, as in a .gitignore; may be repeated")  # type: ignore[arg-type]  # as above
    add(
        "--max-file-bytes",
        type=int,
        default=MAX_FILE_BYTES,
        metavar="N",
        help="skip larger files (%(default)s)",
    )
    add("--strict", action="store_true", help="fail if a file that should be a document cannot be one")
    add("--explain", metavar="PATH", help="say what becomes of PATH and why, and build nothing")
    add("--report", metavar="FILE", help="write the build report as JSON")
    add(
        "--jobs", type=int, metavar="N", help="worker processes (default: one a core); the result is the same"
    )


def run(options: Namespace) -> None:
    """Build, and narrate what was done."""
    sources, config = _sources(options), _config(options)
    if options.explain is not None:
        write(_explained(sources, config.rules, options.explain))
        return
    cache = options.cache or _default_cache(sources)
    with Bar(f"building {cache}") as bar:
        report = build(
            sources,
            cache,
            config=config,
            force=options.force,
            strict=options.strict,
            jobs=options.jobs,
            progress=lambda progress: bar.show(progress.done, progress.total),
        )
    if options.report is not None:
        Path(options.report).write_bytes(report.to_json().encode())
    _narrate(report, cache)


def _sources(options: Namespace) -> str:
    """The folder to build, named in one of two ways."""
    if options.sources is not None and options.sources_option is not None:
        raise UsageError("name the sources once, as the argument or with --sources")
    named = options.sources if options.sources is not None else options.sources_option
    if not named:
        raise UsageError("nothing to build from; name a folder of documents: `ctx build docs`")
    return str(named)


def _config(options: Namespace) -> BuildConfig:
    """The build configuration that the options describe."""
    for name in ("max_file_bytes", "jobs"):
        if (value := getattr(options, name)) is not None and value < 1:
            raise UsageError(f"--{name.replace('_', '-')}: {value} is not a positive number")
    format1 = options.profile == "v0"
    chosen = {name: getattr(options, name) for name in ("split", "max_tokens", "tokenizer")}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if format1 and chosen:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise UsageError(f"--profile v0 fixes how files are split and counted; leave out {names}")
    rules = Rules(
        include=tuple(options.include),
        exclude=tuple(options.exclude),
        max_file_bytes=options.max_file_bytes,
        format1=format1,
    )
    return BuildConfig(rules=rules, profile=options.profile, **chosen)


def _default_cache(sources: str) -> str:
    """The place of a cache that the user gave none: named by the folder, among the project's."""
    name = Path(sources).resolve().name
    if not name:
        raise UsageError(f"{sources}: a folder without a name; say where the cache goes with --cache")
    return f"{project_caches()}/{name}"


def _explained(sources: str, rules: Rules, path: str) -> str:
    """What becomes of one path, in a line."""
    from ..text.visible import visible

    verdict = explain_path(Path(sources), rules, path)
    return f"{'taken' if verdict.taken else 'skipped'} {visible(verdict.path)}: {visible(verdict.rule)}\n"


def _narrate(report: BuildReport, cache: str) -> None:
    """One line for each thing to know, and one for the whole."""
    for line in report.lines():
        narrate(line)
    made = f"{count(report.documents, 'document')} from {count(report.sources, 'file')}"
    narrate(f"built {cache}: {made}, {count(report.tokens, 'token')}")
