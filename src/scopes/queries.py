"""The queries about a project's contexts: their content, their freshness, their changes, their documents."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import CtxError
from ..garbage import gc_paused
from ..git import REGULAR, GitError, blob_reader, read_tree, run_git
from .fingerprint import content_hash, freshness, hashes_fingerprint, parse_timestamp
from .listing import is_counted, is_excluded
from .model import CONTEXT_NAME, FILTERABLE, METADATA, ContextCorrupt, ContextMissing, ScopeError
from .project import ScopeDirectory, scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..builder.sources.gitignore import IgnoreRules
    from .fingerprint import Memo
    from .listing import Listing
    from .model import ContextFile
    from .project import ScopeDirectory, ScopeProject


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The answer of a tool: an object with ordered keys, and whether it is an error."""

    data: dict[str, Any]
    is_error: bool

    def to_json(self) -> str:
        """The object as JSON, indented by two spaces, without escapes and a final newline (rule C13)."""
        return _json(self.data)


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # a scope's name may have lone surrogates


def query_context(project: ScopeProject, scope: str, filter: Iterable[str] | None = None) -> Answer:  # noqa: A002 - its name
    """The context of a scope, or the fields of it that `filter` names.

    An empty filter selects all fields; unknown names select none.
    """
    try:
        context = project.context(project.locate(scope), scope)
    except ScopeError as error:
        return Answer(data={"found": False, "scope": scope, "error": str(error)}, is_error=True)
    wanted = frozenset(filter or ())
    only = frozenset(METADATA) | wanted.intersection(FILTERABLE) if wanted else None
    return Answer(data={"found": True, "scope": scope, "context": context.as_dict(only)}, is_error=False)


def check_freshness(project: ScopeProject, scope: str) -> Answer:
    """Whether the context of a scope is fresh, stale (no error) or missing (an error)."""
    try:
        directory = project.locate(scope)
        context = project.context(directory, scope)
        listing = project.listing(directory)
    except (ScopeError, OSError) as error:
        text = str(error if isinstance(error, ScopeError) else ContextMissing(scope))  # deleted meanwhile
        return Answer(data={"scope": scope, "state": "missing", "error": text}, is_error=True)
    verdict = freshness(context.fingerprint, directory, listing, project.hashes)
    data = {
        "scope": scope,
        "state": verdict.state,
        "fingerprint": {"stored": context.fingerprint, "computed": verdict.computed},
        "last_updated": context.last_updated,
    }
    return Answer(data=data, is_error=False)


@gc_paused()
def list_contexts(project: ScopeProject) -> Answer:
    """Every scope of the project with its state."""
    data: dict[str, Any] = {
        "root": project.root,
        "total_directories": 0,
        "skipped_directories": 0,
        "tracked": 0,
        "entries": [],
    }
    try:
        scanned = scan(project)
    except (OSError, ValueError, CtxError):
        data["error"] = f'Failed to scan project at "{project.root}"'
        return Answer(data=data, is_error=True)
    entries = [_entry(project, directory) for directory in scanned.eligible]
    data["total_directories"] = len(entries)
    data["skipped_directories"] = scanned.skipped
    data["tracked"] = sum(entry["has_context"] for entry in entries)
    data["entries"] = entries
    return Answer(data=data, is_error=False)


def _entry(project: ScopeProject, directory: ScopeDirectory) -> dict[str, Any]:
    """The entry of a scope. A context that cannot be read, for whatever reason, is `missing`."""
    try:
        if not directory.listing.has_context:
            raise ContextMissing(directory.scope)
        context = project.context(directory.path, directory.scope)
    except ScopeError:
        return {"scope": directory.scope, "state": "missing", "has_context": False}
    verdict = freshness(context.fingerprint, directory.path, directory.listing, project.hashes)
    return {
        "scope": directory.scope,
        "state": verdict.state,
        "has_context": True,
        "last_updated": context.last_updated,
        "summary": context.summary,
    }


