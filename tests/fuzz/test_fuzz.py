"""A fuzzing target for each parser of what others write.

`make test` tries each for a second or so, by hypothesis. For longer, with a guide by coverage, and atheris
installed: `python tests/fuzz/test_fuzz.py TARGET [-max_total_time=3600] [options of libFuzzer]`.
"""

from __future__ import annotations

import functools
import sys
import tarfile
import tempfile
import tomllib
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxcache
from ctxcache.errors import CacheInvalid, CtxError, InvalidQuery, UsageError
from ctxcache.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable


@functools.cache
def token_counter() -> Any:
    """What counts tokens at no cost."""
    from ctxcache.text import token_counter as of

    return of("bytes4")


SERVER = {"command": "ctx", "args": ["serve"]}


def splits(kind: str, text: str) -> None:
    """The sections of a file, joined, are the file; each but the first starts at a heading, in order."""
    from ctxcache.builder.splitting import split, title

    sections = split(text, kind=kind, max_tokens=8, counter=token_counter())
    assert "".join(section.text for section in sections) == text
    assert [section.line for section in sections] == sorted(section.line for section in sections)
    assert len({section.slug for section in sections}) == len(sections)
    assert title(text, kind=kind, id="a/b.md")


def hard_cut(text: str) -> None:
    """The pieces of a block, joined, are the block; only what cannot be cut exceeds the limit."""
    from ctxcache.builder.splitting.hard_cut import hard_cut as cut

    text += "."  # a block holds something
    pieces = cut(text, 0, len(text), first_line=1, limit=6, counter=token_counter())
    assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]
    assert (pieces[0].start, pieces[-1].end) == (0, len(text))
    assert all("\n" not in piece.label for piece in pieces)


def findings(text: str) -> None:
    """What an author is told of stands in a line of the text, on one line."""
    from ctxcache.builder.splitting.findings import findings as found_in

    for kind in ("markdown", "mdx", "rst", "asciidoc", "org", "text"):
        found = found_in(text, kind)
        assert [each.line for each in found] == sorted(each.line for each in found)
        assert all(1 <= each.line <= text.count("\n") + 1 and "\n" not in each.detail for each in found)


def pasted(text: str) -> None:
    """Each character is told of or none, and what is left of a pasted error is still a query."""
    from ctxcache.text.pasted import pasted as kinds

    assert len(kinds(text)) in (0, len(text))
    query(text)


def alternatives(text: str) -> None:
    """The first `also:` ends a query's own words; the query as given stands in the answer."""
    for asked in (text, f"roll back\n also: {text}", f"also:{text}"):
        query(asked)


def judged_queries(text: str) -> None:
    """Queries, judgements and corpora are read, or refused in a sentence that names the line."""
    from ctxcache.builder.inputs import read_corpus
    from ctxcache.resolver.evaluate import ndcg, read_qrels, read_queries

    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "lines.jsonl"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        refused_in_a_line(lambda: read_queries(file))
        refused_in_a_line(lambda: read_corpus(file))
        for judged in (refused_in_a_line(lambda: read_qrels(file)) or {}).values():
            assert 0 <= ndcg(list(judged), judged) <= 1


def build_record(text: str) -> None:
    """A record of a build is one of this very cache, or it is none."""
    from ctxcache.builder.incremental import read_record

    data = text.encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "record"
        for written in (data, sha256(data).hexdigest().encode() + b"\n" + data):
            file.write_bytes(written)
            assert read_record(file, sample()) is None


def archive(text: str) -> None:
    """An archive is unpacked below its directory, or refused and leaves nothing."""
    from ctxcache.cache.pack import unpack

    with tempfile.TemporaryDirectory() as name:
        file, target = Path(name) / "cache.tar", Path(name) / "below" / "cache"
        file.write_bytes(tar_of(text))
        refused_in_a_line(lambda: unpack(file, target, None, lambda _: None))
        below = {path for path in Path(name).rglob("*") if path.is_file()} - {file}
        assert all(path.is_relative_to(target) and not path.is_symlink() for path in below)


def tar_of(text: str) -> bytes:
    """An archive whose members are the lines of a text: kind, name, content; what is left of it is damage."""
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for line in text.split("\n")[:20]:
            kind, _, rest = line.partition("\t")
            name, _, content = rest.partition("\t")
            member = tarfile.TarInfo(name)
            member.type = kind[:1].encode("latin-1", "replace") or tarfile.REGTYPE
            member.linkname = content
            data = content.encode("utf-8", "surrogatepass")
            member.size = len(data)
            archive.addfile(member, BytesIO(data))
    damaged = bytearray(out.getvalue())
    for number, character in enumerate(text.rpartition("\n")[2]):
        damaged[(ord(character) * 31 + number * 512) % len(damaged)] = ord(character) & 0xFF
    return bytes(damaged)


