"""Damage caches of both formats at random: `python -m gauntlet.damage [TRIALS] [--seed N]`.

A damaged cache answers as before or is refused as `cache_invalid`; `ctx verify` finds every damage; nothing
crashes or hangs. Damages are what disks, copies and other programs do: flipped bits, zeroed or repeated
ranges, cut ends, bytes too many, missing files, files of another build, and pairs of these.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import ctxcache
from ctxcache import BuildConfig
from ctxcache.errors import CacheInvalid

if TYPE_CHECKING:
    from collections.abc import Callable

QUERIES = ("deploy", "roll back the deployment", "元に戻す", "absent words", "service also: rollback")
CONFIGS = {"2": BuildConfig(split="none", tokenizer="bytes4"), "1": BuildConfig(profile="v0")}


def make_caches(root: Path) -> dict[str, tuple[Path, Path]]:
    """For each format a cache, and one of other documents with as many bytes."""
    texts = {
        "deploy.md": "# Deploying\n\n" + "How to deploy the service. " * 40,
        "empty.md": "",
        "rollback.md": "# Rolling back\n\nTo roll back a deployment, deploy the version before.\n",
        "日本.md": "# 日本語\n\n配備を元に戻す方法。\n",
    }
    caches = {}
    for name, config in CONFIGS.items():
        pair = []
        for generation in ("one", "two"):
            docs = root / f"docs-{generation}"
            docs.mkdir(exist_ok=True)
            for path, text in texts.items():
                changed = text.replace("service", "servers") if generation == "two" else text
                (docs / path).write_text(changed, "utf-8")
            pair.append(root / f"{generation}-{name}")
            ctxcache.build(docs, pair[-1], config=config)
        caches[name] = (pair[0], pair[1])
    return caches


def answers(cache: Path) -> list[str] | None:
    """What the cache answers to some queries; None when it is refused as invalid."""
    try:
        opened = ctxcache.open_cache(cache)
        found = [opened.resolve(query, budget).to_json() for query in QUERIES for budget in (10, 4000)]
        return [*found, opened.explain(QUERIES[1], 4000).to_json()]
    except CacheInvalid:
        return None


def flip(data: bytearray, chance: random.Random) -> None:
    """Turn one bit."""
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def blank(data: bytearray, chance: random.Random) -> None:
    """Fill a range with zeros, as a sector that was never written."""
    start, length = chance.randrange(len(data) + 1), 1 << chance.randrange(13)
    data[start : start + length] = bytes(len(data[start : start + length]))


def cut(data: bytearray, chance: random.Random) -> None:
    """Lose the end."""
    del data[chance.randrange(len(data) + 1) :]


def grow(data: bytearray, chance: random.Random) -> None:
    """Get bytes too many at the end."""
    data += chance.randbytes(chance.randrange(1, 5000))


def repeat(data: bytearray, chance: random.Random) -> None:
    """Write a range twice: all after it moves."""
    start, length = chance.randrange(len(data) + 1), 1 << chance.randrange(13)
    data[start:start] = data[start : start + length]


def move(data: bytearray, chance: random.Random) -> None:
    """Exchange two blocks of the file."""
    blocks = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    chance.shuffle(blocks)
    data[:] = b"".join(blocks)


def scatter(data: bytearray, chance: random.Random) -> None:
    """Write random bytes over a few random places."""
    for _ in range(chance.randrange(1, 9)):
        if data:
            data[chance.randrange(len(data))] = chance.randrange(256)


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip,
    blank,
    cut,
    grow,
    repeat,
    move,
    scatter,
)


def damage(cache: Path, other: Path, chance: random.Random) -> str:
    """Damage a cache in one or two places; what was done, in words."""
    done = []
    for _ in range(chance.choice((1, 1, 1, 2))):
        path = chance.choice(
            [each for each in sorted(cache.rglob("*")) if each.is_file() and each.name[0] != "."]
        )
        others = sorted(each for each in other.rglob("*") if each.is_file())
        match chance.randrange(20):
            case 0:
                path.unlink()
                done.append(f"removed {path.name}")
                return ", ".join(done)
            case 1 | 2:
                fitting = [each for each in others if each.suffix == path.suffix]
                source = chance.choice(fitting or others)
                path.write_bytes(source.read_bytes())
                done.append(f"{source.name} of another build as {path.name}")
            case _:
                data, way = bytearray(path.read_bytes()), chance.choice(DAMAGES)
                way(data, chance)
                path.write_bytes(data)
                done.append(f"{way.__name__} {path.name}")
    return ", ".join(done)


def contents(cache: Path) -> dict[str, bytes]:
    """The files of a cache."""
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


def tells_nothing(format_: str, before: dict[str, bytes], after: dict[str, bytes]) -> bool:
    """Whether only bytes of format 1 changed that follow from nothing else.

    These are the time of the build, and whether a letter of a source's name is a capital.
    """
    if format_ != "1" or before.keys() != after.keys():
        return False
    return all(_masked(data) == _masked(after[name]) for name, data in before.items())


def _masked(data: bytes) -> bytes:
    """A file of format 1 without those."""
    data = re.sub(rb'("created_at": ")[^"]*', rb"\1", data)
    return re.sub(rb'"source":"[^"]*', lambda source: source[0].lower(), data)


def trial(format_: str, sound: Path, other: Path, copy: Path, number: int) -> str:
    """Damage a copy and ask it; what is wrong, empty if nothing is."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(sound, copy)
    said = damage(copy, other, random.Random(number))
    before, after = contents(sound), contents(copy)
    if before == after:
        return ""
    given = answers(copy)
    if given is not None and given != answers(sound):
        return f"format {format_}, trial {number}: {said}: another answer"
    if ctxcache.verify(copy).valid and not tells_nothing(format_, before, after):
        return f"format {format_}, trial {number}: {said}: `verify` finds nothing"
    ctxcache.inspect_cache(copy).to_json()
    return ""


def main() -> int:
    """Run the trials and print what was wrong; 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first trial")
    options = parser.parse_args()
    wrong: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        caches = make_caches(Path(name))
        for number in range(options.seed, options.seed + options.trials):
            format_ = "21"[number % 2]
            try:
                verdict = trial(format_, *caches[format_], Path(name) / "copy", number)
            except Exception as error:  # whatever it is, it is a finding
                verdict = f"format {format_}, trial {number}: {type(error).__name__}: {error}"
            if verdict:
                wrong[verdict] += 1
                print(verdict, flush=True)
    print(f"{options.trials} damages, {wrong.total()} wrong")
    return min(wrong.total(), 1)


if __name__ == "__main__":
    sys.exit(main())