class FileChanges(NamedTuple):
    """The changed files of a directory by name, each tuple sorted."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    exact: bool = False
    """Whether the contents were compared, not only the dates."""

    def lines(self) -> list[str]:
        """A line for each file: `changed scan.py`."""
        groups = (("added", self.added), ("changed", self.changed), ("removed", self.removed))
        return [f"{word} {name}" for word, names in groups for name in names]


def find_changes(
    directory: str, listing: Listing, rules: IgnoreRules, context: ContextFile, hashes: Memo[str]
) -> FileChanges:
    """The changes of a directory since its context was written; `rules` are the ignore rules in force."""
    present = {file.name: file for file in listing.files if not file.ignored}
    committed = _committed_hashes(directory, rules, context.fingerprint)
    if committed is None:
        return _by_dates(listing, context)
    common = present.keys() & committed.keys()
    changed = [
        name for name in common if content_hash(directory, present[name], hashes) not in ("", committed[name])
    ]
    return FileChanges(
        added=tuple(sorted(present.keys() - committed.keys())),
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(committed.keys() - present.keys())),
        exact=True,
    )


def _by_dates(listing: Listing, context: ContextFile) -> FileChanges:
    """The files that are younger than the context, and those that it names and that do not exist."""
    names = {file.name for file in listing.files}
    removed = tuple(sorted({entry.name for entry in context.files} - names))
    written = parse_timestamp(context.last_updated)
    if written is None:
        return FileChanges(removed=removed)
    since = int(written.timestamp() * 1000)
    younger = [f.name for f in listing.files if not f.ignored and f.mtime_ns // 1_000_000 > since]
    return FileChanges(changed=tuple(sorted(younger)), removed=removed)


def _committed_hashes(directory: str, rules: IgnoreRules, fingerprint: str) -> dict[str, str] | None:
    """The SHA-256 by name of the files in the commit whose directory has a fingerprint; None if none has.

    The candidates are the current commit and the last five that changed the context.
    """
    try:
        commits = run_git(directory, "rev-list", "-n", "5", "HEAD", "--", CONTEXT_NAME)
    except GitError:
        return None
    for commit in ["HEAD", *commits.decode().split()]:
        hashes = _hashes_at(directory, commit, rules)
        if hashes is not None and hashes_fingerprint(hashes) == fingerprint:
            return hashes
    return None


def _hashes_at(directory: str, commit: str, rules: IgnoreRules) -> dict[str, str] | None:
    """The SHA-256 by name of the files of a directory in a commit, without ignored ones.

    None if git lacks one of them.
    """
    try:
        tree = run_git(directory, "ls-tree", "-z", commit, "./")
        objects: dict[str, bytes] = {}
        for mode, id_, path in read_tree(tree):
            name = os.fsdecode(path)
            if mode in REGULAR and is_counted(name) and not is_excluded(rules, name):
                objects[name] = id_
        with blob_reader(directory) as reader:
            contents = ((name, reader.read(id_)) for name, id_ in objects.items())
            hashes = {name: _hash(pieces) for name, pieces in contents if pieces is not None}
    except GitError:
        return None
    return hashes if len(hashes) == len(objects) else None


def _hash(pieces: Iterable[bytes]) -> str:
    sha = hashlib.sha256()
    for piece in pieces:
        sha.update(piece)
    return sha.hexdigest()


STATES = ("fresh", "stale", "missing", "invalid")


class ScopeStatus(NamedTuple):
    """The state of one scope."""

    scope: str
    state: str
    """One of `STATES`."""
    summary: str = ""
    last_updated: str = ""
    changes: FileChanges = FileChanges()
    """The changes of a stale scope."""
    reasons: tuple[str, ...] = ()
    """The faults of an invalid context; for a stale scope, the files that cannot be read."""

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON values, without empty ones."""
        changes = self.changes._asdict()
        values = {
            "scope": self.scope,
            "state": self.state,
            "summary": self.summary,
            "last_updated": self.last_updated,
            **{name: list(changes[name]) for name in ("added", "changed", "removed")},
            "reasons": list(self.reasons),
        }
        return {name: value for name, value in values.items() if value}


class ProjectStatus(NamedTuple):
    """The states of all scopes of a project, sorted by scope."""

    scopes: tuple[ScopeStatus, ...]

    @property
    def clean(self) -> bool:
        """Whether every scope has a fresh context."""
        return all(scope.state == "fresh" for scope in self.scopes)

    def count(self, state: str) -> int:
        """The number of scopes in a state."""
        return sum(scope.state == state for scope in self.scopes)

    def to_json(self) -> str:
        """The counts and the scopes, indented, with a newline at the end."""
        data: dict[str, Any] = {state: self.count(state) for state in STATES}
        data["scopes"] = [scope.as_dict() for scope in self.scopes]
        return _json(data) + "\n"


