"""Writing a context for the scopes that have none, from what their sources say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .clock import timestamp
from .files import write_atomically
from .fingerprint import content_fingerprint
from .generate.fields import context_fields, derive
from .generate.survey import Survey
from .listing import CONTEXT_NAME
from .model import ContextFile
from .scan import scan
from .yaml_write import dump

if TYPE_CHECKING:
    from datetime import datetime

    from .project import Project


class Written(NamedTuple):
    """A context that was written."""

    scope: str
    summary: str


class InitReport(NamedTuple):
    """What an init did."""

    written: tuple[Written, ...]
    kept: tuple[str, ...]
    """Scopes that had a context."""
    skipped: int
    """Directories with sources that the threshold leaves out."""


def init(project: Project, *, full: bool = False, now: datetime) -> InitReport:
    """Write a context for each scope that has none, dated `now`; existing files are never touched.

    `OSError` if the root cannot be listed or a file not be written, `UsageError` if the settings are wrong.
    """
    found = scan(project)
    survey = Survey(project, found)
    written, kept = [], []
    for directory in found.eligible:
        if directory.listing.has_context:
            kept.append(directory.scope)
            continue
        derived = derive(survey, directory.scope, full=full)
        fingerprint = content_fingerprint(directory.path, directory.listing.files, project.hashes)
        fields = context_fields(derived, scope=directory.scope, fingerprint=fingerprint, date=timestamp(now))
        context = ContextFile.model_validate(fields)
        write_atomically(f"{directory.path}/{CONTEXT_NAME}", dump(context.as_dict()).encode())
        written.append(Written(directory.scope, context.summary))
    return InitReport(tuple(written), tuple(kept), found.skipped)
