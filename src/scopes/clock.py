"""The one place that asks for the time: `last_updated` is the only date that is ever written."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from ..errors import UsageError


def now() -> datetime:
    """The current time, or that of `SOURCE_DATE_EPOCH` (seconds since 1970) for reproducible files."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError("SOURCE_DATE_EPOCH is not a number of seconds: correct or unset it") from None


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds: `2026-02-13T10:00:00.000Z`."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def parse_timestamp(text: str) -> datetime | None:
    """The time that a `last_updated` states, None if it states none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
