"""Documents that are no text, with the extra `convert` and without it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig
from ctxcache.builder import convert
from ctxcache.builder.convert import Converted, Converter
from ctxcache.builder.freshness import freshness
from ctxcache.builder.sources.source_filter import Rules
from ctxcache.builder.sources.walk import explain_path
from ctxcache.builder.splitting.formats import CONVERTED_FORMATS
from ctxcache.errors import IoError
from ctxcache.worker import WorkerEnded

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = BuildConfig(tokenizer="bytes4", unique=False)

installed = pytest.mark.skipif(
    convert.converter() is None, reason="the extra `convert` is not installed: pip install '.[convert]'"
)

PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def archive(files: dict[str, str]) -> bytes:
    """A zip archive of texts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return buffer.getvalue()


def pdf(text: str) -> bytes:
    """A page with one line of text."""
    drawing = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET"
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        f" /Resources << /Font << /F1 {font} >> >> >>",
        f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream",
    ]
    body = "".join(f"{number} 0 obj\n{one}\nendobj\n" for number, one in enumerate(objects, start=1))
    # Without a table of the objects' offsets, which a reader does without.
    return f"%PDF-1.4\n{body}trailer << /Size {len(objects) + 1} /Root 1 0 R >>\n%%EOF\n".encode()


def docx(text: str) -> bytes:
    heading = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
    kind = "application/vnd.openxmlformats"
    return archive(
        {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
            f'ContentType="{kind}-package.relationships+xml"/><Override PartName="/word/document.xml" '
            f'ContentType="{kind}-officedocument.wordprocessingml.document.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{heading}</w:body></w:document>',
        }
    )


def pptx(text: str) -> bytes:
    presentation = pytest.importorskip("pptx").Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[0]).shapes.title.text = text
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


def xlsx(text: str) -> bytes:
    workbook = pytest.importorskip("openpyxl").Workbook()
    workbook.active.append([text, "number"])
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def epub(text: str) -> bytes:
    return archive(
        {
            "META-INF/container.xml": '<container><rootfile full-path="b.opf"/></container>',
            "b.opf": '<package><manifest><item id="a" href="a.xhtml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": f"<html><body><h1>{text}</h1></body></html>",
        }
    )


def notebook(text: str) -> bytes:
    cells = [{"cell_type": "markdown", "source": [f"# {text}\n"]}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def html(text: str) -> bytes:
    return f"<html><body><h1>{text}</h1><p>and &amp; more</p></body></html>".encode()


MAKERS = {
    "a.pdf": pdf, "a.docx": docx, "a.pptx": pptx, "a.xlsx": xlsx, "a.html": html, "b.HTM": html,
    "a.epub": epub, "a.ipynb": notebook,
}  # fmt: skip


@pytest.fixture
def office(tmp_path: Path) -> Path:
    """One document of each format that is converted, and a page of text."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, make in MAKERS.items():
        (folder / name).write_bytes(make("Quarterly report"))
    (folder / "page.md").write_text("# Page\n")
    return folder


def converted(id_: str, data: bytes) -> list[Converted] | str:
    """What becomes of one document."""
    with Converter() as converter:
        return converter(id_, data)


def test_every_converted_format_is_tried_here() -> None:
    assert {f".{name.rpartition('.')[2].lower()}" for name in MAKERS} == CONVERTED_FORMATS


@installed
def test_each_format_becomes_text(office: Path, tmp_path: Path) -> None:
    """As Markdown, with what it was in the metadata; and again to the same bytes."""
    report = ctxcache.build(office, tmp_path / "cache", config=CONFIG)
    assert (report.sources, report.skipped) == (9, ())
    documents = {document.id: document for document in ctxcache.open_cache(tmp_path / "cache").documents()}
    assert documents.keys() == {*MAKERS, "page.md"} - {"a.xlsx"} | {"a.xlsx/sheet"}
    for name in MAKERS:
        id_ = "a.xlsx/sheet" if name == "a.xlsx" else name
        assert "Quarterly report" in documents[id_].content
        assert documents[id_].origin.converter == name.rpartition(".")[2].lower()
    assert documents["a.docx"].title == "Quarterly report"
    assert ctxcache.verify(tmp_path / "cache").valid
    again = ctxcache.build(office, tmp_path / "again", config=CONFIG)
    assert again.cache_version == report.cache_version


@installed
def test_the_converter_is_part_of_the_identity_of_what_it_read(
    office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version is another cache version; of text alone it leaves no trace."""
    before = ctxcache.build(office, tmp_path / "cache", config=CONFIG)
    versions = convert.converter()
    assert ctxcache.open_cache(tmp_path / "cache").manifest.build_config["converter"] == versions
    assert freshness(office, tmp_path / "cache", CONFIG).fresh
    assert versions is not None
    monkeypatch.setattr(convert, "converter", lambda: versions | {"markitdown": "99"})
    found = freshness(office, tmp_path / "cache", CONFIG)
    assert found.state == "stale" and "markitdown 99" in found.configuration[0]
    after = ctxcache.build(office, tmp_path / "cache", config=CONFIG, force=True, jobs=1)
    assert after.cache_version != before.cache_version
    for name in MAKERS:
        (office / name).unlink()
    ctxcache.build(office, tmp_path / "text", config=CONFIG)
    assert "converter" not in ctxcache.open_cache(tmp_path / "text").manifest.build_config


@installed
def test_what_cannot_be_converted_is_reported(tmp_path: Path) -> None:
    """As a fault: never silently lost, and an error where the build is strict."""
    no_text = "cannot be converted (there is no text in it"
    files = {
        "broken.docx": (b"PK nonsense", "cannot be converted (it is damaged)"),
        "broken.ipynb": (b"{}", "cannot be converted ("),
        "broken.pdf": (b"%PDF-1.4 nonsense", "cannot be converted (it is damaged)"),
        "empty.html": (b"", f"{no_text})"),
        "scan.pdf": (pdf(""), f"{no_text}, as in a scan)"),
    }
    (tmp_path / "docs").mkdir()
    for name, (data, _) in files.items():
        (tmp_path / "docs" / name).write_bytes(data)
    skipped = ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=CONFIG).skipped
    assert [item.path for item in skipped] == list(files)
    assert all(item.fault and item.rule.startswith(files[item.path][1]) for item in skipped)


