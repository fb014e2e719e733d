"""The MCP server: a toolbox behind the SDK's low-level `Server`, in both protocol eras.

The SDK's high-level class would ignore unknown arguments, coerce values and put the text
of exceptions on the wire; the low-level one passes everything to the two handlers here.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .. import __version__
from ..errors import InternalError, OperationError
from ..text.visible import visible
from .resources import TEMPLATE, UnknownResource
from .stdio.frames import SPELLED
from .tools.tool import Reply, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext

    from .resources import Resource, Resources
    from .tools.tool import Tool
    from .tools.toolbox import Toolbox
    from .workers import Workers

log = logging.getLogger(__name__)

LIST_TTL = 3_600_000  # milliseconds: the list never changes while a server runs
TEXT = "text/markdown"
LARGEST_RESULT = 500_000  # characters that a client is asked to pass on whole


NOT_FOUND = -32002
"""The code of an unknown resource in the versions with a handshake; later ones say it is a wrong argument."""


def resource_handlers(resources: Resources, workers: Workers) -> dict[str, Any]:
    """What answers requests about resources, by the SDK's argument for it."""

    async def list_resources(
        _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        try:
            found, following = await workers.run(lambda: resources.page(cursor))
        except ValueError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return types.ListResourcesResult(resources=list(map(_resource, found)), next_cursor=following)

    async def list_templates(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="document", title="A document of a context cache", uri_template=TEMPLATE, mime_type=TEXT
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            read = await workers.run(lambda: resources.read(uri))
        except UnknownResource:
            is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            raise MCPError(
                types.INVALID_PARAMS if is_modern else NOT_FOUND, "There is no such resource"
            ) from None
        except OperationError as error:
            log.warning("%s: %s: %s", visible(uri), error.code, visible(str(error)))
            raise MCPError(types.INTERNAL_ERROR, error.message) from None
        content = types.TextResourceContents(uri=uri, mime_type=TEXT, text=read.document.content)
        return types.ReadResourceResult(contents=[content])

    async def complete(
        _: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        cache = (params.context.arguments or {}).get("cache", "") if params.context is not None else ""
        argument = params.argument
        values = await workers.run(lambda: resources.complete(argument.name, argument.value, cache))
        return types.CompleteResult(completion=types.Completion(values=values))

    return {
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
        "on_completion": complete,
    }


def _resource(each: Resource) -> types.Resource:
    return types.Resource(uri=each.uri, name=each.name, title=each.title, mime_type=TEXT)


class IntroducedServer(Server[Any]):
    """A server whose instructions are made when a client asks for them."""

    def __init__(self, name: str, introduce: Callable[[], str], **options: Any) -> None:
        """`options` are the SDK's."""
        self._introduce = introduce
        super().__init__(name, **options)

    @property
    def instructions(self) -> str | None:
        """The instructions as they are now."""
        return self._introduce()

    @instructions.setter
    def instructions(self, _: str | None) -> None:
        """The SDK sets them to nothing."""


def build_server(
    toolbox: Toolbox,
    workers: Workers,
    *,
    introduce: Callable[[], str],
    structured: bool = True,
    resources: Resources | None = None,
) -> Server[Any]:
    """A server of these tools and resources; `structured` adds the object to the text of each result."""
    listed = [_listed(name, tool, structured) for name, tool in toolbox.listed.items()]

    async def list_tools(
        _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "The list has one page: there is no cursor")
        return types.ListToolsResult(tools=listed, ttl_ms=LIST_TTL, cache_scope="public")

    async def call_tool(
        _: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        def work() -> types.CallToolResult:
            return _result(toolbox.call(params.name, params.arguments or {}), structured)

        try:
            return await workers.run(work)
        except RequestError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except TimeoutError:
            log.error("%s: internal_error: no answer in time", params.name)
            return _result(Reply.failure(InternalError), structured)

    server = IntroducedServer(
        "ctxcache",
        introduce,
        version=__version__,
        title="Context caches",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **({} if resources is None else resource_handlers(resources, workers)),
    )
    server.middleware.clear()  # OpenTelemetry: a trace of every message, for a server that talks to nobody
    return server


def _listed(name: str, tool: Tool, structured: bool) -> types.Tool:
    return types.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema if structured else None,
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
        _meta={"anthropic/maxResultSizeChars": LARGEST_RESULT} if tool.is_long else None,
    )


def _result(reply: Reply, structured: bool) -> types.CallToolResult:
    """The text as it is and, for a success, the same as an object (rule C12), which the frame will hold."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.text)],
        structured_content=SPELLED if structured and not reply.is_error else None,
        is_error=reply.is_error,
    )
