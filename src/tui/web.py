"""The inspector in a browser: one process for each visitor, on the loopback address only."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from aiohttp import web
from textual_serve.server import Server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp.typedefs import Handler

HOST = "127.0.0.1"


class LocalServer(Server):
    """Answers requests from this machine, and only those of pages that it served itself."""

    def __init__(self, arguments: Sequence[str], port: int) -> None:
        """`arguments` are the command line of the process that is started for each visitor."""
        # -P: Python imports nothing from the current directory, which may hold untrusted files.
        command = shlex.join([sys.executable, "-P", "-m", "ctxcache", *arguments])
        super().__init__(command, host=HOST, port=port, title="ctx")
        self._own = {f"{name}:{port}" for name in (HOST, "localhost")}
        # The page of textual-serve loads a font from another site, which would learn of each visit.
        self._policy = (
            f"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob: http://{HOST}:{port} "
            f"ws://{HOST}:{port}"
        )

    async def run(self) -> None:
        """Serve until the process is told to end. `OSError` when the port is taken."""
        ended = asyncio.Event()
        with suppress(NotImplementedError):  # Windows ends a process without asking it
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        app = await self._make_app()
        app.middlewares.append(self._guard)
        runner = web.AppRunner(app)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self.port).start()
            print(f"the inspector is at {self.public_url} (Ctrl+C ends it)", file=sys.stderr, flush=True)
            await ended.wait()
        finally:
            await runner.cleanup()

    async def on_startup(self, app: web.Application) -> None:
        """Print nothing: standard output is for results."""

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests of other sites' pages, which could read the caches and send keys."""
        origin = request.headers.get("Origin")
        foreign = origin is not None and origin.partition("://")[2] not in self._own
        if request.host not in self._own or foreign:
            raise web.HTTPForbidden(text="this page is for this machine only")
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = self._policy
        return response


def serve(arguments: Sequence[str], port: int) -> None:
    """Serve until Ctrl-C. Raises `OSError` when the port is taken."""
    asyncio.run(LocalServer(arguments, port).run())
