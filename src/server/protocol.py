"""The MCP server: a toolbox behind the SDK's low-level `Server`, in both protocol eras.

The SDK's high-level class would ignore unknown arguments, coerce values and put the text
of exceptions on the wire; the low-level one passes everything to the handlers here.
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
from .stdio.frames import SPELLED
from .toolbox import Reply, RequestError, Tool, Toolbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext


Result = TypeVar("Result")

log = logging.getLogger(__name__)

LIST_TTL = 3_600_000  # milliseconds: the list never changes while a server runs
TEXT = "text/markdown"
LARGEST_RESULT = 500_000  # characters that a client is asked to pass on whole
NOT_FOUND = -32002
"""The code of an unknown resource in the versions with a handshake; later ones say it is a wrong argument."""
MOST_LISTENING = 16  # streams of one client; each stays open, and takes its share of what may be unanswered


class Workers:
    """A fixed number of threads, so that the event loop is always free, and a bound for each call.

    Any number of slow calls waits for the threads and delays nothing else.
    """

    def __init__(self, *, threads: int = 8, timeout: float = 30) -> None:
        """`timeout` is in seconds and counts from the call, the wait for a thread included."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="call")
        self._timeout = timeout

    async def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns or raises; `TimeoutError` when it takes too long.

        Work that is cancelled or late before it got a thread never begins; work that began
        runs to its end unheard, for a thread cannot be stopped.
        """
        with anyio.fail_after(self._timeout):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class ResourceHandlers:
    """What answers requests about resources."""

    def __init__(self, resources: Resources, workers: Workers, changes: ChangeNotifier) -> None:
        self._resources = resources
        self._workers = workers
        self._changes = changes

    @property
    def by_argument(self) -> dict[str, Any]:
        """The handlers by the SDK's argument for each."""
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
            listed, following = await self._workers.run(lambda: self._resources.page(cursor))
        except ValueError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        await self._changes.tell(context)
        return types.ListResourcesResult(resources=list(map(_resource, listed)), next_cursor=following)

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
        await self._changes.tell(context)
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
        await self._changes.tell(context)
        return types.CompleteResult(completion=types.Completion(values=values))


def _resource(each: Resource) -> types.Resource:
    return types.Resource(uri=each.uri, name=each.name, title=each.title, mime_type=TEXT)


class ChangeNotifier:
    """Tells clients that the list of resources changed, when a request has found a cache built anew.

    With a handshake the message goes to the client; in later versions to the streams that asked for it.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        """`count` says how many changes were found until now."""
        self._count = count
        self._announced = 0
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus, max_subscriptions=MOST_LISTENING)

    async def tell(self, context: ServerRequestContext[Any]) -> None:
        """Tell of what was found since the last time, if anything was."""
        count = self._count()
        if count != self._announced:
            self._announced = count
            await context.session.send_resource_list_changed()  # not sent where it was not asked for
            await self._bus.publish(ResourcesListChanged())

    async def listen(
        self, context: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of changes; of all that a client may ask for, there are those of the list."""
        asked = types.SubscriptionFilter(resources_list_changed=params.notifications.resources_list_changed)
        return await self._streams(context, params.model_copy(update={"notifications": asked}))

    def close(self) -> None:
        """End all streams: no more requests will come."""
        self._streams.close()


class ContextServer(Server[Any]):
    """A server of tools and resources, whose instructions are made when a client asks for them."""

    def __init__(
        self,
        toolbox: Toolbox,
        workers: Workers,
        *,
        introduce: Callable[[], str],
        structured: bool = True,
        resources: Resources | None = None,
    ) -> None:
        """`introduce` makes the instructions; `structured` adds the object to the text of each result."""
        self._toolbox = toolbox
        self._workers = workers
        self._introduce = introduce
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
        self.middleware.clear()  # OpenTelemetry: a trace of every message, for a server that talks to nobody

    @property
    def instructions(self) -> str | None:
        """The instructions as they are now."""
        return self._introduce()

    @instructions.setter
    def instructions(self, _: str | None) -> None:
        """The SDK sets them to nothing."""

    def get_capabilities(self, *arguments: Any, **options: Any) -> types.ServerCapabilities:
        """Those that the SDK derives, but that the list of resources alone changes, in every version."""
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
        await self.changes.tell(context)
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
    """The text as it is and, for a success, the same as an object (rule C12), which the frame will hold."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=reply.text)],
        structured_content=SPELLED if structured and not reply.is_error else None,
        is_error=reply.is_error,
    )