def refused_in_a_line(call: Callable[[], Any]) -> Any:
    """What a call returns; None where it refuses, as the program does, in one line."""
    try:
        return call()
    except CtxError as error:
        assert "\n" not in visible(str(error))
        return None


def front_matter(text: str) -> None:
    """Text to text, and an end that lies in the file."""
    from ctxcache.builder.sources.front_matter import front_matter as read

    found = read(text)
    assert 0 <= found.end <= len(text)
    assert all(type(part) is str for pair in found.metadata.items() for part in pair)


def source_bytes(text: str) -> None:
    """Bytes of any encoding become a text or a reason."""
    from ctxcache.builder.sources.decode import decode

    for data in (text.encode("utf-8", "surrogatepass"), text.encode("utf-16", "surrogatepass")):
        found = decode(data)
        if not isinstance(found, str):
            found.text.encode("utf-8")


def ignore_file(text: str) -> None:
    """Any line is a pattern or none, and matching any path ends."""
    from ctxcache.builder.sources.gitignore import PatternList
    from ctxcache.patterns import parse

    lines = text.encode("utf-8", "surrogateescape").split(b"\n")
    read = [
        (str(number), pattern) for number, line in enumerate(lines, 1) if (pattern := parse(line, number))
    ]
    patterns = PatternList(read)
    for path in (b"a", b"a/b", b"docs/a b.md", b"*", *lines[:3]):
        patterns.match(path, path.rpartition(b"/")[2], is_dir=False)


def yaml(text: str) -> None:
    """A `.context.yaml` is read or refused, and what is read has no more in it than was written."""
    from ctxcache.yamlio import YamlError, load

    try:
        value = load(text)
    except YamlError as error:
        assert "\n" not in str(error)
    else:
        assert len(repr(value)) <= 60 * len(text) + 1000


def configuration(text: str) -> None:
    """A `ctx.toml` is read or refused in lines that name it."""
    from ctxcache.project.project import load_project

    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "ctx.toml"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            load_project(file)
        except UsageError as error:
            assert str(error)


def saved_test(text: str) -> None:
    """A saved test is the one difference, or the file is refused."""
    from ctxcache.project.edits import EditError, with_test

    test = {"cache": "docs", "query": "how", "expect": ["a.md"]}
    try:
        before = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    try:
        after = tomllib.loads(with_test(text, (), test))
    except EditError:
        return
    assert after.pop("tests")[-1] == test
    before.pop("tests", None)
    assert repr(after) == repr(before)


def client_toml(text: str) -> None:
    """An entry that is put in and taken out again leaves what the file says; both or neither are refused."""
    from ctxcache.server.install import toml_tables

    client_edit(toml_tables, text, tomllib.loads)


def client_json(text: str) -> None:
    """The same for JSON with comments."""
    from ctxcache.server.install import jsonc

    client_edit(jsonc, text, jsonc.read)


def client_edit(edits: Any, text: str, read: Callable[[str], Any]) -> None:
    """Put an entry in and take it out again."""
    path = ("servers", "ctxcache")
    try:
        before = read(text)
        new = edits.put(text, path, SERVER)
    except (ValueError, RecursionError):
        return
    assert read(new)["servers"]["ctxcache"] == SERVER
    after = read(edits.remove(new, path))
    before.get("servers", {}).pop("ctxcache", None)
    assert repr({name: value for name, value in after.items() if name != "servers" or value}) == repr(
        {name: value for name, value in before.items() if name != "servers" or value}
    )


def manifest(text: str) -> None:
    """A manifest is read or refused as `cache_invalid`."""
    from ctxcache.cache.manifest import Manifest

    try:
        Manifest(text.encode("utf-8", "surrogatepass"), at="manifest.json")
    except CacheInvalid as error:
        assert "\n" not in str(error)


def index_header(text: str) -> None:
    """A header block is read or refused; its sections lie in the file."""
    from ctxcache.cache.format import BLOCK, Layout

    data = text.encode("latin-1", "replace")
    (index,) = sample().glob("index-*")
    header = bytearray(index.read_bytes()[:BLOCK])
    header[80 : 80 + len(data)] = data[: BLOCK - 80]
    try:
        layout = Layout.unpack(bytes(header))
    except ValueError:
        return
    assert all(BLOCK <= at <= at + length <= layout.pages for at, length in layout.sections.values())


