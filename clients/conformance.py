"""The MCP conformance suite against `ctx serve`, in the versions with a handshake and in 2026-07-28.

The suite speaks HTTP and calls tools and resources of a test server by name. A bridge on a loopback port
passes its messages to our process and ours to it, and writes our names in place of those that we have a
counterpart of. What the server does not do stands in `ABSENT` and `ABSENT_CHECKS`, with the reason; whatever
else fails makes the exit code 1. `make clients` runs this.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread
from typing import Any

import ctxcache

HERE = Path(__file__).parent
NODE, SUITE = (str(HERE / "node_modules" / ".bin" / name) for name in ("node", "conformance"))
VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
PATIENCE = 60  # seconds for an answer, and for a scenario
PASSED, ASIDE = "passed", "do not apply"
ROUTED = "io.modelcontextprotocol/subscriptionId"

Message = dict[str, Any]

TOOLS: dict[str, tuple[str, Message]] = {
    "test_simple_text": ("context.list_caches", {}),
    "test_error_handling": ("context.inspect_cache", {"cache": "nothing"}),
    "test_logging_tool": ("context.list_caches", {}),
    "test_streaming_elicitation": ("context.list_caches", {}),
}
"""Our call for a fixture's: a text, an error, and two whose answers must bring nothing else along."""
RESOURCES = {
    "test://static-text": "ctx:///pages/static.md",
    "test://template/123/data": "ctx:///pages/123.md",
}
"""Our resource for a fixture's."""
ABSENT = {
    "logging-set-level": "logs go to standard error",
    "tools-call-with-logging": "logs go to standard error",
    "tools-call-image": "tools answer with text",
    "tools-call-audio": "tools answer with text",
    "tools-call-embedded-resource": "tools answer with text",
    "tools-call-mixed-content": "tools answer with text",
    "tools-call-with-progress": "a call takes milliseconds",
    "tools-call-sampling": "the server asks a client for nothing",
    "tools-call-elicitation": "the server asks a client for nothing",
    "elicitation-sep1034-defaults": "the server asks a client for nothing",
    "elicitation-sep1330-enums": "the server asks a client for nothing",
    "json-schema-2020-12": "schemas are plain, for clients that read no more",
    "resources-read-binary": "documents are text",
    "resources-subscribe": "subscriptions are to the list",
    "resources-unsubscribe": "subscriptions are to the list",
    "prompts-list": "there are no prompts",
    "prompts-get-simple": "there are no prompts",
    "prompts-get-with-args": "there are no prompts",
    "prompts-get-embedded-resource": "there are no prompts",
    "prompts-get-with-image": "there are no prompts",
    "server-session-lifecycle": "of HTTP",
    "server-sse-polling": "of HTTP",
    "server-sse-multiple-streams": "of HTTP",
    "dns-rebinding-protection": "of HTTP",
    "http-header-validation": "of HTTP",
    "http-custom-header-server-validation": "of HTTP",
}
"""The scenarios that do not apply. Those of extensions are not listed by the suite for a version."""
ABSENT_PREFIXES = {"input-required-result-": "the server asks a client for nothing"}
ABSENT_CHECKS = {
    "sep-2549-prompts-list-caching-hints": "there are no prompts",
    "sep-2575-server-rejects-undeclared-capability": "no tool needs a capability",
    "sep-2575-missing-capability-http-400": "no tool needs a capability",
    "sep-2575-http-server-header-mismatch-400": "of HTTP",
    "sep-2575-http-server-method-not-found-404-initialize": (
        "on standard input a handshake that comes too late is told the versions that are served"
    ),
}
"""Single checks of other scenarios that do not apply."""
FIRST: Message = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bridge", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
"""On standard input a first request decides the era, which over HTTP each request does."""
STATUS = {-32601: 404, -32602: 400, -32022: 400}
"""What HTTP says of errors; in 2026-07-28 alone."""


