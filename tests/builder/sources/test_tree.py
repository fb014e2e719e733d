"""Sources behind a URL are those of a folder, whatever store has them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]  # it has no types
import pytest
from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]  # as above

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder.report import SourceError
from ctxcache.builder.sources.source_filter import Rules
from ctxcache.builder.sources.tree import label_of
from ctxcache.builder.sources.walk import walk
from ctxcache.errors import IoError, UsageError

Tree = Callable[..., Path]

FILES = {
    "a.md": "# A\n\nThe first page.\n",
    "guide/b.rst": "B\n=\n\nAnother one.\n",
    "guide/.gitignore": "drafts/\n",
    "guide/drafts/c.md": "not yet",
    "empty.md": "",
    "logo.png": b"\x89PNG\0",
    "old/manifest.json": b'{"profile":"v0"}',
    "über/ä b.md": "A page with a name.\n",
}


@pytest.fixture
def memory() -> Iterator[MemoryFileSystem]:
    """A store of this process, holding `FILES` at `memory://shelf/docs`."""
    store = MemoryFileSystem()
    for name, content in FILES.items():
        store.pipe(f"/shelf/docs/{name}", content.encode() if isinstance(content, str) else content)
    yield store
    store.rm("/shelf", recursive=True)


class Refusing(MemoryFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A store whose library raises errors of its own, and that may list what no file is called."""

    protocol = "refusing"
    store: dict[str, Any] = {}  # where its base keeps files
    pseudo_dirs = [""]
    odd: list[str] = []

    @classmethod
    def _strip_protocol(cls, path: str) -> Any:
        return super()._strip_protocol(path.replace("refusing://", "memory://"))

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        if path.endswith("secret.md") and mode == "rb":
            raise RuntimeError("no token\x1b[2J")
        return super()._open(path, mode, **options)

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        """With itself, as some stores do, and odd names."""
        listed = super().ls(path, detail=detail, **options)
        odd = [{"name": f"{path}/{name}", "type": "file", "size": 0} for name in self.odd]
        return [{"name": f"{path}/", "type": "directory", "size": 0}, *listed, *odd]


@pytest.fixture
def refusing() -> Iterator[Refusing]:
    """Two files, of which one cannot be read."""
    fsspec.register_implementation("refusing", Refusing, clobber=True)
    store = Refusing()
    store.pipe("/docs/a.md", b"a page")
    store.pipe("/docs/secret.md", b"another")
    yield store
    store.rm("/docs", recursive=True)


def test_a_folder_behind_a_url_is_walked_like_one_of_a_disk(tree: Tree, memory: MemoryFileSystem) -> None:
    here, there = walk(tree(FILES)), walk("memory://shelf/docs")
    assert [(file.id, file.size) for file in there.files] == [(file.id, file.size) for file in here.files]
    assert there.skipped == here.skipped


@pytest.mark.parametrize("url", ["memory://shelf/docs", "memory://shelf/docs/"])
def test_a_cache_has_the_bytes_of_one_from_a_folder(
    tree: Tree, memory: MemoryFileSystem, tmp_path: Path, url: str
) -> None:
    config = BuildConfig(tokenizer="bytes4", rules=Rules(exclude=("empty.md",)))
    ctxcache.build(tree(FILES), tmp_path / "here", config=config)
    ctxcache.build(url, tmp_path / "there", config=config)
    here, there = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("here", "there")
    )
    assert here == there


def test_what_a_store_refuses_fails_the_build_in_plain_words(refusing: Refusing, tmp_path: Path) -> None:
    """Not with an error of its library, and not with its control characters."""
    with pytest.raises(IoError, match=r"secret\.md: unreadable") as raised:
        ctxcache.build("refusing://docs", tmp_path / "cache")
    assert "\x1b" not in str(raised.value)
    report = ctxcache.build("refusing://docs", tmp_path / "cache", skip_unreadable=True)
    assert (report.documents, [item.path for item in report.skipped]) == (1, ["secret.md"])


