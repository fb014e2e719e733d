"""A project's contexts as documents, so that a cache of them leads a query to directories."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .model import ScopeError
from .scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import ContextFile
    from .project import Project


class ScopeDocument(NamedTuple):
    """One scope."""

    id: str
    """The scope: `src/core`, `.` for the root."""
    title: str
    content: str
    """Markdown: what the directory is for, its files, what it offers, what was decided."""


def scope_documents(project: Project) -> list[ScopeDocument]:
    """The valid contexts of a project, sorted by scope. Nothing in them depends on place or date.

    `OSError` if a directory cannot be listed or a context not be read, `UsageError` if the project's settings
    are wrong.
    """
    documents = []
    found = scan(project)
    found.require_whole()
    for directory in found.kept:
        if not directory.listing.has_context:
            continue
        try:
            context = project.read(directory.path, directory.scope)
        except ScopeError:
            continue
        named = context.project.name if context.project else directory.scope
        title = named if directory.scope == "." else directory.scope
        documents.append(ScopeDocument(directory.scope, title, _markdown(title, context)))
    return documents


def _markdown(title: str, context: ContextFile) -> str:
    """A context as a page; metadata, which nobody searches for, is left out."""
    lines = [f"# {title}", "", context.summary]
    for heading, items in _lists(context):
        if items:
            lines += ["", f"## {heading}", "", *(f"- {item}" for item in items)]
    return "\n".join(lines) + "\n"


def _lists(context: ContextFile) -> Iterator[tuple[str, list[str]]]:
    """The parts of a context, most telling first."""
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
