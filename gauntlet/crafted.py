"""Craft caches whose checksums are all in order: `python -m gauntlet.crafted [TRIALS] [--seed N]`.

Numbers of the index and its header, fields of documents, manifests and the files of format 1 are changed at
random, and whatever would tell of it is made to fit. Each cache is refused as `cache_invalid`, or answers
within the budget, with scores from 0 to 1 and contents that their versions name, in little time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any
from zlib import crc32

import ctxcache
from ctxcache.cache.format import BLOCK, COUNTS, SECTIONS, Layout, checksum_pages, shapes
from ctxcache.errors import CacheInvalid, OperationError

from .damage import QUERIES, make_caches

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET = 60
SECONDS = 5.0
"""CPU time for everything that is asked of one cache of four documents; a few hundredths are usual."""
HEADER_NUMBERS = 16 + 64
"""Where the numbers of a header start: after the magic, the format, the block size and the identity."""
TEXTS = (
    "",
    "deploy",
    "../../etc/passwd",
    "/etc/passwd",
    "\0",
    "\ud800",
    "\u202e",
    "sha256:" + "0" * 64,
    "\x1b]0;x\a",
)
NUMBERS = (0, 1, -1, 2**31, 2**32 - 1, 2**53, 2**63, 2**64, 10**400, 0.5, float("1e308"))
VALUES: tuple[Any, ...] = (None, True, [], {}, [[]], {"a": {}}, ["a", 1], [["a", "b"]], *TEXTS, *NUMBERS)


DEEP = b"[" * 50_000 + b"\n"
"""A line that no reader of JSON should follow to its end."""


def digest(data: bytes) -> str:
    """The SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class Forge:
    """A format 2 cache in its parts, written back with checksums that fit."""

    def __init__(self, cache: Path) -> None:
        (documents,), (index,) = cache.glob("documents-*"), cache.glob("index-*")
        self.cache = cache
        self.lines = documents.read_bytes().splitlines(keepends=True)
        self.index = bytearray(index.read_bytes())
        self.manifest: Any = json.loads((cache / "manifest.json").read_bytes())
        self.layout = Layout.unpack(bytes(self.index[:BLOCK]))
        self.header: dict[int, int] = {}
        documents.unlink()
        index.unlink()

    def put(self, section: str, item: int, value: int) -> None:
        """Change one number of a section."""
        width = shapes(self.layout.counts).get(section, (1, 0))[0]
        at = self.layout.sections[section][0] + item * width
        self.index[at : at + width] = (value % 256**width).to_bytes(width, "little")

    def write(self) -> None:
        """Write the files: line ends, checksums, digests, identity and names as the format wants them."""
        end, documents = 0, b"".join(self.lines)
        if len(self.lines) == self.layout.counts["documents"]:
            for number, line in enumerate(self.lines):
                end += len(line)
                self.put("line_ends", number, end)
                self.put("line_checksums", number, crc32(line))
        self.index[16:48] = hashlib.sha256(documents).digest()
        for at, value in self.header.items():
            self.index[at : at + 8] = (value % 2**64).to_bytes(8, "little")
        pages = self.layout.pages
        checksums = [crc32(self.index[at : at + BLOCK]) for at in range(0, pages, BLOCK)]
        index = bytes(self.index[:pages]) + checksum_pages(checksums)
        for name, suffix, data in (("documents", "jsonl", documents), ("index", "bin", index)):
            path = f"{name}-{digest(data)[:12]}.{suffix}"
            (self.cache / path).write_bytes(data)
            if isinstance(self.manifest, dict) and isinstance(self.manifest.get("files"), dict):
                entry = {"path": path, "bytes": len(data), "sha256": digest(data)}
                self.manifest["files"].setdefault(name, entry)
                if isinstance(self.manifest["files"][name], dict):
                    self.manifest["files"][name].update(entry)
        write_json(self.cache / "manifest.json", self.manifest)


def write_json(path: Path, value: Any) -> None:
    """Write it compactly; lone surrogates as escapes."""
    path.write_text(json.dumps(value, separators=(",", ":")), "ascii")


def any_number(chance: random.Random, near: int) -> int:
    """A number as an attacker would choose it."""
    return chance.choice(
        (0, 1, near + 1, max(near - 1, 0), 2**8 - 1, 2**16 - 1, 2**32 - 1, chance.getrandbits(64))
    )


