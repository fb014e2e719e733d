"""The MCP server: tools and resources behind the SDK's low-level `Server`, with or without a handshake.

The SDK's high-level class would ignore unknown arguments, coerce values and send the text of exceptions; the
low-level one passes all that to the handlers here.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .. import __version__
from ..errors import InternalError, OperationError
from ..text.display import escape_control
from .resources import TEMPLATE, Resource, Resources, UnknownResource
from .stdio.frames import AS_TEXT
from .toolbox import Reply, RequestError, Tool, Toolbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext


Result = TypeVar("Result")

log = logging.getLogger(__name__)

LIST_TTL = 3_600_000  # milliseconds; the list of tools never changes while a server runs
TEXT = "text/markdown"
LARGEST_RESULT = 500_000  # characters of a result that a client should not cut
NOT_FOUND = -32002
"""The code of an unknown resource in versions with a handshake; later ones call it an invalid parameter."""
MOST_LISTENING = 16  # open streams of one client; each of them is a pending request


class Workers:
    """A fixed number of threads that run calls, with a limit of time for each call.

    The event loop stays free: slow calls wait for a thread and delay nothing else.
    """

    def __init__(self, *, threads: int = 8, timeout: float = 30) -> None:
        """`timeout` is in seconds and counts from the call, the wait for a thread included."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="call")
        self._timeout = timeout

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of a function, which runs in a thread. Raises what it raises, or `TimeoutError`.

        After a timeout or a cancellation, a function that has no thread yet never runs; the result of one
        that runs is ignored, because a thread cannot be stopped.
        """
        with anyio.fail_after(self._timeout):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class ResourceHandlers:
    """The handlers of requests about resources."""

    def __init__(self, resources: Resources, workers: Workers, changes: ChangeNotifier) -> None:
        self._resources = resources
        self._workers = workers
        self._changes = changes

    @property
    def by_argument(self) -> dict[str, Any]:
        """The handlers by their parameters of the SDK's `Server`."""
        return {
            "on_list_resources": self._list,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read,
            "on_completion": self._complete,
            "on_subscriptions_listen": self._changes.listen,
        }

    async def _list(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        try:
            resources, next_cursor = await self._workers.run(lambda: self._resources.page(cursor))
        except ValueError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        await self._changes.notify(context)
        return types.ListResourcesResult(resources=list(map(_resource, resources)), next_cursor=next_cursor)

    async def _list_templates(
        self, _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="document", title="A document of a context cache", uri_template=TEMPLATE, mime_type=TEXT
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read(
        self, context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            read = await self._workers.run(lambda: self._resources.read(uri))
        except UnknownResource:
            is_modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            code = types.INVALID_PARAMS if is_modern else NOT_FOUND
            raise MCPError(code, "There is no such resource", {"uri": uri}) from None
        except OperationError as error:
            log.warning("%s: %s: %s", escape_control(uri), error.code, escape_control(str(error)))
            raise MCPError(types.INTERNAL_ERROR, error.message) from None
        await self._changes.notify(context)
        content = types.TextResourceContents(uri=uri, mime_type=TEXT, text=read.document.content)
        return types.ReadResourceResult(contents=[content])

    async def _complete(
        self, context: ServerRequestContext[Any], params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        cache = (params.context.arguments or {}).get("cache", "") if params.context is not None else ""
        argument = params.argument
        values = await self._workers.run(
            lambda: self._resources.complete(argument.name, argument.value, cache)
        )
        await self._changes.notify(context)
        return types.CompleteResult(completion=types.Completion(values=values))


def _resource(resource: Resource) -> types.Resource:
    return types.Resource(**resource._asdict(), mime_type=TEXT)


class ChangeNotifier:
    """Notifies the client that the list of resources changed, when a request has found a rebuilt cache.

    In versions with a handshake the notification goes to the client, in later ones to its open streams.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        """`count` returns the number of changes since the start."""
        self._count = count
        self._notified = 0
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=MOST_LISTENING)

    async def notify(self, context: ServerRequestContext[Any]) -> None:
        """Send a notification if anything changed since the last one."""
        count = self._count()
        if count != self._notified:
            self._notified = count
            await context.session.send_resource_list_changed()  # the SDK sends it to clients that want it
            await self._bus.publish(ResourcesListChanged())

    async def listen(
        self, context: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of notifications; the only ones that the server has are those of the list."""
        wanted = types.SubscriptionFilter(resources_list_changed=params.notifications.resources_list_changed)
        return await self._streams(context, params.model_copy(update={"notifications": wanted}))

    def close(self) -> None:
        """End all streams, at the end of the input."""
        self._streams.close()


class ContextServer(Server[Any]):
    """A server of tools and resources, whose instructions are made anew for each client."""

    def __init__(
        self,
        toolbox: Toolbox,
        workers: Workers,
        *,
        make_instructions: Callable[[], str],
        structured: bool = True,
        resources: Resources | None = None,
    ) -> None:
        """With `structured`, results have their object as well as their text; `resources` may be left out."""
        self._toolbox = toolbox
        self._workers = workers
        self._make_instructions = make_instructions
        self._structured = structured
        self._tools = [_listed(name, tool, structured) for name, tool in toolbox.listed.items()]
        self.changes = ChangeNotifier(lambda: resources.changes if resources is not None else 0)
        handlers = (
            ResourceHandlers(resources, workers, self.changes).by_argument if resources is not None else {}
        )
        super().__init__(
            "ctxcache",
            version=__version__,
            title="Context caches",
            on_list_tools=self._on_list_tools,
            on_call_tool=self._on_call_tool,
            **handlers,
        )
        self.middleware.clear()  # OpenTelemetry, which would trace every message for nobody

    @property
    def instructions(self) -> str | None:
        """The instructions for the caches as they are now."""
        return self._make_instructions()

    @instructions.setter
    def instructions(self, _: str | None) -> None:
        """Ignore the value: the SDK sets None."""

    def get_capabilities(self, *arguments: Any, **options: Any) -> types.ServerCapabilities:
        """The capabilities that the SDK derives; of the two lists only that of resources may change."""
        capabilities = super().get_capabilities(*arguments, **options)
        if capabilities.tools is not None:
            capabilities.tools.list_changed = False
        if capabilities.resources is not None:
            capabilities.resources = types.ResourcesCapability(subscribe=False, list_changed=True)
        return capabilities

    async def _on_list_tools(
        self, _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "The list has one page: there is no cursor")
        return types.ListToolsResult(tools=self._tools, ttl_ms=LIST_TTL, cache_scope="public")

    async def _on_call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            result = await self._workers.run(lambda: self._call(params.name, params.arguments or {}))
        except RequestError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except TimeoutError:
            log.error("%s: internal_error: no answer in time", params.name)
            return _result(Reply.failure(InternalError), self._structured)
        await self.changes.notify(context)
        return result

    def _call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool and make its result, in a thread."""
        return _result(self._toolbox.call(name, arguments), self._structured)


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
    """The text and, for a success, the same as an object (rule C12), for which `encode` copies the text."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.text)],
        structured_content=AS_TEXT if structured and not reply.is_error else None,
        is_error=reply.is_error,
    )
