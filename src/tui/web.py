"""The inspector in a browser: one process for each visitor, on the loopback address only."""

from __future__ import annotations

import asyncio
import logging
import shlex
import sys
from typing import TYPE_CHECKING

from aiohttp import web
from textual_serve.server import Server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp.typedefs import Handler

HOST = "127.0.0.1"


class LocalServer(Server):
    """Answers browsers of this machine, and only for pages that it served itself."""

    def __init__(self, arguments: Sequence[str], port: int) -> None:
        """`arguments` are those of the program that each visitor gets."""
        command = shlex.join([sys.executable, "-m", "ctxcache", *arguments])
        super().__init__(command, host=HOST, port=port, title="ctx")
        self._own = {f"{name}:{port}" for name in (HOST, "localhost")}

    def initialize_logging(self) -> None:
        """Say nothing of requests."""
        logging.basicConfig(level="WARNING", format="%(message)s")

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guard)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what another site's page asks for: it would see the caches, and type."""
        origin = request.headers.get("Origin")
        foreign = origin is not None and origin.partition("://")[2] not in self._own
        if request.host not in self._own or foreign:
            raise web.HTTPForbidden(text="this page is for this machine only")
        return await handler(request)

    async def on_startup(self, app: web.Application) -> None:
        """Say where it is; results have no place here, so this is narration."""
        print(f"the inspector is at {self.public_url} (Ctrl+C ends it)", file=sys.stderr, flush=True)


def serve_locally(arguments: Sequence[str], port: int) -> None:
    """Serve until interrupted."""
    asyncio.set_event_loop(asyncio.new_event_loop())
    LocalServer(arguments, port).serve()
