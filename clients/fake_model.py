"""A model played on this machine: it calls a tool once, and remembers what came back.

It speaks the four protocols by which agents talk to models: Anthropic's messages, OpenAI's chat
completions and responses, and Gemini's. `agents.py` and `frameworks.py` run programs against it.
"""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Json = dict[str, Any]
TOOL = re.compile(r"context[-._]resolve$")
PREPARING: dict[str, Json] = {"WaitForMcpServers": {}, "tool_search": {"query": "context resolve"}}
"""Tools by which a model waits for servers, or finds tools that are not offered at once; with arguments."""
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


class FakeModel:
    """A server on a loopback port that plays the model of one conversation at a time."""

    def __init__(self, arguments: Json) -> None:
        """`arguments` are those of the one call of `context.resolve`."""
        self.arguments = arguments
        self.results: list[str] = []
        """What the model was shown of tools' results, by request."""
        self.tools: list[str] = []
        """The names of the tools that the last request offered."""
        self.paths: list[str] = []
        self.bodies: list[Json] = []
        """Each request as it came."""
        self._called = False
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def decide(self, names: list[str], results: list[str]) -> tuple[str, Json] | None:
        """The tool to call with its arguments, once; None to end."""
        self.tools = names
        found = [name for name in names if TOOL.search(name)]
        if self._called:
            self.results += results
        elif found:
            self._called = True
            return found[0], self.arguments
        elif (preparing := [name for name in names if name in PREPARING]) and not results:
            return preparing[0], PREPARING[preparing[0]]
        return None


