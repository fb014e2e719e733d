"""A fuzzing target for each parser of what others write.

`make test` tries each for a second or so, by hypothesis, with texts made of the pieces in `pieces.json`.
`make fuzz` tries each for long, guided by coverage (see `gauntlet/fuzz.py`); `python tests/fuzz/test_fuzz.py
TARGET FILE` tries the text of one file, and takes other options of libFuzzer.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxcache
from ctxcache.errors import CacheInvalid, CtxError, InvalidQuery, UsageError
from ctxcache.text.display import escape_control

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
    from ctxcache.builder.splitting.sections import split, title

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
    """A record of a build is one of this very cache with fields of the right kinds, or it is none."""
    from ctxcache.builder.incremental import read_record

    plain = text.encode("utf-8", "surrogatepass")
    fields = b"".join((b'{"of":', json.dumps(record_stamp()).encode(), b",", plain))
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "record"
        for data in (plain, fields):
            file.write_bytes(sha256(data).hexdigest().encode() + b"\n" + data)
            record = read_record(file, sample())
            if record is not None:
                digests = [*record.documents.items(), *record.skipped.items()]
                assert all(type(each) is str for pair in digests for each in pair)
            file.write_bytes(data)
            assert read_record(file, sample()) is None


@functools.cache
def record_stamp() -> list[str]:
    """What a record of the sample must begin with."""
    from ctxcache.builder.incremental import _stamp

    return _stamp(sample())


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
        assert "\n" not in escape_control(str(error))
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
    """A `ctx.toml`, or a file of tests, is read or refused in lines that name it."""
    from ctxcache.project.edits import read_tests
    from ctxcache.project.project import load_project
    from ctxcache.scopes.listing import read_settings

    with tempfile.TemporaryDirectory() as name:
        for each in ("ctx.toml", "tests.toml", "pyproject.toml"):
            (Path(name) / each).write_bytes(text.encode("utf-8", "surrogatepass"))
        for call in (
            lambda: load_project(Path(name) / "ctx.toml"),
            lambda: load_project(Path(name) / "pyproject.toml"),
            lambda: read_tests(Path(name) / "tests.toml"),
            lambda: read_settings(Path(name)),
        ):
            try:
                call()
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


def updated_test(text: str) -> None:
    """A test that is brought up to date is the one difference, or the file is refused."""
    from ctxcache.project.edits import EditError, with_updates

    text = f'[[tests]]\ncache = "docs"\nquery = "how"\nexpect = ["a.md"]\n{text}'
    try:
        before = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    try:
        after = tomllib.loads(with_updates(text, (), {0: {"expect": ["b.md"], "any": None}}))
    except EditError:
        return
    before["tests"][0].pop("any", None)
    before["tests"][0]["expect"] = ["b.md"]
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


def context_file(text: str) -> None:
    """A `.context.yaml` is read or refused in lines; what was read is written, and changed in place."""
    from ctxcache.scopes.model import ScopeError, parse_context
    from ctxcache.scopes.write import _rewritten, dump

    data = text.encode("utf-8", "surrogatepass")
    try:
        context = parse_context(data, "a")
    except ScopeError as error:
        assert "\n" not in escape_control(str(error))
        return
    assert parse_context(dump(context.as_dict()).encode(), "a") == context
    values = {"fingerprint": "12345678", "last_updated": "2026-03-02T00:00:00Z"}
    with contextlib.suppress(UsageError):  # too intricate, and left as it is
        assert parse_context(_rewritten(data, "a", values), "a") == context.model_copy(update=values)


def source_code(text: str) -> None:
    """What is said of a source file is on one line each, whatever language it is written in."""
    from ctxcache.scopes.generate.summary import facts_of

    text = text.encode("utf-8", "replace").decode()  # a file that is not UTF-8 is not read
    for suffix in ("py", "ts", "tsx", "go", "java", "rs", "rb", "md", "rst", "adoc", "org", "sh", "sql"):
        facts = facts_of(f"a.{suffix}", text)
        assert "\n" not in facts.purpose


def package_manifest(text: str) -> None:
    """What a project declares is read, or nothing is."""
    from ctxcache.scopes.generate.dependencies import _READERS, dependency_name, read_manifests

    with tempfile.TemporaryDirectory() as name:
        for file in _READERS:
            (Path(name) / file).write_bytes(text.encode("utf-8", "surrogatepass"))
        for found in read_manifests(name, tuple(_READERS)):
            assert all(type(dependency_name(each)) is str for each in found.dependencies)


def resource_uri(text: str) -> None:
    """A URI of a client is that of a document below the root, or of none; a cursor is one that was given."""
    from ctxcache.server.resources import SCHEME, UnknownResource

    with contextlib.suppress(UnknownResource, CtxError):
        assert resources().read(SCHEME + text).content
    with contextlib.suppress(ValueError):
        resources().page(text)
    assert len(resources().complete("id", text, "handbook")) <= 100


@functools.cache
def resources() -> Any:
    """Those of the samples."""
    from ctxcache.server.resources import Resources
    from ctxcache.server.service import RootedCaches

    return Resources(RootedCaches(sample().parent))


def workbook(text: str) -> None:
    """A sheet becomes a text of lines or is refused; a few cells far apart become no large one."""
    openpyxl = pytest.importorskip("openpyxl", reason="of the extra `convert`")
    from ctxcache.builder.spreadsheet import read_spreadsheet

    empty, written = BytesIO(), BytesIO()
    openpyxl.Workbook().save(empty)
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{namespace}"><sheetData>{text}</sheetData></worksheet>'
    with zipfile.ZipFile(empty) as book, zipfile.ZipFile(written, "w") as changed:
        for name in book.namelist():
            is_sheet = name == "xl/worksheets/sheet1.xml"
            changed.writestr(name, sheet.encode("utf-8", "replace") if is_sheet else book.read(name))
    sheets = []
    with contextlib.suppress(Exception):  # a converter of others says what it likes, in a process of its own
        sheets = read_spreadsheet(written.getvalue())["sheets"]
    assert all(len(each["markdown"]) <= 3 * (len(text) + 10) ** 2 for each in sheets)


def pdf(text: str) -> None:
    """The pages of a PDF begin one after another; one that cannot be read is refused with a reason."""
    pytest.importorskip("pypdfium2", reason="of the extra `convert`")
    from ctxcache.builder.pdf import read_pdf

    objects = (
        "<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1"
        " << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(text.encode('utf-8', 'replace'))} >>\nstream\n{text}\nendstream",
        f"<< /Type /Outlines /First 6 0 R /Count 1 {text[:200]} >>",
        f"<< /Parent 5 0 R /Title (a) /Dest [3 0 R /XYZ 0 700 0] {text[200:400]} >>",
    )
    body = "".join(f"{number} 0 obj\n{each}\nendobj\n" for number, each in enumerate(objects, start=1))
    data = f"%PDF-1.4\n{body}trailer << /Size 7 /Root 1 0 R >>\n%%EOF\n".encode("utf-8", "replace")
    try:
        found = read_pdf(data)
    except ValueError as error:
        assert "\n" not in str(error)
        return
    assert found.pages == sorted(found.pages)


def history(text: str) -> None:
    """Each line of what the inspector keeps is a question or is passed over."""
    from ctxcache.tui.session import HISTORY, History, StateDir

    with tempfile.TemporaryDirectory() as name:
        (Path(name) / HISTORY).write_bytes(text.encode("utf-8", "surrogatepass"))
        assert all(question.query.strip() for question in History(StateDir(Path(name))).questions)


def saved_figures(text: str) -> None:
    """What `ctx eval --baseline` names is what `--save` wrote, or is refused in a line."""
    from ctxcache.cli.test import _baseline

    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "figures.json"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        refused_in_a_line(lambda: _baseline(file))


REPO = Path(__file__).parents[2]


def sample() -> Path:
    """A sound cache."""
    return REPO / "sample_caches" / "handbook"


@functools.cache
def opened() -> ctxcache.Cache:
    """The sample, open."""
    return ctxcache.open_cache(sample())


TARGETS: dict[str, tuple[Callable[[str], None], tuple[str, ...]]] = {
    **{
        kind: (functools.partial(splits, kind), ("markup",))
        for kind in ("markdown", "mdx", "rst", "asciidoc", "org", "text")
    },
    "hard_cut": (hard_cut, ("hard_cut",)),
    "findings": (findings, ("findings",)),
    "pasted": (pasted, ("pasted",)),
    "alternatives": (alternatives, ("alternatives",)),
    "query": (query, ("query",)),
    "document_pattern": (document_pattern, ("document_pattern",)),
    "judged_queries": (judged_queries, ("judged_queries",)),
    "saved_figures": (saved_figures, ("figures", "json")),
    "front_matter": (front_matter, ("front_matter", "yaml", "toml")),
    "source_bytes": (source_bytes, ("source_bytes", "markup")),
    "workbook": (workbook, ("workbook",)),
    "pdf": (pdf, ("pdf",)),
    "ignore_file": (ignore_file, ("ignore_file",)),
    "yaml": (yaml, ("yaml",)),
    "context_file": (context_file, ("context", "yaml")),
    "source_code": (source_code, ("code",)),
    "package_manifest": (package_manifest, ("package", "toml", "json")),
    "configuration": (configuration, ("configuration", "toml")),
    "saved_test": (saved_test, ("toml",)),
    "updated_test": (updated_test, ("toml",)),
    "client_toml": (client_toml, ("toml",)),
    "client_json": (client_json, ("json",)),
    "manifest": (manifest, ("json", "manifest")),
    "index_header": (index_header, ("index_header",)),
    "document_line": (document_line, ("document_line", "json")),
    "build_record": (build_record, ("build_record", "json")),
    "archive": (archive, ("archive",)),
    "frame": (frame, ("json",)),
    "resource_uri": (resource_uri, ("uri",)),
    "history": (history, ("history", "json")),
}
"""For each parser its target, and the sets of pieces from which interesting texts are made."""


def pieces_of(name: str) -> list[str]:
    """The pieces for a target."""
    sets = json.loads(Path(__file__).with_name("pieces.json").read_text("utf-8"))
    sets["manifest"] = [(sample() / "manifest.json").read_text("utf-8")]
    return [piece for each in TARGETS[name][1] for piece in sets[each]]


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_holds_what_its_target_says(name: str) -> None:
    """Read, or refused as it refuses; nothing else, whatever was written."""
    target = TARGETS[name][0]
    texts = st.lists(st.sampled_from(pieces_of(name)) | st.text(max_size=8), max_size=30).map("".join)

    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(texts)
    def holds(text: str) -> None:
        target(text)

    holds()


SECONDS = 20
"""Of processor time that no text of some kilobytes may take."""


def fuzz(name: str, options: list[str]) -> None:
    """Fuzz one target by atheris until it fails or its time is over."""
    import atheris  # type: ignore  # of `make fuzz`: nobody needs it installed to develop

    target = TARGETS[name][0]
    words = tempfile.NamedTemporaryFile("w", suffix=".dict", encoding="ascii")  # noqa: SIM115 - libFuzzer reads it
    for piece in pieces_of(name):
        data = piece.encode("utf-8", "surrogatepass")[:60]
        words.write('"' + "".join(f"\\x{byte:02x}" for byte in data) + '"\n')
    words.flush()

    def one(data: bytes) -> None:
        start = process_time()
        target(data.decode("utf-8", "surrogateescape" if data[:1] < b"\x40" else "replace"))
        assert process_time() - start < SECONDS

    with atheris.instrument_imports(include=["ctxcache"]):
        target("")  # loads what it tries
    atheris.Setup([sys.argv[0], f"-dict={words.name}", *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    fuzz(sys.argv[1], sys.argv[2:])
