"""The numbers on the screen are those of `ctx resolve` and `ctx why` for the same inputs."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache.cli import main
from ctxcache.tui.views.budget import totals
from ctxcache.tui.views.documents import BARS
from ctxcache.tui.widgets.lines import BudgetBar

if TYPE_CHECKING:
    from pathlib import Path

    from ctxcache.tui.widgets.table import Table

    from .conftest import Start

pytestmark = pytest.mark.asyncio

QUESTIONS = [
    ("guide", "how do we roll back a deployment", 400),
    ("guide", "how do we roll back a deployment", 0),
    ("guide", "back up the database, or roll it back?", 100_000),
    ("guide", "nothing of this xylophone", 500),
    ("guide-v0", "the deployment", 300),
]


@pytest.mark.parametrize(("name", "query", "budget"), QUESTIONS)
async def test_the_screen_shows_what_the_commands_write(
    start: Start, caches: Path, capfdbinary: pytest.CaptureFixture[bytes], name: str, query: str, budget: int
) -> None:
    """Both doors are opened: the inspector by its pilot, the commands as they are run."""
    line = ["--cache", str(caches / name), "--query", query, "--budget", str(budget)]
    assert main(["resolve", *line]) == 0
    resolved = json.loads(capfdbinary.readouterr().out)
    assert main(["why", *line, "--format", "json"]) == 0
    why = json.loads(capfdbinary.readouterr().out)
    assert main(["why", *line]) == 0
    table = capfdbinary.readouterr().out.decode()
    async with start(caches / name, query=query, budget=budget) as run:
        title = totals(run.answer.result)
        selection = resolved["selection"]
        if why["documents_matched"]:
            assert title == (
                f"{selection['tokens_used']:,} of {selection['budget']:,} · "
                f"{selection['documents_selected']:,} chosen · "
                f"{selection['documents_excluded_by_budget']:,} did not fit · "
                f"{why['documents_considered']:,} searched"
            )
            assert f"takes {run.one(BudgetBar).tokens:,} token" in table
        else:
            assert title == f"nothing matches · {why['documents_considered']:,} searched"
        ranking = run.answer.ranking
        assert ranking.count == why["documents_matched"]
        for document in why["documents"]:
            row = run.answer.rows[document["rank"]]
            assert row.id == document["id"]
            assert row.score == f"{document['score']:.3f}"
            assert row.tokens == document["tokens"]
            assert row.is_chosen == document["chosen"]
            assert row.fits_from == document["fits_from"]
        chosen = [run.answer.rows[d["rank"]] for d in why["documents"] if d["chosen"]]
        assert [row.id for row in chosen] == [d["id"] for d in resolved["documents"]]
        assert sum(row.tokens for row in chosen) == selection["tokens_used"]


SIZES = [(60, 15), (80, 24), (96, 30), (100, 30), (104, 30), (110, 35), (120, 40), (160, 50), (200, 60)]


async def test_every_row_reads_as_the_command_says_at_every_size(
    start: Start, caches: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """No figure is cut, and no two rows of different documents read the same."""
    query, budget = "how do we roll back a deployment", 250
    line = ["--cache", str(caches / "guide"), "--query", query, "--budget", str(budget)]
    assert main(["why", *line, "--all", "--format", "json"]) == 0
    documents = json.loads(capfdbinary.readouterr().out)["documents"]
    async with start(query=query, budget=budget) as run:
        for size in SIZES:
            await run.pilot.resize_terminal(*size)
            await run.settle()
            names, ranks = set(), set()
            for _ in documents:
                for text in drawn(run.answer.ranking):
                    rank, mark, *words = text.split()
                    document = documents[int(rank) - 1]
                    assert mark == ("●" if document["chosen"] else "○")
                    more = 0 if document["chosen"] else int(words.pop().replace(",", ""))
                    result = run.session.cache.resolve(query, budget + more)
                    assert document["id"] in [chosen.id for chosen in result.documents]
                    score = f"{document['score']:.3f}".removeprefix("0")
                    assert words[-2:] == [score, f"{document['tokens']:,}"], (size, text)
                    ranks.add(int(rank))
                    names.add(" ".join(word for word in words[:-2] if not set(word) <= set(BARS)))
                if len(ranks) == len(documents):
                    break
                await run.press("pagedown")
            assert ranks == {document["rank"] for document in documents}
            assert len(names) == len(documents), (size, names)
            await run.press("ctrl+home")


def drawn(table: Table) -> list[str]:
    """The rows of documents that a list shows."""
    lines = [table.render_line(y).text for y in range(1, table.size.height)]
    return [line for line in lines if re.match(r" *\d+ [●○]", line)]


async def test_the_reasons_are_those_of_why(
    start: Start, caches: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    query = "how do we roll back a deployment"
    line = ["--cache", str(caches / "guide"), "--query", query, "--budget", "400", "--format", "json"]
    async with start(query=query, budget=400) as run:
        for rank in range(1, run.answer.ranking.count + 1):
            run.answer.ranking.cursor = rank - 1
            await run.settle()
            why = run.answer.why
            capfdbinary.readouterr()
            assert main(["why", why.entry.id, *line]) == 0
            told = json.loads(capfdbinary.readouterr().out)
            assert why.entry.rank == told["rank"] == rank
            assert why.tree.to_dict() == told["explanation"]
            assert {share.label: share.value for share in why.shares} == words_of(told["explanation"])
            assert [(word.text, word.documents) for word in why.missing] == [
                (m["word"], m["documents"]) for m in told["missing"]
            ]
            for share in why.shares:
                assert share.body or share.title
                assert share.doc_freq is not None and 0 < share.doc_freq <= share.documents == 8


def words_of(node: dict[str, Any]) -> dict[str, int]:
    """What each word of the query gives, summed over the branches of an explanation."""
    values: Counter[str] = Counter()
    for part in node["parts"]:
        if part["reason"].startswith("`"):
            word = part["reason"].split("`")[1]
            values["deployment" if word == "deploy" else word] += part["value"]
        else:
            values.update(words_of(part))
    return {word: value for word, value in values.items() if value}
