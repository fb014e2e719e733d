"""The examples of `docs/frameworks.md`, run as they stand against a model played on this machine.

    python clients/frameworks.py DIR [NAME...]

For each heading an environment in DIR with the packages that the page names; `ctx` is that of this
Python. Two lines each: what arrived at the model of an answer, and of an error.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from fake_model import FakeModel

import ctxcache

REPO = Path(__file__).parents[1]
SECTION = re.compile(r"^## ([^\n]+)\nPackages: ((?:`[^`]+`,? ?)+)\..*?\n```python\n(.*?)^```$", re.M | re.S)
PATIENCE = 180  # seconds for one example
QUESTION = {"query": "how do we roll back a deployment", "budget": 1000}


def main(folder: Path, wanted: list[str]) -> None:
    """Run each example; exit code 1 if one fails."""
    failed = []
    for name, packages, code in SECTION.findall((REPO / "docs" / "frameworks.md").read_text("utf-8")):
        if not wanted or name in wanted:
            python = environment(folder, name, re.findall(r"`([^`]+)`", packages))
            for cache in ("handbook", "nothing"):
                ended, said, seen = run(python, code, cache)
                print(
                    f"{name}, {cache}: exit {ended}; the model saw {seen}; said {said[-200:]!r}", flush=True
                )
                if cache == "handbook" and (ended or (seen == [] and "rollback.md" not in said)):
                    failed.append(name)
    sys.exit(f"failed: {failed}" if failed else 0)


def environment(folder: Path, name: str, packages: list[str]) -> Path:
    """The Python of an environment with these packages."""
    place = folder / re.sub(r"\W+", "-", name)
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        venv.create(place, with_pip=True, clear=True)
        wanted = [str(REPO) if package == "ctxcache" else package for package in packages]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        (place / "ready").touch()
    return python


def run(python: Path, code: str, cache: str) -> tuple[int, str, list[str]]:
    """One example: its exit code, what it printed, and the beginnings of what the model was shown."""
    model = FakeModel({"cache": cache, **QUESTION})
    with tempfile.TemporaryDirectory() as folder:
        ctxcache.build(REPO / "samples" / "handbook", Path(folder) / ".ctx" / "caches" / "handbook", jobs=1)
        variables = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": folder,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": model.url,
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
        }
        try:
            ran = subprocess.run(
                [python, "-c", code], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            ended, said = ran.returncode, ran.stdout
        except subprocess.TimeoutExpired:
            ended, said = 1, f"no end within {PATIENCE} s"
    model.close()
    return ended, said, [f"{len(seen)}: {seen[:70]}" for seen in model.results]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("directory", type=Path, help="where an environment for each framework is made")
    parser.add_argument("frameworks", nargs="*", help="as the headings of the page name them; default: all")
    options = parser.parse_args()
    main(options.directory.absolute(), options.frameworks)