class _Handler(BaseHTTPRequestHandler):
    model: FakeModel

    def do_GET(self) -> None:
        """A list of models, for whoever asks."""
        self._json({"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        """A turn of the model."""
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        path = self.path.partition("?")[0]
        self.model.paths.append(path)
        self.model.bodies.append(body)
        if path.endswith("/chat/completions"):
            self._chat(body)
        elif path.endswith("/responses"):
            self._responses(body)
        elif path.endswith("/messages"):
            self._messages(body)
        elif "generateContent" in path or "GenerateContent" in path:
            self._gemini(body, stream="stream" in path)
        else:
            self._json({"input_tokens": 1, "totalTokens": 1})

    def _chat(self, body: Json) -> None:
        names = [tool["function"]["name"] for tool in body.get("tools") or () if "function" in tool]
        texts = [(each["role"], _text(each.get("content"))) for each in body["messages"]]
        results = [text for role, text in texts if role == "tool" or text.startswith("Observation:")]
        call = self.model.decide(names, results)
        message: Json = {"role": "assistant", "content": None if call else "done"}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            message["tool_calls"] = [
                {"index": 0, "id": f"call_{call[0]}", "type": "function", "function": function}
            ]
        reason = "tool_calls" if call else "stop"
        common = {"id": "c1", "created": 1, "model": "fake", "usage": USAGE}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self._json({**common, "object": "chat.completion", "choices": [choice]})
        chunk = {**common, "object": "chat.completion.chunk"}
        first = {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
        return self._events([(None, first), (None, last), (None, "[DONE]")])

    def _responses(self, body: Json) -> None:
        items = body["input"] if isinstance(body["input"], list) else []
        spaces = _namespaces([*(body.get("tools") or ()), *(tool for each in items for tool in _tools(each))])
        kinds = ("function_call_output", "tool_search_output")
        results = [_text(each.get("output")) for each in items if each.get("type") in kinds]
        names = list(spaces)
        call = self.model.decide(names, results)
        item: Json = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
        item["content"] = [{"type": "output_text", "text": "done", "annotations": []}]
        if call:
            fields = {"call_id": "call_1", "name": call[0], "arguments": json.dumps(call[1])}
            item = {"type": "function_call", "id": "f1", "status": "completed", **fields}
            if spaces[call[0]]:
                item["namespace"] = spaces[call[0]]
        if call and call[0] == "tool_search":
            search = {"type": "tool_search_call", "execution": "client", "call_id": "call_0"}
            item = {**search, "id": "s1", "status": "completed", "arguments": call[1]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        details = {
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        answer = {"id": "r1", "object": "response", "created_at": 1, "model": "fake", "status": "completed"}
        answer |= {"output": [item], "usage": usage | details, "tools": [], "tool_choice": "auto"}
        answer |= {"parallel_tool_calls": False}
        if not body.get("stream"):
            return self._json(answer)
        begun = {**answer, "status": "in_progress", "output": []}
        events: list[tuple[str | None, Any]] = [
            ("response.created", {"response": begun}),
            ("response.output_item.added", {"output_index": 0, "item": item}),
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": answer}),
        ]
        return self._events(
            [(kind, {"type": kind, "sequence_number": n, **data}) for n, (kind, data) in enumerate(events)]
        )

    def _messages(self, body: Json) -> None:
        if self.path.partition("?")[0].endswith("count_tokens"):
            return self._json({"input_tokens": 1})
        blocks = [
            block
            for message in body["messages"]
            for block in (message["content"] if isinstance(message["content"], list) else ())
        ]
        results = [_text(block.get("content")) for block in blocks if block["type"] == "tool_result"]
        call = self.model.decide([tool["name"] for tool in body.get("tools") or ()], results)
        usage = {"input_tokens": 1, "output_tokens": 1}
        answer: Json = {"id": "m1", "type": "message", "role": "assistant", "model": "fake", "usage": usage}
        answer |= {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        block: Json = {"type": "text", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": f"toolu_{call[0]}", "name": call[0], "input": call[1]}
        if not body.get("stream"):
            return self._json({**answer, "content": [block]})
        started = {**block, "input": {}} if call else {**block, "text": ""}
        delta = {"type": "text_delta", "text": "done"}
        if call:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        end = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
        events: list[tuple[str | None, Any]] = [
            ("message_start", {"message": {**answer, "content": [], "stop_reason": None}}),
            ("content_block_start", {"index": 0, "content_block": started}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": end, "usage": usage}),
            ("message_stop", {}),
        ]
        return self._events([(kind, {"type": kind, **data}) for kind, data in events])

    def _gemini(self, body: Json, *, stream: bool) -> None:
        declared = [each for tool in body.get("tools") or () for each in tool.get("functionDeclarations", ())]
        parts = [part for content in body["contents"] for part in content.get("parts", ())]
        results = [
            json.dumps(part["functionResponse"]["response"], ensure_ascii=False)
            for part in parts
            if "functionResponse" in part
        ]
        call = self.model.decide([each["name"] for each in declared], results)
        part: Json = {"text": "done"}
        if call:
            part = {"functionCall": {"name": call[0], "args": call[1]}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        answer = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}
        if stream:
            return self._events([(None, answer)])
        return self._json(answer)

    def _json(self, value: Json) -> None:
        self._send("application/json", json.dumps(value).encode())

    def _events(self, events: list[tuple[str | None, Any]]) -> None:
        lines = []
        for kind, data in events:
            lines += [f"event: {kind}"] if kind else []
            lines += [f"data: {data if isinstance(data, str) else json.dumps(data)}", ""]
        self._send("text/event-stream", ("\n".join(lines) + "\n").encode())

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _namespaces(tools: list[Json]) -> dict[str, str | None]:
    """The namespace of each function, None for one outside; a tool without a name goes by its type."""
    return {
        inner.get("name") or inner["type"]: tool["name"] if "tools" in tool else None
        for tool in tools
        for inner in tool.get("tools") or [tool]
    }


def _tools(item: Json) -> list[Json]:
    """The tools that a search brought."""
    return item.get("tools", []) if item.get("type") == "tool_search_output" else []


def _text(content: Any) -> str:
    """The text of a content that is a text or a list of parts."""
    if isinstance(content, list):
        return "".join(_text(part) for part in content)
    if isinstance(content, dict):
        return str(content.get("text", ""))
    return str(content or "")