def test_what_no_file_can_be_called_is_named_and_skipped(
    refusing: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them costs another file its place, or is lost without a word."""
    monkeypatch.setattr(Refusing, "odd", ["..", ".", "/", "a\0b.md", "\ud800.md", "\udcff.md"])
    found = walk("refusing://docs")
    assert [file.id for file in found.files] == ["a.md", "secret.md"]
    no_name, no_text = "not a name that a file can have", "name is not UTF-8"
    assert {(item.path, item.rule, item.fault) for item in found.skipped} == {
        ("", no_name, True),
        (".", no_name, True),
        ("..", no_name, True),
        ("a\0b.md", no_name, True),
        (r"\xed\xa0\x80.md", no_text, True),
        (r"\xff.md", no_text, True),
    }


def test_what_cannot_be_opened_is_wrong_usage(tmp_path: Path, memory: MemoryFileSystem) -> None:
    with pytest.raises(UsageError, match="unknown-store"):
        ctxcache.build("unknown-store://docs", tmp_path / "cache")
    with pytest.raises(SourceError, match="memory://shelf/none: no such folder"):
        ctxcache.build("memory://shelf/none", tmp_path / "cache")


def test_the_command_replaces_what_it_has_built_from_there(tree: Tree, tmp_path: Path) -> None:
    """And nothing else."""
    source, project = tree(FILES), tmp_path / "project"
    project.mkdir()

    def build(sources: str, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ctxcache", "build", sources, "-c", "made", *options]
        return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)

    assert build(source.as_uri()).returncode == 0
    (source / "a.md").write_text("The first page, written anew.\n", encoding="utf-8")
    assert build(source.as_uri()).returncode == 0
    documents = {one.id: one.content for one in ctxcache.open_cache(project / "made").documents()}
    assert documents["a.md"] == "The first page, written anew.\n"
    other = build((source / "guide").as_uri())
    assert (other.returncode, "--force" in other.stderr) == (1, True)
    assert build(source.as_uri(), "--watch").returncode == 1


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_a_link_behind_a_url_is_not_followed(tree: Tree, tmp_path: Path) -> None:
    source = tree({"a.md": "a"})
    (tmp_path / "outside.md").write_text("outside", encoding="utf-8")
    (source / "link.md").symlink_to(tmp_path / "outside.md")
    found = walk(source.as_uri())
    assert [file.id for file in found.files] == ["a.md"]
    assert [(item.path, item.rule) for item in found.skipped] == [("link.md", "symbolic link, not followed")]


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("s3://bucket/docs/", "s3://bucket/docs/"),
        ("ftp://u:p@host/a", "ftp://…@host/a"),
        ("ftp://u:p/q@host/a", "ftp://…@host/a"),
        ("ftp://u:p?q@host/a", "ftp://…"),
        ("http://host/a?x=y@z", "http://…"),
        ("http://u:p@host/a?x=y@z", "http://…@host/a?…"),
        ("/home/u@host/docs", "/home/u@host/docs"),
    ],
)
def test_a_label_holds_nothing_that_lets_in(url: str, label: str) -> None:
    assert label_of(url) == label


LINK = b'<a href="long.md">'
LONG = b"# Long\n\n" + b"A line of a long page.\n" * 30_000


class Pages(BaseHTTPRequestHandler):
    """A server of pages whose length it does not say, and of a folder that is listed in itself.

    In `/home` it has a page for whatever it lacks.
    """

    def do_GET(self) -> None:
        """Answer with a page, a folder, or nothing."""
        folder, _, name = self.path.rpartition("/")
        links = {"/docs": LINK, "/home": LINK, "/loop": b'<a href="loop/">'}.get(f"/{name}") or (
            b'<a href="loop/">' if folder.endswith("loop") and not name else b""
        )
        sorry = b"<!DOCTYPE html>\n*\n" if folder == "/home" else b""
        content = links or (LONG if name == "long.md" else sorry)
        self.send_response(200 if content else 404)
        self.send_header("Content-Type", "text/html" if links else "text/plain")
        self.end_headers()  # the end of the connection is that of the page
        self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815 - as its base class names it

    def log_message(self, *_: Any) -> None:
        """Nothing is written."""


@pytest.fixture
def host() -> Iterator[str]:
    """The address of a server of `Pages`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_page_that_comes_in_pieces_is_read_to_its_end(host: str, tmp_path: Path) -> None:
    """A read of a stream gives what has come so far."""
    ctxcache.build(f"http://{host}/docs", tmp_path / "cache", config=BuildConfig(split="none"))
    (document,) = ctxcache.open_cache(tmp_path / "cache").documents()
    assert document.content.encode() == LONG


def test_a_page_in_the_place_of_ignore_rules_is_none_and_told_once(host: str) -> None:
    """Many a host answers so for whatever it lacks; `*` in it keeps nothing out."""
    found = walk(f"http://{host}/home")
    assert [file.id for file in found.files] == ["long.md"]
    (warning,) = found.warnings
    assert str(warning).startswith("warning: .gitignore: the store answers with a page of HTML")


def test_a_folder_that_is_listed_in_itself_ends_the_walk(host: str, tmp_path: Path) -> None:
    with pytest.raises(IoError, match=r"(loop/){100}: unreadable \(ENAMETOOLONG\)"):
        ctxcache.build(f"http://{host}/loop", tmp_path / "cache")


@pytest.mark.parametrize(
    "url",
    [
        "http://user:SECRET@127.0.0.1:1/docs",
        "http://user:SECRET@{host}/none",
        "http://user:SECRET@{host}/docs/",
        "http://{host}/none?token=SECRET",
        "ftp://user:SECRET@127.0.0.1:1/docs",
        "http://user:pass/SECRET@127.0.0.1:1/docs",
        "http://user:pass?SECRET@127.0.0.1:1/docs",
        "http://user:pass SECRET@127.0.0.1:1/docs",
        "http://{host}/none?mail=a@SECRET",
        "ftp://user:pass/SECRET@127.0.0.1:1/docs",
        "unknown-store://SECRET@somewhere/docs",
        "unknown-store://user:SECRET@somewhere",
    ],
)
def test_what_a_url_lets_in_is_told_and_written_nowhere(host: str, tmp_path: Path, url: str) -> None:
    """No message, no file name, no record, no report and no cache holds it."""
    command = [sys.executable, "-m", "ctxcache", "build", url.format(host=host), "--report", "report.json"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "SECRET" not in ran.stdout + ran.stderr
    assert ran.returncode == 0 or ran.stderr.startswith("error: ")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any("SECRET" in str(path) or b"SECRET" in path.read_bytes() for path in files)