@installed
def test_an_archive_that_unpacks_to_too_much_is_not_read() -> None:
    """A small file can hold terabytes of zeros."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made,
        made.open("word/document.xml", "w") as file,
    ):
        for _ in range(convert.MAX_UNPACKED // (1 << 24) + 1):
            file.write(bytes(1 << 24))
    assert "more than" in str(converted("a.docx", buffer.getvalue()))


@installed
def test_a_long_row_of_spaces_is_cleared_in_one_pass() -> None:
    """A guard against hanging: a search from each of the spaces takes minutes."""
    program = """
from ctxcache.builder.convert import _TRAILING
print(len(_TRAILING.sub("", " " * 300_000 + "a \\n\\t\\n b" + " \\t" * 300_000)))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True)
    assert int(found.stdout) == 300_005


def test_a_page_says_in_which_encoding_it_is(tmp_path: Path) -> None:
    page = '<meta charset="iso-8859-1"><p>caf\xe9 noir</p>'.encode("latin-1")
    assert converted("a.html", page) == [Converted("café noir\n", None)]


@installed
def test_one_path_can_be_asked_about(office: Path) -> None:
    """Whether a document can be converted shows when it is."""
    (office / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    rules = convert.rules_in_force(CONFIG)
    found = [explain_path(office, rules, name, convert=converted) for name in ("a.pdf", "broken.pdf")]
    assert found == [
        ("a.pdf", True, "converted format .pdf"),
        ("broken.pdf", False, "cannot be converted (it is damaged)"),
    ]


@installed
def test_a_conversion_that_takes_too_long_costs_one_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process ends itself; the next document gets another one."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/long.html").write_text("<p>word</p>" * 100_000)
    (tmp_path / "docs/page.md").write_text("# Page\n")
    monkeypatch.setattr(convert, "MAX_SECONDS", 0.01)
    report = ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=CONFIG)
    assert [(item.path, item.rule) for item in report.skipped] == [
        ("long.html", "conversion took longer than 0.01 s")
    ]
    assert report.documents == 1
    monkeypatch.setattr(convert, "MAX_SECONDS", 60)
    assert converted("a.html", b"<p>word</p>") == [Converted("word\n", None)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
def test_a_document_gets_so_much_memory_and_no_more() -> None:
    """Its process has a limit, and says which one it met."""
    code = """if True:
        from ctxcache.builder import convert_worker
        from ctxcache.worker import limit_memory
        limit_memory(100 << 20)
        try:
            bytearray(200 << 20)
        except MemoryError as error:
            print(convert_worker._reason(".docx", b"PK", error))
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "it needs too much memory\n"


@installed
def test_a_converter_that_crashes_costs_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is started again; one that cannot be started would cost them all, so it is an error."""
    with Converter() as converter:
        assert converter("a.html", b"<p>word</p>") == [Converted("word\n", None)]
        worker = converter._worker
        assert worker is not None

        def crash() -> dict[str, object]:
            worker.end()
            raise WorkerEnded

        monkeypatch.setattr(worker, "_answer", crash)
        assert converter("a.html", b"<p>word</p>") == "cannot be converted (the converter crashed)"
        assert converter("a.html", b"<p>word</p>") == [Converted("word\n", None)]
        converter.close()
        monkeypatch.setattr(convert, "_PROGRAM", "ctxcache.nowhere")
        with pytest.raises(IoError, match="the converter does not start"):
            converter("a.html", b"<p>word</p>")


@installed
def test_a_converter_that_is_forgotten_ends_its_process() -> None:
    """Also on an executor of the caller's, where nobody closes it."""
    converter = Converter()
    converter("a.html", b"<p>word</p>")
    assert converter._worker is not None
    process = converter._worker._process
    del converter
    assert process.poll() is not None


@pytest.mark.parametrize("include", [(), ("*",)])
def test_without_the_extra_the_report_says_which_one_it_takes(
    office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, include: tuple[str, ...]
) -> None:
    """Also where a pattern takes every file: nothing of theirs is read as text."""
    monkeypatch.setattr(convert, "converter", lambda: None)
    config = BuildConfig(tokenizer="bytes4", rules=Rules(include=include))
    report = ctxcache.build(office, tmp_path / "cache", config=config, jobs=1)
    assert report.sources == 1
    assert {item.path for item in report.skipped} == set(MAKERS)
    assert all("pip install 'ctxcache[convert]'" in item.rule for item in report.skipped)


def test_conversion_can_be_declined(office: Path, tmp_path: Path) -> None:
    report = ctxcache.build(office, tmp_path / "cache", config=BuildConfig(tokenizer="bytes4", convert=False))
    assert report.sources == 1
