"""Build the samples with every CPython that is here and compare: `python scripts/compare_pythons.py WHEEL`.

Each admitted version gets the wheel in an environment of its own, builds `samples/handbook` and `docs/`, and
answers 300 queries; bytes and answers must be those of the Python that runs this. A version below the floor
must refuse in one sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).parents[1]
QUERIES = 300
DIGEST = """
import hashlib, json, pathlib, sys
import ctxcache
root, queries = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text("utf-8"))
for name in ("handbook", "handbook-v0", "project-docs"):
    digest = hashlib.sha256()
    for path in sorted((root / name).rglob("*.*")):
        digest.update(str(path.relative_to(root)).encode() + b"\\0" + path.read_bytes())
    print(name, "bytes", digest.hexdigest()[:16])
    cache = ctxcache.open_cache(root / name)
    for number, query in enumerate(queries):
        digest.update(cache.resolve(query, 500 + number * 20).to_json().encode())
    print(name, "answers", digest.hexdigest()[:16])
"""
VERSION = "import platform, sys; print(platform.python_implementation(), *sys.version_info[:3])"


def interpreters() -> dict[tuple[int, ...], Path]:
    """Every CPython from 3.11.0 on that is found in `PATH` or in pyenv's or uv's folder, by version."""
    folders = [Path(folder) for folder in os.get_exec_path()]
    for root in ("~/.pyenv/versions", "~/.local/share/uv/python"):
        folders += sorted(Path(root).expanduser().glob("*/bin"))
    versions: dict[tuple[int, ...], Path] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("python3*"))):
        if re.fullmatch(r"python3(?:\.\d+)?", path.name):
            ran = subprocess.run([path, "-c", VERSION], capture_output=True, text=True, check=False)
            name, *numbers = ran.stdout.split() or [""]
            if name == "CPython" and (version := tuple(map(int, numbers))) >= (3, 11):
                versions.setdefault(version, path)
    return versions


def some_queries() -> list[str]:
    """The same queries for every Python: words of the samples, some of them joined or misspelt."""
    text = "".join(path.read_text("utf-8") for path in sorted((REPO / "samples" / "handbook").rglob("*.md")))
    words = sorted(set(re.findall(r"[\w./-]{2,}", text)))
    chance = random.Random(1)
    return [" ".join(chance.choices(words, k=chance.randint(1, 8))) for _ in range(QUERIES)]


def results(python: Path, scratch: Path) -> str:
    """What this Python builds and answers, as digests, a line each."""
    build = [python, REPO / "scripts" / "build_samples.py", scratch / "caches"]
    subprocess.run(build, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    queries = scratch / "queries.json"
    queries.write_text(json.dumps(some_queries()), "utf-8")
    digest = [python, "-c", DIGEST, scratch / "caches", queries]
    return subprocess.run(digest, cwd=scratch, check=True, stdout=subprocess.PIPE, text=True).stdout


def installed(python: Path, wheel: Path, scratch: Path) -> Path:
    """An environment of this Python that holds the wheel, with the pinned versions of what it needs."""
    subprocess.run([python, "-m", "venv", scratch / "venv"], check=True)
    inside = scratch / "venv" / "bin" / "python"
    pip = [inside, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--constraint", REPO / "constraints.txt", wheel], check=True)
    return inside


def refuses(python: Path, scratch: Path) -> bool:
    """Whether the program, started from the sources, ends in one sentence that names what to use."""
    command = [python, "-m", "ctxcache", "build", REPO / "samples" / "handbook", "--cache", scratch / "cache"]
    environment = {**os.environ, "PYTHONPATH": str(REPO / "typings")}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    sentence = re.fullmatch(r"error: CPython [\d.]+ .* use CPython [\d.]+ or newer\n", ran.stderr)
    return ran.returncode == 1 and sentence is not None and not (scratch / "cache").exists()


def compare(wheel: Path) -> bool:
    """Print a line for each Python; whether all agree."""
    from ctxcache.regex import FLOOR

    floor = tuple(map(int, FLOOR.split(".")))
    agree = True
    with tempfile.TemporaryDirectory() as name:
        expected = results(Path(sys.executable), Path(name))
    for version, python in sorted(interpreters().items()):
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            if version < floor:
                same, verdict = refuses(python, scratch), "refuses"
            else:
                same = results(installed(python, wheel, scratch), scratch) == expected
                verdict = f"same bytes, same answers to {QUERIES} queries"
        print(f"CPython {'.'.join(map(str, version))}: {verdict if same else 'DIFFERS'}", flush=True)
        agree = agree and same
    print("digest of all:", hashlib.sha256(expected.encode()).hexdigest()[:16])
    return agree


if __name__ == "__main__":
    sys.exit(not compare(Path(sys.argv[1]).resolve()))
