"""What callers of the library hand over is judged, and a plain script can build."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.compile import ALONE, GivenText
from ctxcache.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["a"], r"sources\[0\]: str is no GivenText"),
        (5, "sources: neither a folder nor texts, but int"),
        ([GivenText("a", "", ""), GivenText("\ud800", "", "")], r"sources\[1\]\.id: lone surrogate U\+D800"),
        ([GivenText("a", "", "ab\udfff")], r"sources\[0\]\.content: lone surrogate U\+DFFF at offset 2"),
        ([GivenText("a", "", b"text")], r"sources\[0\]\.content: bytes is no str"),  # type: ignore[arg-type]
        ([GivenText(1, "", "")], r"sources\[0\]\.id: int is no str"),  # type: ignore[arg-type]
    ],
)
@pytest.mark.parametrize("profile", ["v0", "v2"])
def test_texts_that_no_cache_can_hold_are_refused(
    sources: Any, said: str, profile: str, tmp_path: Path
) -> None:
    """In one line that says which, and nothing is written."""
    with pytest.raises(UsageError, match=said):
        ctxcache.build(sources, tmp_path / "cache", config=BuildConfig(profile=profile))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("max_tokens", ["5", True, 4.5, None, 0])
def test_a_number_of_tokens_is_a_number(max_tokens: Any) -> None:
    with pytest.raises(UsageError, match=r"max_tokens: .* is not a positive number"):
        BuildConfig(max_tokens=max_tokens)


@pytest.mark.parametrize("choice", [{"tokenizer": "bytes4"}, {"split": "none"}, {"max_tokens": 9}])
def test_format_1_has_no_choice_of_splitting_or_tokenizer(choice: dict[str, Any]) -> None:
    """As on the command line and in a configuration."""
    with pytest.raises(UsageError, match=f"profile v0 .* leave out {next(iter(choice))}"):
        BuildConfig(profile="v0", **choice)


PLAIN_SCRIPT = """
import sys, threading, ctxcache
threading.Thread(target=threading.Event().wait, daemon=True).start()  # so that workers are not forked
print(ctxcache.build(sys.argv[1], sys.argv[2], config=ctxcache.BuildConfig(tokenizer="bytes4")).documents)
"""


def test_a_script_without_a_main_guard_can_build_much(tmp_path: Path) -> None:
    """Workers that are spawned run the script again, so a library does not start them unasked."""
    script, docs = tmp_path / "script.py", tmp_path / "docs"
    docs.mkdir()
    script.write_text(PLAIN_SCRIPT)
    for name in "ab":
        (docs / f"{name}.txt").write_text("word\n" * (ALONE // 8))
    command = [sys.executable, str(script), str(docs), str(tmp_path / "cache")]
    found = subprocess.run(command, capture_output=True, timeout=120)
    assert found.returncode == 0, found.stderr.decode()[-500:]