def document_line(text: str) -> None:
    """A line is read or refused; what was read is written again as it stands for."""
    from ctxcache.cache.documents import Document

    try:
        document = Document.parse(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return
    again = Document.parse(document.line())
    assert again.line() == document.line()


def frame(text: str) -> None:
    """A line from a client is a message or is refused with an answer of one line."""
    from ctxcache.server.stdio.frames import RefusedFrame, decode, encode

    try:
        decode(text.encode("utf-8", "surrogatepass"))
    except RefusedFrame as refused:
        assert encode(refused.answer()).count(b"\n") <= 1


def query(text: str) -> None:
    """Any query is answered within its budget, or is no query."""
    cache = opened()
    try:
        result = cache.resolve(text, 300)
        cache.explain(text, 300).to_json().encode("utf-8")
    except InvalidQuery:
        return
    assert result.tokens_used <= 300
    assert all(0 <= document.score <= 1 for document in result.documents)
    result.to_json().encode("utf-8")


def document_pattern(text: str) -> None:
    """What a test expects is a pattern, whatever it is, and a folder stands for what lies in it."""
    from ctxcache.resolver.names import DocumentPattern

    pattern = DocumentPattern(text)
    pattern.matches(text)
    if pattern.matches("docs/x"):
        assert pattern.matches("docs/x/rollback.md#a-b")


REPO = Path(__file__).parents[2]


def sample() -> Path:
    """A sound cache."""
    return REPO / "sample_caches" / "handbook"


@functools.cache
def opened() -> ctxcache.Cache:
    """The sample, open."""
    return ctxcache.open_cache(sample())


MARKUP = (
    *(
        "# A\n",
        "## B\n",
        "A\n=\n",
        "B\n--\n",
        "- a\n",
        "  - b\n",
        "    code\n",
        "\tx\n",
        "> q\n",
        "```\n",
        "~~~\n",
    ),
    *(
        "<!--",
        "-->",
        "<pre>\n",
        "</pre>\n",
        "text\n",
        "\n",
        "a: b\n",
        "==",
        "== A\n",
        "----\n",
        "|===\n",
        ".. note::\n",
    ),
    *(
        "::\n",
        "* A\n",
        "** B\n",
        "#+BEGIN_SRC\n",
        "#+END_SRC\n",
        "`",
        "\\",
        "*",
        "1. x\n",
        "\r\n",
        "\r",
        "[a]: b\n",
        "é",
    ),
)
YAML = (
    *(
        "---\n",
        "...\n",
        "a: ",
        "- ",
        "  ",
        "\n",
        '"',
        "'",
        "\\U0010ffff",
        "\\Uffffffff",
        "|\n",
        ">\n",
        "&a ",
        "*a",
        "!!",
        "?",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        ",",
        "#",
        "version: 1\n",
        "summary: ",
        "1.10",
        "0x1F",
        "yes",
        "2020-01-01",
        "~",
        "\t",
        "é",
    ),
)
TOML = (
    *(
        "[a]\n",
        "[[tests]]\n",
        "[servers]\n",
        "[servers.ctxcache]\n",
        "a = 1\n",
        'b = "x"\n',
        "c = [\n",
        "]\n",
        "d = {",
        "}\n",
    ),
    *(
        "# c\n",
        "nan",
        "inf",
        " = ",
        '"""',
        "'''",
        "tests = [",
        "a.b = 1\n",
        "\n",
        "\r\n",
        "servers = ",
        "\\",
        "é",
        "1979-05-27",
    ),
)
JSON = (
    *(
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"',
        '"a"',
        '"servers"',
        '"ctxcache"',
        "1",
        "-0",
        "1e999",
        "NaN",
        "null",
        "true",
    ),
    *(
        "// c\n",
        "/* c */",
        "\n",
        "  ",
        "\\ud800",
        "\\u0000",
        "\ufeff",
        "é",
        '{"jsonrpc":"2.0",',
        '"id":1,',
        '"method":"x"',
    ),
)
PASTED = (
    "Traceback (most recent call last):\n",
    '  File "/a/b.py", line 1, in f\n',
    "    at a.b(c.js:1:2)\n",
    "goroutine 1 [running]:\n",
    "main.f(0x0)\n\t/a/b.go:1 +0x1\n",
    "   0: std::a\n",
    "2020-01-01T00:00:00Z",
    "0x7fff0000",
    "/usr/lib/a/b",
    "C:\\a\\b",
    "123e4567-e89b-12d3-a456-426614174000",
)
TARGETS: dict[str, tuple[Callable[[str], None], tuple[str, ...]]] = {
    **{
        kind: (functools.partial(splits, kind), MARKUP)
        for kind in ("markdown", "mdx", "rst", "asciidoc", "org", "text")
    },
    "hard_cut": (
        hard_cut,
        (
            "| a | b |\n",
            "|---|---|\n",
            "- a\n",
            "1. b\n",
            "word ",
            ". ",
            "。",
            "data:image/png;base64,",
            "A" * 40,
            "\n",
            "  ",
            '"',
            ")",
            "!",
            "é",
        ),
    ),
    "findings": (
        findings,
        (
            "{{#include a.md}}",
            '--8<-- "a"',
            "{* a *}",
            "{!a!}",
            "[!include[a](b)]",
            "[!code-c[a](b)]",
            "\n",
            "\\",
            "```{include} a\n",
            ".. include:: a\n",
            "include::a[",
            '#+include: "a"\n',
            "data:a/b,",
            "x" * 401,
            "{",
        ),
    ),
    "pasted": (pasted, (*PASTED, "\n", "deploy", " ", "\t", "(", ")", ":", "12")),
    "alternatives": (
        alternatives,
        ("also:", "ALSO:", "\n", "\r", ";", "|", " ", "\t", "roll", "back", "deploy", "é", "-", "--force"),
    ),
    "judged_queries": (
        judged_queries,
        (
            '{"_id": "1", "text": "a"}\n',
            '{"_id": "1", "title": 5}\n',
            "1\ta.md\t1\n",
            "\t",
            "-",
            "9" * 400,
            "\n",
            "query-id\tcorpus-id\tscore\n",
            "[" * 60,
            *JSON[:9],
            "\ufeff",
            "\ud800",
            "²",
        ),
    ),
    "build_record": (
        build_record,
        (*JSON, '"of":', '"documents":', '"skipped":', '"warned":', '"findings":'),
    ),
    "archive": (
        archive,
        (
            "0\t",
            "\t",
            "\n",
            "manifest.json",
            "../a",
            "/etc/a",
            "documents/",
            "a" * 120,
            "L\t",
            "x\t",
            "S\t",
            "2\t",
            "K\t",
            "V\t",
            "g\t",
            "5\t",
            ".",
            "..",
            "12 path=../x\n",
            "99999999 path=a\n",
            "\x00",
            "ÿ",
        ),
    ),
    "front_matter": (front_matter, (*YAML, *TOML, "+++\n")),
    "source_bytes": (source_bytes, (*MARKUP, "\0", "\ufeff", "\ud800")),
    "ignore_file": (
        ignore_file,
        ("*", "**", "/", "!", "\\", "[", "]", "[a-z]", "[[:alpha:]]", "?", "a", " ", "\n", "#"),
    ),
    "yaml": (yaml, YAML),
    "configuration": (configuration, (*TOML, "[caches.docs]\n", 'sources = "docs"\n', "include = [")),
    "saved_test": (saved_test, TOML),
    "client_toml": (client_toml, TOML),
    "client_json": (client_json, JSON),
    "manifest": (manifest, (*JSON, (sample() / "manifest.json").read_text("utf-8"))),
    "index_header": (index_header, ("\0", "\x01", "\xff", "\0" * 7, "\x10", "\x40", "\0\0\0\x80")),
    "document_line": (
        document_line,
        (*JSON, *(f'"{name}":' for name in ("id", "version", "content", "origin"))),
    ),
    "frame": (frame, JSON),
    "query": (
        query,
        ("deploy", "roll back", " ", "also:", "\n", "--dry-run", "v2.10.1", "C++", "日本", "É", "a" * 70),
    ),
    "document_pattern": (
        document_pattern,
        ("*", "**", "/", "?", "a", ".md", "#", "[", "\\", "!", " ", "docs/"),
    ),
}
"""For each parser its target, and pieces from which interesting texts are made."""


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_holds_what_its_target_says(name: str) -> None:
    """Read, or refused as it refuses; nothing else, whatever was written."""
    target, pieces = TARGETS[name]
    texts = st.lists(st.sampled_from(pieces) | st.text(max_size=8), max_size=30).map("".join)

    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(texts)
    def holds(text: str) -> None:
        target(text)

    holds()


def fuzz(name: str, options: list[str]) -> None:
    """Fuzz one target by atheris until it fails or its time is over."""
    import atheris  # type: ignore  # for long runs alone: nobody needs it installed to develop

    target, pieces = TARGETS[name]
    words = tempfile.NamedTemporaryFile("w", suffix=".dict", encoding="ascii")  # noqa: SIM115 - libFuzzer reads it
    for piece in pieces:
        data = piece.encode("utf-8", "surrogatepass")[:60]
        words.write('"' + "".join(f"\\x{byte:02x}" for byte in data) + '"\n')
    words.flush()

    def one(data: bytes) -> None:
        target(data.decode("utf-8", "surrogateescape" if data[:1] < b"\x40" else "replace"))

    with atheris.instrument_imports(include=["ctxcache"]):
        target("")  # loads what it tries
    atheris.Setup([sys.argv[0], f"-dict={words.name}", "-timeout=20", "-rss_limit_mb=4096", *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    fuzz(sys.argv[1], sys.argv[2:])
