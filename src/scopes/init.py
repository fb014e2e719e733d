"""Writing a context for the scopes that have none, from what their sources say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..safeio import replace_bytes
from .clock import timestamp
from .fingerprint import content_fingerprint
from .generate.fields import context_fields, derive
from .generate.survey import Survey
from .listing import CONTEXT_NAME
from .model import ContextFile
from .scan import scan
from .store import MAX_BYTES
from .yaml import dump

if TYPE_CHECKING:
    from datetime import datetime

    from .project import Project
    from .scan import Directory


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
        fields = _fields(survey, directory, full=full, now=now)
        if len(dump(fields)) > MAX_BYTES // 2:  # it must stay readable, also in bytes
            fields = _fields(survey, directory, full=False, now=now)
        replace_bytes(Path(directory.path, CONTEXT_NAME), dump(fields).encode())
        written.append(Written(directory.scope, fields["summary"]))
    return InitReport(tuple(written), tuple(kept), found.skipped)


def _fields(survey: Survey, directory: Directory, *, full: bool, now: datetime) -> dict[str, Any]:
    """A whole context, in the order of the model."""
    derived = derive(survey, directory.scope, full=full)
    files, hashes = directory.listing.files, survey.project.hashes
    fingerprint = content_fingerprint(directory.path, files, hashes)
    fields = context_fields(derived, scope=directory.scope, fingerprint=fingerprint, date=timestamp(now))
    return ContextFile.model_validate(fields).as_dict()
