"""The HTML pages of `eval`, `test`, `diff` and `why`, each a file that needs no other.

A page has no script and loads nothing, which its content security policy enforces. The environment of the
templates in `pages/` escapes every text for HTML, and its control characters.
"""

from __future__ import annotations

from itertools import islice
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .. import __version__
from ..resolver.budget import budget_curve
from ..resolver.evaluate import MEASURES, Baseline, BudgetFigures, Evaluation, Figures
from ..resolver.query_tests import ERROR, FAILED, PASSED, STATES, Outcomes
from ..safeio import write_output
from ..text.display import escape_control, pluralize
from .ask import decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..resolver.compare import Changes, Comparison, Difference
    from ..resolver.explain import Explanation, RankedDocument

_COLOURS = 8
_MOST_DOCUMENTS = 500
"""The most documents of a comparison that are shown."""
_MOST_LINES = 400
"""The most lines of the difference of one document."""
_STATE_COLOURS = {PASSED: "good", FAILED: "bad", ERROR: "warn"}
_MARKS = {"+": "good", "-": "bad", "~": "warn"}
_FATES = {"entered": "good", "left": "bad", "moved": "warn", "kept": ""}


def write_page(file: str, template: str, **values: Any) -> None:
    """Write the page that a template makes of `values`. Raises `OSError`, with the path."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: escape_control(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template(template).render(values, version=__version__)
    write_output(Path(file), page.encode())


class _Tick(NamedTuple):
    """A mark on an axis, at a coordinate in pixels."""

    at: float
    label: str


class _Line(NamedTuple):
    """A curve of a chart."""

    name: str
    colour: int
    points: str
    """As the attribute of an SVG `polyline`."""
    dots: list[tuple[float, float, str]]
    """(x, y, tooltip)."""
    dashed: bool


class Chart:
    """Curves over budgets on a logarithmic axis."""

    width, height = 720, 300
    left, right, top, bottom = 60, 700, 15, 260

    def __init__(self, label: str, budgets: Sequence[int], highest: float, *, percent: bool) -> None:
        """`highest` is the value at the top; with `percent`, values are labelled as percentages."""
        self.label = label
        self.lines: list[_Line] = []
        self._budgets = budgets
        self._highest = highest or 1
        self._percent = percent
        self.columns = [_Tick(self._x(budget), _thousands(budget)) for budget in budgets]
        quarters = [self._highest * quarter / 4 for quarter in range(5)]
        self.rows = [_Tick(self._y(value), self._label(value)) for value in quarters]

    def add(self, name: str, colour: int, values: Mapping[int, float], *, dashed: bool = False) -> None:
        """Add a curve of values by budget; values at budgets that are not on the axis are ignored."""
        measured = {budget: values[budget] for budget in self._budgets if budget in values}
        dots = [
            (self._x(budget), self._y(value), f"{name}, {budget:,} tokens: {self._label(value)}")
            for budget, value in measured.items()
        ]
        points = " ".join(f"{x},{y}" for x, y, _ in dots)
        self.lines.append(_Line(name, colour, points, dots, dashed))

    def _x(self, budget: int) -> float:
        first, last = log2(self._budgets[0]), log2(self._budgets[-1])
        share = (log2(budget) - first) / ((last - first) or 1)
        return round(self.left + share * (self.right - self.left), 1)

    def _y(self, value: float) -> float:
        return round(self.bottom - (value / self._highest) * (self.bottom - self.top), 1)

    def _label(self, value: float) -> str:
        return f"{100 * value:.0f} %" if self._percent else f"{value:,.0f}"


def _thousands(number: int) -> str:
    """A short label of an axis: `500`, `4k`."""
    return f"{number // 1000}k" if number % 1000 == 0 else str(number)


def write_evaluation(
    file: str, evaluation: Evaluation, texts: Mapping[str, str], baseline: Baseline | None, *, name: str
) -> None:
    """Write the page of an evaluation: means, curves, and the queries with their changes to a baseline."""
    before = baseline.queries if baseline else {}
    common = {id_: before[id_] for id_ in evaluation.queries if id_ in before}
    changes = {id_: _change(evaluation.queries[id_], figures) for id_, figures in common.items()}
    ordered = sorted(evaluation.queries, key=lambda id_: changes.get(id_, (0.0, 0.0)))  # losses stand first
    rows = [
        {"id": id_, "text": texts[id_], "figures": evaluation.queries[id_], "before": before.get(id_)}
        for id_ in ordered
    ]
    write_page(
        file,
        "eval.html",
        title=f"Evaluation of {name}",
        about=f"{len(rows):,} judged queries · budget {evaluation.budget:,} tokens",
        measures=MEASURES,
        means=evaluation.means,
        now=_means([evaluation.queries[id_] for id_ in common]),
        before=_means(list(common.values())),
        compared=len(common),
        won=sum(change > (0.0, 0.0) for change in changes.values()),
        lost=sum(change < (0.0, 0.0) for change in changes.values()),
        budget=f"{evaluation.budget:,}",
        chart=_evaluation_chart(evaluation.curve, baseline.curve if baseline else []),
        rows=rows,
        unknown=evaluation.unknown,
    )


def _change(figures: Figures, before: Figures) -> tuple[float, float]:
    """The changes of recall within the budget and of nDCG@10, by which queries are sorted."""
    recall, order = "recall@budget", "ndcg@10"
    return round(figures[recall] - before[recall], 3), round(figures[order] - before[order], 3)


def _means(figures: list[Figures]) -> Figures:
    return {name: sum(query[name] for query in figures) / max(1, len(figures)) for name in MEASURES}


def _evaluation_chart(curve: list[BudgetFigures], before: list[BudgetFigures]) -> Chart:
    """The chart of recall and complete answers by budget."""
    budgets = [point.budget for point in curve]
    chart = Chart("recall and complete answers by budget", budgets, 1.0, percent=True)
    for points, suffix, dashed in ((before, ", baseline", True), (curve, "", False)):
        if points:
            chart.add(f"recall{suffix}", 0, {point.budget: point.recall for point in points}, dashed=dashed)
            complete = {point.budget: point.complete for point in points}
            chart.add(f"complete answers{suffix}", 1, complete, dashed=dashed)
    return chart


def write_outcomes(file: str, outcomes: Outcomes, *, name: str) -> None:
    """Write the page of query tests; `name` is that of their file."""
    write_page(
        file,
        "test.html",
        title=f"Query tests of {name}",
        about=pluralize(len(outcomes.outcomes), "test"),
        counts=[(state, outcomes.count(state)) for state in STATES],
        total=max(1, len(outcomes.outcomes)),
        colours=_STATE_COLOURS,
        outcomes=outcomes.outcomes,
        source=name,
    )


def write_comparison(
    file: str, changes: Changes, answers: list[tuple[str, int, Comparison]], names: tuple[str, str]
) -> None:
    """Write the page of a comparison: changed documents with their lines, and the answers side by side."""
    marked = changes.marked
    write_page(
        file,
        "diff.html",
        title=f"{names[0]} against {names[1]}",
        about=f"{pluralize(len(marked), 'document')} with differences",
        changes=changes,
        documents=[_document(changes, mark, id_) for mark, id_ in marked[:_MOST_DOCUMENTS]],
        more=max(0, len(marked) - _MOST_DOCUMENTS),
        answers=[_answer(*answer, names) for answer in answers],
    )


def _document(changes: Changes, mark: str, id_: str) -> dict[str, Any]:
    lines = changes.text_diff(id_)
    return {
        "mark": mark,
        "colour": _MARKS[mark],
        "id": id_,
        "lines": [(line[:1], line) for line in lines[:_MOST_LINES]],
        "more": max(0, len(lines) - _MOST_LINES),
    }


def _answer(query: str, budget: int, comparison: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    """The chosen documents of both sides, each in the order of its ranking."""
    differences = comparison.differences
    before = [(item.before, item) for item in differences if item.before and item.before.chosen]
    after = [(item.after, item) for item in differences if item.after and item.after.chosen]
    sides = [
        {"name": name, "tokens": explained.tokens_used, "rows": list(_rows(entries))}
        for name, explained, entries in (
            (names[0], comparison.before, before),
            (names[1], comparison.after, after),
        )
    ]
    differs = any(item.fate != "kept" for item in differences)
    return {"query": query, "budget": budget, "differs": differs, "sides": sides}


def _rows(entries: list[tuple[RankedDocument, Difference]]) -> Iterator[dict[str, Any]]:
    for entry, difference in sorted(entries, key=lambda pair: pair[0].rank or 0):
        yield {
            "rank": entry.rank,
            "id": entry.id,
            "tokens": entry.tokens,
            "colour": _FATES[difference.fate],
            "cause": "" if difference.fate == "kept" else f"{difference.fate}: {difference.cause}",
        }


def write_explanation(file: str, explained: Explanation, *, name: str, limit: int | None) -> None:
    """Write the page of an explanation: the ranking with the share of each word, and the budget."""
    documents = explained.store.manifest.document_count
    slots = explained.word_positions
    entries = list(islice(explained.entries(), limit))
    highest = explained.first(1)[0][1] if explained.matches else 1
    chosen = [explained.entry(rank) for rank in explained.chosen_ranks]
    points = budget_curve(explained)
    chart = Chart("documents by budget", [p.budget for p in points], points[-1].documents, percent=False)
    chart.add("documents chosen", 0, {point.budget: point.documents for point in points})
    write_page(
        file,
        "why.html",
        title=explained.query,
        about=f"{name} · {explained.matches:,} of {pluralize(documents, 'document')} match",
        words=list(_words(explained, slots)),
        budget=explained.budget,
        used=explained.tokens_used,
        segments=[
            {"id": entry.id, "tokens": entry.tokens, "share": _share(entry.tokens, explained.budget or 1)}
            for entry in chosen
        ],
        chart=chart,
        rows=[_ranked(entry, slots, highest) for entry in entries],
        more=explained.matches - len(entries),
    )


def _words(explained: Explanation, slots: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    for word in explained.words:
        colour = slots[word.text] % _COLOURS if word.text in slots else None
        said = {"scored": f"in {word.documents:,}", "unknown": "in no document"}.get(word.status, word.status)
        yield {"text": word.text, "colour": colour, "said": said}


def _ranked(entry: RankedDocument, slots: Mapping[str, int], highest: int) -> dict[str, Any]:
    bars = [
        {
            "label": share.label,
            "value": share.value,
            "share": _share(share.value, highest),
            "colour": slots[share.label] % _COLOURS if share.label in slots else None,
        }
        for share in sorted(entry.shares, key=lambda share: -share.value)
        if share.value > 0
    ]
    fields = ("rank", "chosen", "id", "title", "score", "tokens")
    return {name: getattr(entry, name) for name in fields} | {"bars": bars, "fate": decision(entry)}


def _share(part: int, whole: int) -> float:
    """`part` in percent of `whole`."""
    return round(100 * part / max(whole, 1), 2)
