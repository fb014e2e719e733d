"""Bytes become text without a guess, and nothing but a regular file is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxcache.builder.report import Skipped
from ctxcache.builder.sources.decode import SourceText, read_text
from ctxcache.builder.sources.source_filter import SourceFile


def read(root: Path, name: str = "x.md", limit: int = 1000) -> SourceText | Skipped:
    """Read one file as if a walk had found it."""
    return read_text(SourceFile(name, os.fsencode(root), os.fsencode(name), 0, 0), max_file_bytes=limit)


def rule(root: Path, name: str = "x.md", limit: int = 1000) -> str:
    """The rule by which a file is skipped."""
    skipped = read(root, name, limit)
    assert isinstance(skipped, Skipped) and skipped.fault
    return skipped.rule


@pytest.mark.parametrize(
    "text", ["", "x", "\ufffd", "a\r\nb\rc\n", "\t\x1b[0m", "日本語 \U0001f600\n", "\x85\u2028"]
)
def test_valid_utf8_is_text_to_the_byte(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.md").write_bytes(text.encode())
    assert read(tmp_path) == SourceText(text, "utf-8")


@pytest.mark.parametrize(
    ("mark", "codec", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8-sig"),
        (b"\xff\xfe", "utf-16-le", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be", "utf-16-be"),
        (b"\xff\xfe\x00\x00", "utf-32-le", "utf-32-le"),
        (b"\x00\x00\xfe\xff", "utf-32-be", "utf-32-be"),
    ],
)
@pytest.mark.parametrize("text", ["", "Grüße\r\n\U0001f600"])
def test_a_byte_order_mark_decides(tmp_path: Path, mark: bytes, codec: str, encoding: str, text: str) -> None:
    (tmp_path / "x.md").write_bytes(mark + text.encode(codec))
    assert read(tmp_path) == SourceText(text, encoding)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"ab\0c", "binary (NUL byte at offset 2)"),
        ("ab".encode("utf-16-le"), "binary (NUL byte at offset 1)"),
        ("Grüße".encode("latin-1"), "not UTF-8 (byte 0xFC at offset 2)"),
        ("äöüß".encode("latin-1"), "not UTF-8 (byte 0xE4 at offset 0)"),
        ("“quoted”".encode("cp1252"), "not UTF-8 (byte 0x93 at offset 0)"),
        (b"\xef\xbb\xbfok\xff", "not UTF-8 (byte 0xFF at offset 5)"),
        (b"cut \xe6\x97", "not UTF-8 (byte 0xE6 at offset 4)"),
        (b"\xed\xa0\x80", "not UTF-8 (byte 0xED at offset 0)"),
        (b"\xff\xfea", "not UTF-16 (byte 0x61 at offset 2)"),
        (b"\xff\xfe\x00\xd8a\x00", "not UTF-16 (byte 0x00 at offset 2)"),
        (b"\xff\xfea\x00\x00\x00", "binary (NUL character in utf-16-le)"),
    ],
)
def test_what_is_no_text_is_named_with_its_place(tmp_path: Path, data: bytes, why: str) -> None:
    """Never guessed: Latin-1 read as UTF-16 would give Chinese-looking text."""
    (tmp_path / "x.md").write_bytes(data)
    assert rule(tmp_path) == why


def test_the_size_limit_holds_when_a_file_has_grown(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"x" * 1000)
    assert isinstance(read(tmp_path), SourceText)
    (tmp_path / "x.md").write_bytes(b"x" * 1001)
    assert rule(tmp_path) == "larger than 1000 bytes"


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "x.md").symlink_to("secret")
    assert rule(tmp_path) == "symbolic link, not followed"


def test_a_folder_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "x.md").write_text("secret")
    (root / "a").symlink_to(tmp_path)
    assert rule(root, "a/x.md") == "vanished while the folder was read"


def test_a_file_that_became_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.md")
    assert rule(tmp_path) == "not a regular file"


def test_a_file_that_became_a_folder_or_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.md").mkdir()
    assert rule(tmp_path) == "not a regular file"
    assert rule(Path("/dev"), "zero") == "not a regular file"


def test_a_file_that_vanished_is_reported(tmp_path: Path) -> None:
    assert rule(tmp_path) == "vanished while the folder was read"


def test_an_unreadable_file_is_reported(unprivileged: Path) -> None:
    (unprivileged / "x.md").write_text("x")
    (unprivileged / "x.md").chmod(0)
    assert rule(unprivileged) == "unreadable (permission denied)"