class Process:
    """A server, and who waits for which of its messages."""

    def __init__(self, caches: Path) -> None:
        command = [sys.executable, "-m", "ctxcache", "serve", "--cache-root", str(caches)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self._waiting: dict[object, Queue[Message]] = {}
        self._lock = Lock()
        self._numbers = itertools.count()
        Thread(target=self._read, daemon=True).start()

    def ask(self, message: Message) -> Queue[Message]:
        """Send a message; what comes for it, the answer last, will be in the queue."""
        queue: Queue[Message] = Queue()
        assert self._process.stdin is not None
        with self._lock:
            if "id" in message:  # clients of one server may choose the same
                number = f"{next(self._numbers)}"
                self._waiting[number] = queue
                message = {**message, "id": number}
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        return queue

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            meta = (message.get("params") or {}).get("_meta") or {}
            queue = self._waiting.get(message.get("id", meta.get(ROUTED)))
            if queue is not None:
                queue.put(message)

    def close(self) -> None:
        """End it as a client does."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=PATIENCE)


class Server(ThreadingHTTPServer):
    """The HTTP side."""

    def handle_error(self, *_: object) -> None:
        """The suite ends streams by resetting them; what else goes wrong, it tells."""


class Bridge(BaseHTTPRequestHandler):
    """One process for each session, and one for all requests without a session."""

    caches: Path
    sessions: dict[str, Process]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Pass on a message."""
        message = ours(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        session = self.headers.get("Mcp-Session-Id", "")
        is_stateless = (
            (message.get("params") or {}).get("_meta", {}).get("io.modelcontextprotocol/protocolVersion")
        )
        if message["method"] == "initialize" and not is_stateless:
            session = f"session-{len(self.sessions)}"
        if session not in self.sessions:
            self.sessions[session] = Process(self.caches)
            if not session:
                self.sessions[session].ask(FIRST).get(timeout=PATIENCE)
        queue = self.sessions[session].ask(message)
        if "id" not in message:
            return self._answer(202, b"", session)
        if message["method"] == "subscriptions/listen":
            return self._stream(queue, message["id"])
        answer = {**queue.get(timeout=PATIENCE), "id": message["id"]}
        code = answer.get("error", {}).get("code")
        has_status = not session  # with a session an error is an answer like any other
        self._answer(STATUS.get(code, 200) if has_status else 200, json.dumps(answer).encode(), session)

    def _answer(self, status: int, body: bytes, session: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if session:
            self.send_header("Mcp-Session-Id", session)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, queue: Queue[Message], id_: object) -> None:
        """All that comes, until the other side has enough."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                message = queue.get(timeout=2)
                message |= {"id": id_} if "id" in message else {}
                self.wfile.write(f"data: {json.dumps(message)}\n\n".encode())
                self.wfile.flush()
        except (Empty, OSError):
            self.close_connection = True

    def do_GET(self) -> None:
        """Nothing comes but answers."""
        self._answer(405, b"", "")

    def do_DELETE(self) -> None:
        """Sessions end with the program."""
        self._answer(405, b"", "")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def ours(message: Message) -> Message:
    """A message with our names in place of a fixture's."""
    params = message.get("params") or {}
    if message["method"] == "tools/call" and params["name"] in TOOLS:
        name, arguments = TOOLS[params["name"]]
        message["params"] = {**params, "name": name, "arguments": arguments}
    if message["method"] == "resources/read":
        message["params"] = {**params, "uri": RESOURCES.get(params["uri"], params["uri"])}
    return message


def suite(*arguments: str) -> str:
    """What the suite says."""
    command = [NODE, SUITE, *arguments]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    return ran.stdout


def scenarios(version: str) -> list[str]:
    """The scenarios that a version has for servers."""
    listed = suite("list", "--server")
    names = [line.split() for line in listed.splitlines() if line.startswith("  - ")]
    return [words[1] for words in names if version in words[2].strip("[]").split(",")]


def reason(scenario: str) -> str | None:
    """Why a scenario does not apply."""
    prefixed = (why for prefix, why in ABSENT_PREFIXES.items() if scenario.startswith(prefix))
    return ABSENT.get(scenario) or next(prefixed, None)


def checks(scenario: str, version: str, url: str) -> list[Message]:
    """What the checks of one scenario found."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--scenario", scenario, "--spec-version", version, "--output-dir", folder]
        said = suite("server", "--url", url, *options)
        files = list(Path(folder).rglob("checks.json"))
        assert files, f"{scenario}: {said}"
        return [check for file in files for check in json.loads(file.read_text("utf-8"))]


def tried(version: str, url: str) -> list[str]:
    """Run all that applies in a version; what went wrong, a line each."""
    names = scenarios(version)
    applying = [name for name in names if reason(name) is None]
    found = [(name, check) for name in applying for check in checks(name, version, url)]
    counts = Counter(verdict(check) for _, check in found)
    print(f"{version}: {len(applying)} of {len(names)} scenarios apply; checks: {dict(counts)}", flush=True)
    return [
        f"{version} {name} {check['id']}: {check.get('errorMessage')}"
        for name, check in found
        if verdict(check) not in (PASSED, ASIDE)
    ]


def verdict(check: Message) -> str:
    """What a check comes to; what is only told, without a verdict, has passed."""
    if check["id"] in ABSENT_CHECKS or check["status"] == "SKIPPED":
        return ASIDE
    return PASSED if check["status"] in ("SUCCESS", "INFO") else str(check["status"])


def main() -> None:
    """Try each version; exit code 1 if something else than expected fails."""
    with tempfile.TemporaryDirectory() as folder:
        pages, caches = Path(folder) / "pages", Path(folder) / "caches"
        pages.mkdir()
        for name in ("static", "123"):
            (pages / f"{name}.md").write_text(f"# Page {name}\n\nOf the bridge.\n", "utf-8")
        ctxcache.build(pages, caches / "pages", jobs=1)
        sessions: dict[str, Process] = {}
        server = Server(
            ("127.0.0.1", 0), type("Handler", (Bridge,), {"caches": caches, "sessions": sessions})
        )
        Thread(target=server.serve_forever, daemon=True).start()
        failed = [
            line for version in VERSIONS for line in tried(version, f"http://127.0.0.1:{server.server_port}")
        ]
        server.shutdown()
        for process in sessions.values():
            process.close()
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    main()
