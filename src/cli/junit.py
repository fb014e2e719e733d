"""The outcome of query tests as JUnit XML, which CI systems read."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from ..resolver.query_tests import ERROR, FAILED
from ..text.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..resolver.query_tests import Outcome, Outcomes

_ELEMENTS = {FAILED: "failure", ERROR: "error"}


def junit_xml(outcomes: Outcomes, file: str) -> str:
    """One suite with a case for each test; characters that XML forbids are spelled out."""
    return "".join(f"{line}\n" for line in _lines(outcomes, file))


def _lines(outcomes: Outcomes, file: str) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    failed, errors = outcomes.count(FAILED), outcomes.count(ERROR)
    counts = f'tests="{len(outcomes.outcomes)}" failures="{failed}" errors="{errors}"'
    yield f"<testsuites {counts}>"
    yield f"  <testsuite name={_quoted(file)} {counts}>"
    for outcome in outcomes.outcomes:
        yield from _case(outcome, file)
    yield "  </testsuite>"
    yield "</testsuites>"


def _case(outcome: Outcome, file: str) -> Iterator[str]:
    test = outcome.test
    case = (
        f'classname={_quoted(test.cache)} name={_quoted(test.query)} file={_quoted(file)} line="{test.line}"'
    )
    if outcome.state not in _ELEMENTS:
        yield f"    <testcase {case}/>"
        return
    element = _ELEMENTS[outcome.state]
    text = escape("\n".join(map(visible, outcome.problems)))
    yield f"    <testcase {case}>"
    yield f"      <{element} message={_quoted(outcome.problems[0])}>{text}</{element}>"
    yield "    </testcase>"


def _quoted(text: str) -> str:
    return quoteattr(visible(text))
