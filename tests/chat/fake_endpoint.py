"""A fake of the chat completions API on loopback: scripted replies, streamed in pieces, and a record of bodies.

A reply is chosen by the prompt and by the number of replies since then, so it is the same for a chat that goes on in
another process.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import Any, Self

Json = dict[str, Any]

STOP = "…"
"""A piece of a reply after which the endpoint says nothing more until `go_on`."""


def call(tool: str, **arguments: Any) -> Json:
    """A tool call."""
    return {"name": tool, "arguments": json.dumps(arguments)}


def fault(message: str) -> Json:
    """An error in the middle of a reply."""
    return {"error": {"message": message}}


def refusal(status: int, text: str) -> Json:
    """An HTTP error in place of a reply; `{authorization}` in its text is the header of the request."""
    return {"status": status, "text": text}


def raw(data: str) -> Json:
    """Data of the stream as it is, which may be rubbish."""
    return {"raw": data}


CUT: Json = {"cut": True}
"""The end of a reply in the middle of its stream."""


class FakeEndpoint:
    """A server in a thread. `play` sets its replies; `received` has the body of each request."""

    def __init__(self) -> None:
        self.received = list[Json]()
        self.keys = list[str | None]()
        self._plays = dict[str, Sequence[Sequence[str | Json]]]()
        self._going_on = threading.Semaphore(0)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._going_on.release()
        self._server.shutdown()
        self._server.server_close()

    def play(self, prompt: str, *replies: Sequence[str | Json]) -> None:
        """Reply with these, one after the other, to a prompt; each has pieces of text, tool calls, and a `fault`."""
        self._plays[prompt] = replies

    def go_on(self) -> None:
        """Set the pieces after the next `STOP`."""
        self._going_on.release()

    def results(self) -> list[str]:
        """Return the results of tools that the last request has."""
        return [message["content"] for message in self.received[-1]["messages"] if message["role"] == "tool"]

    def pieces(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[Json]:
        """Yield the deltas of the next reply, and errors."""
        prompts = [index for index, message in enumerate(messages) if message["content"] in self._plays]
        replies = self._plays[messages[prompts[-1]]["content"]]
        reply_count = sum(message["role"] == "assistant" for message in messages[prompts[-1] :])
        calls = 0
        for piece in replies[reply_count]:
            if piece == STOP:
                self._going_on.acquire()
            elif isinstance(piece, str):
                yield {"content": piece}
            elif piece is CUT or not piece.keys().isdisjoint({"error", "raw", "status"}):
                yield piece
            else:
                middle = len(piece["arguments"]) // 2
                yield _call(calls, name=piece["name"], arguments=piece["arguments"][:middle])
                yield _call(calls, arguments=piece["arguments"][middle:])
                calls += 1


def _call(index: int, **function: str) -> Json:
    return {"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function", "function": function}]}


def _handler(endpoint: FakeEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.received.append(body)
            endpoint.keys.append(self.headers.get("Authorization"))
            pieces = endpoint.pieces(body["messages"])
            first = next(pieces, {})
            self.send_response(first.get("status", 200))
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            if "status" in first:
                header = str(self.headers.get("Authorization"))
                self.wfile.write(first["text"].replace("{authorization}", header).encode())
                return
            with suppress(ConnectionError):  # a chat that was stopped no longer reads
                for delta in chain([first] if first else [], pieces):
                    if delta is CUT:
                        return
                    event = delta if "error" in delta else {"choices": [{"index": 0, "delta": delta}]}
                    self._send(delta.get("raw") or json.dumps(event))
                self._send("[DONE]")

        def _send(self, data: str) -> None:
            self.wfile.write(f"data: {data}\n\n".encode())
            self.wfile.flush()

    return Handler
