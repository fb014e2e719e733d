"""The command `build`: compiles a folder, the contexts of a project, or the caches of ctx.toml."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ..builder.config import MAX_TOKENS, PROFILES, SPLITS, BuildConfig
from ..builder.sources.source_filter import MAX_FILE_BYTES, Rules
from ..builder.sources.tree import is_url, label_of
from ..errors import UsageError
from ..safeio import write_output
from ..text import TOKENIZERS
from ..text.display import escape_control, pluralize
from .output import narrate, write_as, write_json
from .parser import Command, add_format, add_workers, executor, require_positive
from .paths import project_caches, project_root, require_folder, require_folder_of
from .terminal import left_out_words
from .update import (
    build_configured,
    build_reason,
    cache_as_dict,
    configured_caches,
    require_sources,
    update_with_bar,
    watch,
    with_tolerance,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..project.caches import Built, ProjectCache
    from ..project.project import Project


def _build_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("sources", nargs="*", metavar="SOURCES", help="a folder or the URL of one, or names in ctx.toml")
    add("--sources", dest="sources_option", metavar="DIR", help="the same as the argument")
    text = "the contexts of a project instead of a folder, one document a directory"
    add("--scopes", metavar="PROJECT", help=text)
    add("-c", "--cache", metavar="DIR", help="where the cache goes (default: .ctx/caches/FOLDER)")
    text = "build from nothing, and replace whatever cache is there; readers never see half of one"
    add("--force", action="store_true", help=text)
    add("--watch", action="store_true", help="go on: rebuild after each change, until Ctrl-C")
    add("--profile", choices=PROFILES, help=f"the format (default: {PROFILES[-1]})")
    text = "cut long files at their headings, or keep them whole (default: auto)"
    add("--split", choices=SPLITS, help=text)
    add("--max-tokens", type=int, metavar="N", help=f"cut files above so many tokens (default: {MAX_TOKENS})")
    add("--tokenizer", choices=TOKENIZERS, help=f"what counts tokens (default: {TOKENIZERS[0]})")
    patterns = {"action": "append", "default": [], "metavar": "PATTERN"}
    add("--include", **patterns, help="take only what matches, as in a .gitignore; may be repeated")  # type: ignore[arg-type]  # a dictionary of mixed values
    add("--exclude", **patterns, help="leave out what matches, as in a .gitignore; may be repeated")  # type: ignore[arg-type]  # as above
    text = f"skip larger files (default: {MAX_FILE_BYTES})"
    add("--max-file-bytes", type=int, metavar="N", help=text)
    text = "keep identical documents apart, instead of one with the ids of the others as its aliases"
    add("--keep-duplicates", action="store_true", help=text)
    text = "convert no PDF, DOCX, PPTX, XLSX, HTML, EPUB or notebook"
    add("--no-convert", action="store_true", help=text)
    add("--strict", action="store_true", help="fail if a file that should be a document cannot be one")
    text = "leave out what the system refuses to read, instead of failing"
    add("--skip-unreadable", action="store_true", help=text)
    text = "give up the converted documents of a cache where the extra `convert` is not installed"
    add("--allow-missing-converter", action="store_true", help=text)
    add("--explain", metavar="PATH", help="say what becomes of PATH and why, and build nothing")
    add("--report", metavar="FILE", help="write the build report as JSON")
    add_workers(parser, "compile", "folder")
    text = "a directory or URL that these workers and this process reach: what they compile is merged there"
    add("--scratch", metavar="URL", help=text)
    add_format(parser, "table", "json", "pretty")


def _run_build(options: Namespace) -> None:
    require_positive(options, "max_file_bytes", "jobs")
    require_folder_of(options.report)
    if options.scopes is not None:
        _build_scopes(options)
        return
    if options.scheduler is not None and options.watch:
        raise UsageError("--scheduler: goes with no --watch")
    if options.watch and options.format != "table":
        raise UsageError(f"--format {options.format}: goes with no --watch")
    configured = configured_caches(options)
    if configured is not None:
        _build_project(*configured, options)
    else:
        _build_sources(options)


def _build_sources(options: Namespace) -> None:
    """Build the cache of a folder or a URL, watch the folder, or explain a path of it."""
    sources, config = _sources(options), _config(options)
    if not is_url(sources):
        require_sources(sources)
    elif options.watch or options.explain is not None:
        raise UsageError(
            f"{label_of(sources)}: --watch and --explain look at a folder of this machine, not at a URL"
        )
    if options.explain is not None:
        _explain(sources, config, options)
        return
    cache = _cache_of(sources, options.cache or _default_cache(sources), config, options)
    if options.watch:
        _watch(cache, options)
    else:
        _build_cache(cache, options)


def _build_scopes(options: Namespace) -> None:
    """Build a cache of the contexts of a project, one document a directory."""
    from ..builder.compile import GivenText
    from ..scopes.project import ScopeProject
    from ..scopes.queries import scope_documents

    others = (options.sources, options.sources_option, options.explain, options.watch, options.profile)
    if any((*others, options.scheduler)):
        raise UsageError("--scopes: goes with no folder, --explain, --watch, --profile or --scheduler")
    require_folder(options.scopes)
    texts = tuple(GivenText(*document) for document in scope_documents(ScopeProject(options.scopes)))
    if not texts:
        raise UsageError(f"{options.scopes}: no directory has a context; `ctx scope init` writes them")
    directory, config = options.cache or f"{project_caches()}/scopes", replace(_config(options), split="none")
    _build_cache(replace(_cache_of(options.scopes, directory, config, options), given=texts), options)


def _build_cache(cache: ProjectCache, options: Namespace) -> None:
    """Build or update a cache; a cache of other sources is replaced with `--force` only."""
    cache.require_replaceable(force=options.force)
    always = options.strict or options.report is not None
    with executor(options) as workers:
        built = update_with_bar(
            cache, cache.directory, force=options.force, always=always, jobs=options.jobs, executor=workers
        )
    _report(built, cache, options)


def _report(built: Built, cache: ProjectCache, options: Namespace) -> None:
    """Write the outcome as JSON and the report to the file of `--report`, and narrate both."""
    report, manifest = built.report, cache.manifest
    if options.format != "table":
        write_json(options.format, {"caches": [cache_as_dict(cache, report)]})
    if report is None:
        figures = (
            f"{pluralize(manifest.document_count, 'document')}, {pluralize(manifest.total_tokens, 'token')}"
        )
        left_out = f"; {words}" if (words := left_out_words(built.before.left_out)) else ""
        narrate(f"{cache.directory} is up to date: {figures}{left_out}")
        return
    if options.report is not None:
        write_output(Path(options.report), report.to_json().encode())
    for line in report.lines():
        narrate(line)
    made = f"{pluralize(report.documents, 'document')} from {pluralize(report.sources, 'file')}"
    why = f"; {words}" if (words := build_reason(built)) else ""
    narrate(f"built {cache.directory}: {made}, {pluralize(report.tokens, 'token')}{why}")


def _watch(cache: ProjectCache, options: Namespace) -> None:
    """Rebuild the cache of a folder after each change; `--force` replaces one of other sources."""
    cache.require_replaceable(force=options.force)
    # `require_sources` has refused a link that leads back to itself.
    watched = replace(
        cache, sources=cache.sources.resolve(), directory=Path(os.path.realpath(cache.directory))
    )
    watch(lambda: [watched], jobs=options.jobs, force=options.force)


def _cache_of(sources: str, directory: str, config: BuildConfig, options: Namespace) -> ProjectCache:
    """The cache of a folder or a URL, with the options of the command line."""
    from ..project.caches import ProjectCache

    return ProjectCache(
        name=Path(directory).name,
        root=Path(project_root()),
        sources=Path(sources),
        given=sources if is_url(sources) else (),
        directory=Path(directory),
        config=config,
        strict=options.strict,
        skip_unreadable=options.skip_unreadable,
        allow_missing_converter=options.allow_missing_converter,
    )


def _build_project(project: Project, names: list[str], options: Namespace) -> None:
    """Build configured caches, watch their sources, or explain a path of one of them."""
    caches = project.select(names)
    if options.explain is not None:
        if len(caches) > 1:
            raise UsageError(f"--explain: name one cache of {', '.join(project.caches)}")
        _explain(str(caches[0].sources), caches[0].config, options)
    elif options.watch:
        from ..project.project import load_project

        watch(
            lambda: [with_tolerance(cache, options) for cache in load_project(project.file).select(names)],
            jobs=options.jobs,
            force=options.force,
            configuration=project.file,
        )
    else:
        with executor(options) as workers:
            build_configured(caches, options, workers)


def _sources(options: Namespace) -> str:
    """The folder or URL to build: the argument, or the value of `--sources`. Raises `UsageError`."""
    option = options.sources_option
    if options.sources and option is not None:
        raise UsageError("name the sources once, as the argument or with --sources")
    arguments = options.sources if option is None else [option]
    if len(arguments) > 1:
        raise UsageError(
            "one folder is built at a time; only caches that ctx.toml describes are named together"
        )
    if not any(arguments):
        raise UsageError("nothing to build from; name a folder of documents: `ctx build docs`")
    return str(arguments[0])


def _config(options: Namespace) -> BuildConfig:
    """The build configuration of the options. Raises `UsageError`."""
    chosen = {name: getattr(options, name) for name in ("split", "max_tokens", "tokenizer")}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if options.profile == "v0" and chosen:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise UsageError(f"--profile v0 fixes how files are split and counted; leave out {names}")
    rules = Rules(
        include=tuple(options.include),
        exclude=tuple(options.exclude),
        max_file_bytes=options.max_file_bytes or MAX_FILE_BYTES,
    )
    profile = options.profile or PROFILES[-1]
    return BuildConfig(
        rules=rules,
        profile=profile,
        unique=not options.keep_duplicates,
        convert=not options.no_convert,
        **chosen,
    )


def _default_cache(sources: str) -> str:
    """The default directory of a cache: .ctx/caches of the project, with the name of the folder."""
    if is_url(sources):  # the last part of the path, else the host
        name = label_of(sources).partition("?")[0].rstrip("/").rpartition("/")[2].removeprefix("…@")
    else:
        name = Path(sources).resolve().name
    if name in ("", ".", ".."):
        raise UsageError(
            f"{label_of(sources)}: a folder without a name; say where the cache goes with --cache"
        )
    return f"{project_caches()}/{name}"


def _explain(sources: str, config: BuildConfig, options: Namespace) -> None:
    """Write whether a path becomes a document, and the rule that decides."""
    from ..builder.convert import Converter, rules_in_force
    from ..builder.sources.walk import explain_path

    with Converter() as convert:
        verdict = explain_path(Path(sources), rules_in_force(config), options.explain, convert=convert)
    state = "taken" if verdict.taken else "skipped"
    line = f"{state} {escape_control(verdict.path)}: {escape_control(verdict.rule)}\n"
    write_as(options.format, verdict._asdict(), lambda: line)


BUILD = Command(
    help="""Compile a folder of documents into a cache; or the caches of the project's ctx.toml.

Without SOURCES, or with names of configured caches, what is stale is rebuilt as ctx.toml
says. A folder goes to .ctx/caches/FOLDER of the project, unless --cache says where. What did not
become a document is told on standard error, with the rule that decided.""",
    examples=("ctx build docs --cache caches/docs", "ctx build --json"),
    arguments=_build_arguments,
    run=_run_build,
)