@gc_paused()
def status(project: ScopeProject) -> ProjectStatus:
    """The state of every scope, and of every other directory with a context.

    A directory that cannot be listed is invalid. Raises `OSError` if that is the root, `UsageError` if the
    project's settings are wrong.
    """
    scanned = scan(project)
    problems = scanned.problems()
    invalid = [ScopeStatus(scope, "invalid", reasons=(text,)) for scope, text in problems.items()]
    others = [scope_status(project, item) for item in scanned.reported if item.scope not in problems]
    return ProjectStatus(tuple(sorted([*others, *invalid], key=lambda item: item.scope)))


def scope_status(project: ScopeProject, directory: ScopeDirectory) -> ScopeStatus:
    """The state of one directory."""
    scope, path, listing = directory.scope, directory.path, directory.listing
    try:
        context = project.context(path, scope)
    except ContextMissing:
        return ScopeStatus(scope, "missing")
    except ScopeError as error:
        reasons = error.faults if isinstance(error, ContextCorrupt) else (str(error),)
        return ScopeStatus(scope, "invalid", reasons=reasons)
    verdict = freshness(context.fingerprint, path, listing, project.hashes)
    changes = (
        FileChanges()
        if verdict.fresh
        else find_changes(path, listing, project.rules_at(path), context, project.hashes)
    )
    unreadable = tuple(f"{name}: cannot be read" for name in verdict.unreadable)
    return ScopeStatus(scope, verdict.state, context.summary, context.last_updated, changes, unreadable)


class ScopeDocument(NamedTuple):
    """The context of a scope as a document of a cache."""

    id: str
    """The scope: `src/core`, `.` for the root."""
    title: str
    content: str
    """Markdown, with a heading for each part of the context."""


def scope_documents(project: ScopeProject) -> list[ScopeDocument]:
    """The valid contexts of a project, sorted by scope. They do not depend on paths outside it, nor on dates.

    Raises `OSError` if a directory cannot be listed or a context not be read, `UsageError` if the project's
    settings are wrong.
    """
    documents = []
    scanned = scan(project)
    scanned.require_whole()
    for directory in scanned.with_context:
        try:
            context = project.read(directory.path, directory.scope)
        except ScopeError:
            continue
        name = context.project.name if context.project else directory.scope
        title = name if directory.scope == "." else directory.scope
        documents.append(ScopeDocument(directory.scope, title, _markdown(title, context)))
    return documents


def _markdown(title: str, context: ContextFile) -> str:
    """A context as Markdown, without its metadata."""
    lines = [f"# {title}", "", context.summary]
    for heading, items in _lists(context):
        if items:
            lines += ["", f"## {heading}", "", *(f"- {item}" for item in items)]
    return "\n".join(lines) + "\n"


def _lists(context: ContextFile) -> Iterator[tuple[str, list[str]]]:
    """(heading, items) of the parts of a context, the most important first."""
    yield "Files", [f"{file.name}: {file.purpose}" for file in context.files]
    yield "Subdirectories", [f"{below.name}: {below.summary}" for below in context.subdirectories]
    yield "Structure", [f"{part.path}: {part.summary}" for part in context.structure]
    yield "Interfaces", [f"{item.name}: {item.description}" for item in context.interfaces]
    yield "Exports", list(context.exports)
    yield "Decisions", [_sentence(item.what, item.why, item.tradeoff) for item in context.decisions]
    yield "Constraints", list(context.constraints)
    yield "Depends on", [*context.dependencies.internal, *context.dependencies.external]
    yield "Working", list(context.current_state.working)
    yield "Broken", list(context.current_state.broken)
    yield "In progress", list(context.current_state.in_progress)
    for heading in ("environment", "testing", "todos", "data_models", "events", "config"):
        yield heading.replace("_", " ").capitalize(), list(getattr(context, heading))


def _sentence(*parts: str) -> str:
    return ". ".join(part.rstrip(".") for part in parts if part) + "."
