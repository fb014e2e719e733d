"""Calling tools by name: spellings, names that there are not, failures."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from ctxcache.errors import CacheInvalid, CacheMissing, InternalError, InvalidBudget, InvalidQuery, IoError
from ctxcache.server.cache_tools import cache_tools
from ctxcache.server.toolbox import Reply, RequestError, Toolbox

if TYPE_CHECKING:
    from ctxcache.errors import OperationError
    from ctxcache.server.toolbox import Tool


class Said:
    """An answer that only has its text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def to_json(self) -> str:
        """The text."""
        return self.text


class Operations:
    """Operations that answer with what they were asked, or raise what they are told to."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure

    def resolve(self, cache: object, query: object, budget: object) -> Said:
        """Answer with three values."""
        return self._say([cache, query, budget])

    def list_caches(self, root: object) -> Said:
        """Answer with one."""
        return self._say([root])

    def inspect_cache(self, cache: object) -> Said:
        """Answer with one."""
        return self._say([cache])

    def read_document(self, cache: object, id_: object) -> Said:
        """Answer with two."""
        return self._say([cache, id_])

    def _say(self, value: list[object]) -> Said:
        if self.failure is not None:
            raise self.failure
        return Said(json.dumps(value))


def tools_of(failure: Exception | None = None) -> tuple[Tool, ...]:
    """The cache tools over such operations."""
    caches: Any = Operations(failure)
    return cache_tools(caches)


NAMES = ["context.resolve", "context.list_caches", "context.inspect_cache", "context.read_document"]


@pytest.fixture
def toolbox() -> Toolbox:
    return Toolbox(tools_of())


def test_one_spelling_is_listed_and_both_are_answered() -> None:
    """Some clients drop a whole server for one dot (rule C11)."""
    tools = tools_of()
    dotted, underscore = Toolbox(tools), Toolbox(tools, spelling="underscore")
    assert list(dotted.listed) == NAMES
    assert list(underscore.listed) == [name.replace(".", "_") for name in NAMES]
    for toolbox in (dotted, underscore):
        for name in (*dotted.listed, *underscore.listed):
            assert not toolbox.call(name, {}).is_error


def test_arguments_reach_the_operation_as_they_came(toolbox: Toolbox) -> None:
    """A missing one as None; the root of a listing has a default instead (rules C3, C6)."""
    said = toolbox.call("context.resolve", {"budget": 4000.0, "query": ["x"]}).text
    assert json.loads(said) == [None, ["x"], 4000.0]
    assert json.loads(toolbox.call("context.list_caches", {}).text) == ["."]
    assert json.loads(toolbox.call("context.list_caches", {"root": None}).text) == [None]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("context.resolv", {}, "did you mean `context.resolve`?"),
        ("context_inspect", {}, "did you mean `context.inspect_cache`?"),
        ("context.search", {}, "there are `context.resolve`, `context.list_caches`"),
        ("context.list", {}, "did you mean `context.list_caches`?"),
        ("rm", {}, "there are `context.resolve`, `context.list_caches`, `context.inspect_cache`"),
        (
            "context.resolve",
            {"budjet": 1},
            "Unknown argument `budjet` of context.resolve: did you mean `budget`?",
        ),
        ("context.resolve", {"x": 1}, "there are `cache`, `query`, `budget`"),
        ("context.list_caches", {"\x1b[2J": 1}, r"`\x1b[2J`"),
        ("x" * 1_000_000, {}, "x" * 80 + "…`"),
    ],
)
def test_a_name_that_there_is_not_is_an_error_of_the_request(
    toolbox: Toolbox, name: str, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(RequestError) as error:
        toolbox.call(name, arguments)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "failure", [CacheMissing, CacheInvalid, InvalidQuery, InvalidBudget, IoError, InternalError]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_failure_is_a_code_and_its_message_alone(
    name: str, failure: type[OperationError], caplog: pytest.LogCaptureFixture
) -> None:
    """Paths and system text go to the log, one line for each failure (rule C8)."""
    reply = Toolbox(tools_of(failure("/secret\n/path"))).call(name, {})
    text = f'{{"error":{{"code":"{failure.code}","message":"{failure.message}"}}}}\n'
    assert reply == Reply(text, is_error=True)
    assert [record.getMessage() for record in caplog.records] == [rf"{name}: {failure.code}: /secret\n/path"]


def test_a_fault_of_the_program_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    reply = Toolbox(tools_of(KeyError("/secret"))).call("context.resolve", {})
    assert json.loads(reply.text)["error"]["code"] == "internal_error"
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
