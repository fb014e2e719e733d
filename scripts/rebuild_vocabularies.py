"""Rebuild the shipped vocabularies from the npm package `js-tiktoken`, byte for byte.

    npm pack js-tiktoken && tar xzf js-tiktoken-*.tgz
    python scripts/rebuild_vocabularies.py package/dist/ranks

The package has the ranks in runs: `! FIRST TOKEN TOKEN …`, each token in base64. The file
that tiktoken downloads has one `TOKEN RANK` a line; its SHA-256 stands in tiktoken's source
and in `ctxcache.text.tokens`, which checks it here and whenever a vocabulary is loaded.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import sys
from pathlib import Path

from ctxcache.text import tokens


def main(ranks: Path) -> None:
    """Write one compressed vocabulary for each known encoding."""
    for name, (sha256, _) in tokens.ENCODINGS.items():
        module = (ranks / f"{name}.js").read_text(encoding="utf-8")
        listed = json.loads(module[module.index("{") : module.rindex("}") + 1])["bpe_ranks"]
        data = rebuilt(listed)
        if hashlib.sha256(data).hexdigest() != sha256:
            sys.exit(f"{name}: the rebuilt file has another SHA-256 than tiktoken expects")
        target = Path(tokens.VOCABULARIES, f"{name}.tiktoken.xz")
        target.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
        print(f"{target}: {len(data):,} bytes in {target.stat().st_size:,}")


def rebuilt(listed: str) -> bytes:
    """The original file of a list of ranks."""
    lines = []
    for run in listed.splitlines():
        _, first, *run_tokens = run.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(run_tokens, start=int(first))]
    return "".join(lines).encode("ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
