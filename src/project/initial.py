"""Proposing a commented `ctx.toml` for the documents of a folder."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple

from ..arguments import DEFAULT_BUDGET
from ..builder.config import BuildConfig
from ..builder.convert import rules_in_force
from ..builder.report import Skipped
from ..builder.sources.decode import SourceText, read_text
from ..builder.sources.front_matter import front_matter
from ..builder.sources.walk import walk
from ..builder.splitting.formats import is_convertible, kind_of, suffix_of
from ..builder.splitting.sections import title
from ..cache.catalog import has_manifest
from ..errors import UsageError
from ..safeio import translate_oserror
from ..text.display import escape_control

if TYPE_CHECKING:
    from pathlib import Path

    from ..builder.sources.source_filter import SourceFile

USUAL = (
    "docs", "doc", "documentation", "handbook", "wiki", "guide", "guides", "manual", "runbooks", "notes",
    "content", "adr",
)  # fmt: skip
"""The usual names of folders of documents."""

_MOST = 4  # caches that are worth proposing
_TITLES = 4  # named in a description
_LONGEST_TITLE = 60
_FIRST_PAGES = ("index", "readme", "home", "_index", "summary", "introduction")
_SET_ASIDE = re.compile(r"drafts?|archived?|deprecated|old|i18n|translations?|_.*", re.IGNORECASE)

_HEAD = """\
# What `ctx` compiles and how; `ctx build` brings the caches up to date, `ctx status` says which are not.
# All paths are in this folder. Every key: docs/authoring.md of ctxcache, or `ctx build --help`.
"""
_CACHE = """\
[caches.{name}]
description = {description}  # what agents read to decide whether to ask; say it better
sources = {sources}  # {kinds}
# exclude = [{exclude}]
# split = "auto"  # long files at their headings; "none" keeps them whole
# tokenizer = "o200k_base"  # what counts tokens: also "cl100k_base", "bytes4"
"""
_TEST = """\
# A question and what its answer must hold; `ctx test` asks. Take the marks away and say what matters to you.
# [[tests]]
# cache = {cache}
# query = {query}
# budget = {budget}
# expect = [{expect}]
"""


class _Proposal(NamedTuple):
    """A cache to propose."""

    name: str
    sources: str
    files: list[SourceFile]
    unreadable: list[Skipped]
    """The files that the system refused to read; one list, shared by all proposals."""


def initial_configuration(root: Path) -> tuple[str, list[Skipped]]:
    """The text of a configuration for the documents below `root`, and the files that could not be read.

    Raises `UsageError` if there are no documents.
    """
    folders: dict[str, list[SourceFile]] = defaultdict(list)
    walked = walk(root, rules_in_force(BuildConfig()))
    unreadable = [skipped for skipped in walked.skipped if skipped.unreadable]
    for file in walked.files:
        folder, slash, _ = file.id.partition("/")
        folders[folder if slash else "."].append(file)
    if not folders:
        raise UsageError(_no_documents(root, unreadable))
    usual = [name for name in USUAL if name in folders][:_MOST]
    built = [name for name in sorted(folders) if name not in usual and _is_built(root, name)]
    proposals = [_Proposal(name, name, folders[name], unreadable) for name in (*usual, *built)]
    everything = [file for files in folders.values() for file in files]
    proposals = proposals or [_Proposal(root.resolve().name, ".", everything, unreadable)]
    project = root.resolve().name
    sections = [_section(proposal, project) for proposal in proposals]
    return "\n".join([_HEAD, *sections, _test(proposals[0])]), list(dict.fromkeys(unreadable))


def _is_built(root: Path, folder: str) -> bool:
    """Whether a folder has a cache in the default directory, where `ctx build FOLDER` writes it."""
    cache = root / ".ctx" / "caches" / folder
    with translate_oserror(cache):
        return folder == _name(folder) and has_manifest(str(cache))


def _no_documents(root: Path, unreadable: list[Skipped]) -> str:
    """The error message for a folder without readable documents."""
    if unreadable:
        first = unreadable[0]
        return f"{root}: no documents found, but {escape_control(first.path)}: {first.rule}; make it readable"
    return f"{root}: no documents found (.md, .rst, .adoc, .txt, …), so nothing to configure"


def _section(proposal: _Proposal, project: str) -> str:
    """The table of one cache."""
    kinds = Counter(suffix_of(file.id).lower() for file in proposal.files)
    ordered = sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))
    parts = {part for file in proposal.files for part in file.id.split("/")[:-1]}
    aside = sorted(filter(_SET_ASIDE.fullmatch, parts)) or ["drafts"]
    return _CACHE.format(
        name=_name(proposal.name),
        description=_quoted(_description(proposal, project)),
        sources=_quoted(proposal.sources),
        kinds=", ".join(f"{number:,} {kind}" for kind, number in ordered),
        exclude=", ".join(_quoted(f"{part}/") for part in aside),
    )


def _test(proposal: _Proposal) -> str:
    """A first query test: its query is the title of the longest page, which is expected."""
    longest = max(proposal.files, key=lambda file: (not is_convertible(file.id), file.size))
    expect = longest.id.removeprefix(f"{proposal.sources}/")
    query = (_title(longest, proposal) or expect).lower()
    cache = _quoted(_name(proposal.name))
    return _TEST.format(cache=cache, query=_quoted(query), budget=DEFAULT_BUDGET, expect=_quoted(expect))


def _description(proposal: _Proposal, project: str) -> str:
    """A description of a cache from titles: that of its first page, and those of its longest pages."""
    name = proposal.name.replace("-", " ").replace("_", " ")
    first = next((file for file in proposal.files if _is_first_page(file, proposal)), None)
    longest = sorted(proposal.files, key=lambda file: (-file.size, file.id))[:_TITLES]
    titles = (_title(file, proposal) for file in longest if file is not first)
    topics = list(dict.fromkeys(filter(None, titles)))
    whole = "" if proposal.sources == "." else f" of {project}"
    lead = (_title(first, proposal) if first else "") or f"{name[:1].upper()}{name[1:]}{whole}"
    return f"{lead}: {', '.join(topics)}" if topics else lead


def _is_first_page(file: SourceFile, proposal: _Proposal) -> bool:
    folder, _, name = file.id.rpartition("/")
    return folder == proposal.sources.removesuffix(".") and name.partition(".")[0].lower() in _FIRST_PAGES


def _title(file: SourceFile, proposal: _Proposal) -> str:
    """The shortened and escaped title of a page; empty if it has none."""
    read = None if is_convertible(file.id) else read_text(file)
    if isinstance(read, Skipped) and read.unreadable:
        proposal.unreadable.append(read)
    if not isinstance(read, SourceText):
        return ""
    front = front_matter(read.text)
    words = front.title or title(read.text, kind=kind_of(file.id), id=file.id, body_start=front.end)
    return shorten(escape_control(words), _LONGEST_TITLE, placeholder=" …")


def _quoted(text: str) -> str:
    """A TOML string, in one line."""
    return json.dumps(text, ensure_ascii=False)


def _name(folder: str) -> str:
    """A name for the cache of a folder."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", folder).strip("-") or "documents"
