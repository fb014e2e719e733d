"""The garbage collector is off while a project is read, and never longer."""

from __future__ import annotations

import gc
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from ctxcache.garbage import gc_paused

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Leave the collector as other tests expect it."""
    yield
    gc.enable()


def test_it_is_on_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="bad"), gc_paused():
        assert not gc.isenabled()
        raise ValueError("bad")
    assert gc.isenabled()


def test_whoever_switched_it_off_finds_it_off() -> None:
    gc.disable()
    with gc_paused():
        pass
    assert not gc.isenabled()


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_calls_that_overlap_leave_it_on(first_to_end: int) -> None:
    """As two threads do that begin and end in any order."""
    calls = [ExitStack(), ExitStack()]
    for call in calls:
        call.enter_context(gc_paused())
    calls[first_to_end].close()
    assert not gc.isenabled(), "one still reads"
    calls[1 - first_to_end].close()
    assert gc.isenabled()