def mutate(value: Any, chance: random.Random) -> Any:
    """A JSON value with one place in it changed."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        match chance.randrange(8):
            case 0:
                return {key: each for key, each in value.items() if key != name}
            case 1:
                return {**value, chance.choice(TEXTS): chance.choice(VALUES)}
            case _:
                return {**value, name: mutate(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], mutate(value[at], chance), *value[at + chance.randrange(2) :]]
    if isinstance(value, str) and value and chance.random() < 0.3:
        return value[: chance.randrange(len(value))] + chance.choice(TEXTS)
    return chance.choice(VALUES)


def craft_index(forge: Forge, chance: random.Random) -> None:
    """Change some numbers of one section."""
    section = chance.choice(SECTIONS)
    width, items = shapes(forge.layout.counts).get(section, (1, forge.layout.sections[section][1]))
    for _ in range(chance.randrange(1, 5)):
        if items:
            forge.put(section, chance.randrange(items), any_number(chance, width))


def craft_header(forge: Forge, chance: random.Random) -> None:
    """Change a count, an offset or a length."""
    numbers = len(COUNTS) + 1 + 2 * len(SECTIONS)
    for _ in range(chance.randrange(1, 4)):
        at = HEADER_NUMBERS + 8 * chance.randrange(numbers)
        near = int.from_bytes(forge.index[at : at + 8], "little")
        forge.header[at] = any_number(chance, near)


def craft_line(forge: Forge, chance: random.Random) -> None:
    """Change a document, its content and version together sometimes; or the lines themselves."""
    at = chance.randrange(len(forge.lines))
    match chance.randrange(6):
        case 0:
            forge.lines[at] = chance.choice(forge.lines)
        case 1:
            forge.lines[at] = DEEP
        case _ if forge.lines[at] != DEEP:
            fields = mutate(json.loads(forge.lines[at]), chance)
            if (
                isinstance(fields, dict)
                and isinstance(text := fields.get("content"), str)
                and chance.random() < 0.5
            ):
                fields["version"] = "sha256:" + digest(text.encode("utf-8", "surrogatepass"))
            forge.lines[at] = json.dumps(
                fields, ensure_ascii=chance.random() < 0.5, separators=(",", ":")
            ).encode("utf-8", "surrogatepass") + chance.choice((b"\n", b"\n", b"\n", b"\r\n", b""))


def craft_manifest(forge: Forge, chance: random.Random) -> None:
    """Change the manifest."""
    for _ in range(chance.randrange(1, 3)):
        forge.manifest = mutate(forge.manifest, chance)


CRAFTS: tuple[Callable[[Forge, random.Random], None], ...] = (
    craft_index,
    craft_index,
    craft_header,
    craft_line,
    craft_line,
    craft_manifest,
)


def craft(cache: Path, chance: random.Random) -> None:
    """Change a format 2 cache in one or two ways."""
    forge = Forge(cache)
    for _ in range(chance.choice((1, 1, 2))):
        chance.choice(CRAFTS)(forge, chance)
    forge.write()


def craft_format1(cache: Path, chance: random.Random) -> None:
    """Change one or two files of a format 1 cache; sometimes a document's version follows its content."""
    for _ in range(chance.choice((1, 1, 2))):
        path = chance.choice([each for each in sorted(cache.rglob("*.json")) if each.is_file()])
        value = mutate(json.loads(path.read_bytes()), chance)
        write_json(path, value)
        if path.parent.name == "documents" and isinstance(value, dict) and chance.random() < 0.7:
            rename_document(cache, path, value)


def rename_document(cache: Path, path: Path, value: dict[str, Any]) -> None:
    """Give a document the version, the name and the entries that its content asks for."""
    content = value.get("content")
    if not isinstance(content, str):
        return
    new = digest(content.encode("utf-8", "surrogatepass"))
    old = path.stem
    write_json(path, value | {"version": f"sha256:{new}"})
    path.rename(path.with_stem(new[:12]))
    for name in ("manifest.json", "index.json"):
        text = (cache / name).read_text("utf-8")
        found = text.partition(f"sha256:{old}")[2][: 64 - len(old)]
        (cache / name).write_text(
            text.replace(old + found, new).replace(f"{old}.json", f"{new[:12]}.json"), "utf-8"
        )


def wrong_answer(cache: Path) -> str:
    """What is wrong with what the cache answers; empty if nothing is, or if it is refused."""
    try:
        opened = ctxcache.open_cache(cache)
    except CacheInvalid:
        return ""
    for query in QUERIES:
        for budget in (BUDGET, 10**6):
            try:
                result = opened.resolve(query, budget)
            except CacheInvalid:
                continue
            result.to_json().encode("utf-8")
            if result.tokens_used > budget or not all(0 <= each.score <= 1 for each in result.documents):
                return f"{query!r}: {result.to_json()[:300]}"
            for each in result.documents:
                version = each.version.removeprefix("sha256:")
                if not digest(each.content.encode()).startswith(version) or len(version) < 12:
                    return f"{query!r}: {each.id!r} is not what its version names"
        try:
            opened.explain(query, BUDGET).to_json().encode("utf-8")
        except CacheInvalid:
            continue
    return ""


def trial(format_: str, sound: Path, copy: Path, number: int) -> str:
    """Craft a copy and ask it; what is wrong, empty if nothing is."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(sound, copy)
    (craft if format_ == "2" else craft_format1)(copy, random.Random(number))
    start = process_time()
    wrong = wrong_answer(copy)
    ctxcache.verify(copy).to_json().encode("utf-8")
    ctxcache.inspect_cache(copy).to_json().encode("utf-8")
    ctxcache.list_caches(copy.parent).to_json().encode("utf-8")
    seconds = process_time() - start
    return wrong or (f"took {seconds:.1f} s" if seconds > SECONDS else "")


def main() -> int:
    """Run the trials and print what was wrong; 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first trial")
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        caches = make_caches(Path(name))
        for number in range(options.seed, options.seed + options.trials):
            format_ = "221"[number % 3]
            try:
                verdict = trial(format_, caches[format_][0], Path(name) / "copy", number)
            except OperationError as error:
                verdict = f"{type(error).__name__}: {error}"
            except Exception as error:  # whatever it is, it is a finding
                verdict = f"{type(error).__name__}: {error}"
            if verdict:
                wrong += 1
                print(f"format {format_}, trial {number}: {verdict}", flush=True)
    print(f"{options.trials} crafted caches, {wrong} wrong")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
