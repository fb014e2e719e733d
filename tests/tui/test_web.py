"""The inspector in a browser: the page, its socket, and who is let in."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import ClientSession, WSServerHandshakeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

pytestmark = pytest.mark.asyncio

PATIENCE = 120.0  # seconds for what takes less than one, or ten on a busy machine

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture
def server(caches: Path, tmp_path: Path) -> Iterator[str]:
    """`ctx tui --web` on a free port of the loopback address; gives host and port.

    It is started in a folder whose modules nobody asked for.
    """
    (tmp_path / "ctxcache.py").write_text("raise SystemExit('a file of the folder was run')\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-P", "-m", "ctxcache", "tui", str(caches), "--web", "--port", str(port)]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        assert process.stderr.readline() == (
            f"the inspector is at http://127.0.0.1:{port} (Ctrl+C ends it)\n".encode()
        )
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        assert process.stdout.read() == b""
        process.stderr.close()
        process.stdout.close()
        process.wait(PATIENCE)


async def drawn(socket: Any, text: str) -> None:
    """Read what the program draws until it holds a text."""
    seen = ""
    async with asyncio.timeout(PATIENCE):
        while text not in re.sub(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]", "", seen):
            message = await socket.receive()
            assert message.data is not None, seen
            if isinstance(message.data, bytes):
                seen += message.data.decode("utf-8", "replace")


async def test_a_visitor_gets_a_page_and_an_inspector_of_its_own(server: str) -> None:
    async with ClientSession() as visitor:
        async with visitor.get(f"http://{server}/") as page:
            assert page.status == 200
            assert "https" not in page.headers["Content-Security-Policy"]
        address = f"ws://{server}/ws?width=100&height=30"
        async with visitor.ws_connect(address, origin=f"http://{server}") as wire:
            await drawn(wire, "Type what an agent would ask")
            await wire.send_json(["stdin", "roll back"])
            await drawn(wire, "did not fit")


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
async def test_the_pages_of_other_sites_are_not_let_in(server: str, origin: str) -> None:
    """Any page that a browser shows can open a socket to this machine; it would read the caches."""
    async with ClientSession() as visitor:
        with pytest.raises(WSServerHandshakeError):
            await visitor.ws_connect(f"ws://{server}/ws", origin=origin)
        async with visitor.get(f"http://{server}/", headers={"Host": "evil.example"}) as page:
            assert page.status == 403


@asynccontextmanager
async def browser(place: Path, address: str) -> AsyncIterator[Any]:
    """A headless browser at an address; gives a function that sends it commands."""
    assert BROWSER is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"]
    process = subprocess.Popen(
        [BROWSER, *options, f"--user-data-dir={place}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            while not (port_file := place / "DevToolsActivePort").exists() or not port_file.read_text():
                assert process.poll() is None
                await asyncio.sleep(0.05)  # a file of another program: nothing tells when it is written
        port = port_file.read_text().split()[0]
        async with ClientSession() as session:
            async with session.put(f"http://127.0.0.1:{port}/json/new?{address}") as opened:
                target = await opened.json()
            async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as wire:
                yield Page(wire)
    finally:
        process.kill()
        process.wait(PATIENCE)


class Page:
    """A page of a browser, by the protocol of its developer tools."""

    def __init__(self, wire: Any) -> None:
        self._wire = wire
        self._sent = 0

    async def send(self, method: str, **parameters: object) -> dict[str, Any]:
        """A command and its result."""
        self._sent += 1
        await self._wire.send_json({"id": self._sent, "method": method, "params": parameters})
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = json.loads((await self._wire.receive()).data)
                if answer.get("id") == self._sent:
                    return dict(answer["result"])

    async def value(self, expression: str) -> Any:
        """What an expression is on the page."""
        return (await self.send("Runtime.evaluate", expression=expression))["result"]["value"]

    async def press(self, text: str, key: str = "", code: int = 0) -> None:
        """A key, down and up."""
        named = {"key": key or text, "windowsVirtualKeyCode": code} if key else {"key": text}
        await self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **named)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed; the socket is tested without one")
async def test_a_query_typed_in_a_browser_reaches_the_program(server: str, tmp_path: Path) -> None:
    """From the keys of a real browser to the history that the program keeps."""
    history = tmp_path / "ctxcache" / "queries.jsonl"
    async with browser(tmp_path / "profile", f"http://{server}/") as page:
        async with asyncio.timeout(PATIENCE):
            while "-first-byte" not in await page.value("document.body?.className ?? ''"):
                continue
        await page.send("Emulation.setFocusEmulationEnabled", enabled=True)
        for kind in ("mousePressed", "mouseReleased"):
            await page.send("Input.dispatchMouseEvent", type=kind, x=200, y=45, button="left", clickCount=1)
        for letter in "pager":
            await page.press(letter)
        async with asyncio.timeout(PATIENCE):
            while not history.exists():
                await page.press("\r", key="Enter", code=13)
    assert '"query": "pager"' in history.read_text()


async def test_the_inspector_of_a_visitor_ends_with_the_server(caches: Path, tmp_path: Path) -> None:
    """A server that is killed tells nobody: its end of the pipe closes."""
    driver = {"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"}
    with subprocess.Popen(
        [sys.executable, "-m", "ctxcache", "tui", str(caches)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **driver, "XDG_STATE_HOME": str(tmp_path)},
    ) as process:
        try:
            assert process.stdin is not None and process.stdout is not None
            assert process.stdout.readline() == b"__GANGLION__\n"
            process.stdin.close()
            assert process.wait(PATIENCE) == 129
        finally:
            process.kill()


async def test_a_port_that_is_taken_is_an_error_in_words(server: str, caches: Path) -> None:
    port = server.partition(":")[2]
    command = [sys.executable, "-m", "ctxcache", "tui", str(caches), "--web", "--port", port]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (ran.returncode, ran.stdout) == (6, "")
    assert ran.stderr.startswith("error: ") and "in use" in ran.stderr
    assert ran.stderr.count("\n") == 1
