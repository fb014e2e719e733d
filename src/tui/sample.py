"""A small cache about the program itself, to try the inspector with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments import DEFAULT_BUDGET

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "what-is-a-context-cache.md": """# What is a context cache?

A context cache is a folder of documents, compiled for an agent: read-only, verifiable, the same
bytes from the same documents on every machine. A query and a budget in tokens choose whole
documents from it, in order, each with the reason why it was chosen or left out.
""",
    "budget.md": f"""# Choose a budget of tokens

The budget is what the answer may cost. Documents are taken in the order of their scores, each that
still fits; one that is too large for what is left is passed over, never cut. {DEFAULT_BUDGET:,} tokens are
usual. The curve of the inspector shows what a larger budget brings.
""",
    "build.md": """# Build a cache

`ctx build FOLDER` compiles the documents of a folder. `ctx init` writes a `ctx.toml` that describes
the caches of a project; `ctx build` then builds all of them, and only what changed. Files that git
ignores are left out.

## What is left out of a build

Binary files, files that are too large and what the ignore files name are skipped. The report of the
build says which, and by which rule.
""",
    "why.md": """# Why was a document chosen, or not?

`ctx why` shows the whole ranking. Each word of the query that a document holds adds to its score:
rare words add more, words of the title add more, long documents get less for each. For a document
that was left out it says how much budget it needs.
""",
    "freshness.md": """# Is a cache fresh?

`ctx status` holds each cache against its sources by content. A cache is stale when a source was
added, removed or changed since the build; `ctx build` brings it up to date.
""",
    "serve.md": """# Give an agent access to caches

`ctx serve` answers over MCP. `ctx install` writes the configuration of a client, and `--remove`
takes it back. An agent lists the caches, then resolves a query within a budget.
""",
    "tests.md": """# Test what a query finds

A `[[tests]]` entry of `ctx.toml` names a cache, a query, a budget and the documents that the answer
must hold. `ctx test` runs all of them. In the inspector `^s` saves the question on screen as a
test.
""",
    "verify.md": """# Verify a cache

`ctx verify` checks every byte: the hashes of the files, the index against the documents, the counts
against the texts. A damaged cache names its first fault.
""",
}


def build_sample(directory: Path) -> str:
    """Build the sample below a directory, and return the root that it is in. Raises `CtxError`."""
    from ..builder.build import build  # the whole builder, for those who have no cache yet
    from ..builder.compile import GivenText
    from ..builder.config import BuildConfig

    texts = [
        GivenText(name, text.partition("\n")[0].removeprefix("# "), text) for name, text in TEXTS.items()
    ]
    build(texts, directory / "sample", config=BuildConfig(tokenizer="bytes4"), force=True, jobs=1)
    return str(directory)
