"""What clients read of the tools: schemas that all of them can read, texts of bearable length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from mcp.server.lowlevel import Server

from ctxcache.server.cache_tools import ASKING
from ctxcache.server.instructions import instructions
from ctxcache.server.protocol import ContextServer, Workers
from ctxcache.server.serve import ServeOptions, toolbox_of
from ctxcache.server.service import RootedCaches
from ctxcache.server.toolbox import Toolbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ctxcache.server.toolbox import Tool


@pytest.fixture
def options(tmp_path: Path) -> ServeOptions:
    return ServeOptions(cache_root=str(tmp_path), project=str(tmp_path))


@pytest.fixture
def tools(options: ServeOptions) -> list[Tool]:
    return list(toolbox_of(options).listed.values())


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema and all schemas in it."""
    yield schema
    for inner in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        yield from nodes(inner)


def test_schemas_are_valid_and_plain(tools: list[Tool]) -> None:
    """No unions, no null, no references: one schema that a client cannot read costs all tools."""
    plain = {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "description",
        "minimum",
        "maximum",
    }
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert schema["additionalProperties"] is False
            for node in nodes(schema):
                assert set(node) <= plain
                assert node["type"] in {"object", "array", "string", "integer", "number", "boolean"}


def test_no_message_is_traced() -> None:
    """The SDK traces each, for whoever collects that; this server talks to its client alone."""
    assert Server("theirs").middleware, "what there is to remove"
    assert not ContextServer(Toolbox([]), Workers(), make_instructions=lambda: "").middleware


def test_every_argument_is_described(tools: list[Tool]) -> None:
    for tool in tools:
        assert all("description" in schema for schema in tool.input_schema["properties"].values())


def test_how_to_ask_is_told_with_the_query_too(options: ServeOptions) -> None:
    """Copilot CLI and Qwen Code show a model no instructions."""
    query = toolbox_of(options).listed["context.resolve"].input_schema["properties"]["query"]
    assert "`also: other words`" in query["description"]
    assert query["description"].endswith(ASKING)
    assert ASKING in instructions(RootedCaches(str(options.cache_root)), has_project=False)


def test_texts_are_short_and_begin_with_what_is_searched_for(
    tools: list[Tool],
) -> None:
    for tool in tools:
        assert len(tool.description) < 1000
        assert "context" in tool.description.partition(". ")[0].lower()
        assert tool.title


def test_texts_name_no_tool_that_has_two_spellings(tools: list[Tool]) -> None:
    """A model that reads `context.resolve` cannot call it where `context_resolve` is listed."""
    for tool in tools:
        words = tool.description + str(tool.input_schema)
        assert "context.resolve" not in words
        assert "context.list_caches" not in words


def test_the_options_say_which_tools_there_are(tmp_path: Path) -> None:
    caches, scopes = ServeOptions(cache_root=str(tmp_path)), ServeOptions(project=str(tmp_path))
    assert (len(toolbox_of(caches).listed), len(toolbox_of(scopes).listed)) == (4, 3)
    fixed = ServeOptions(project=str(tmp_path), path_override=False)
    assert all("path" not in tool.argument_names for tool in toolbox_of(fixed).listed.values())
    assert all("path" in tool.argument_names for tool in toolbox_of(scopes).listed.values())


def test_a_missing_cache_root_is_said_once_and_not_fatal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    toolbox = toolbox_of(ServeOptions(cache_root=str(tmp_path / "nothing")))
    assert [str(tmp_path / "nothing") in record.getMessage() for record in caplog.records] == [True]
    assert toolbox.call("context.list_caches", {}).is_error
