"""The HTTP API of the model on loopback, as far as the Claude CLI uses it: scripted replies, and a record of bodies.

A play is chosen by a word in the last prompt that has one, and its turn by the number of replies since then, so a
session that is resumed, or a request that is sent again, gets the right reply without any state here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any, Self

Block = dict[str, Any]
Blocks = Sequence[Block | str]
"""What the model says in one reply: texts and calls of tools."""

Turn = Blocks | Callable[[Mapping[str, Any]], Blocks]
"""The same, or a function of the body of the request."""

_numbers = count(1)


def call(tool: str, id_: str = "", **arguments: Any) -> Block:
    """A call of a tool; its id is made up where none is given."""
    return {"type": "tool_use", "id": id_ or f"toolu_{next(_numbers):024}", "name": tool, "input": arguments}


CUT: Block = {"type": "cut"}
"""The end of a streamed reply in the middle of the block before."""


def refusal(status: int, kind: str, **headers: str) -> Block:
    """An error of the API in place of a reply."""
    return {"type": "refusal", "status": status, "kind": kind, "headers": headers}


class FakeModel:
    """A server in a thread. `play` sets its replies; `received` has every request body, unchanged."""

    def __init__(self) -> None:
        self.received = list[str]()
        self._plays = dict[str, Sequence[Turn]]()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def play(self, word: str, *turns: Turn) -> None:
        """Reply with these turns, one after the other, to a prompt that has the word; then with `done`."""
        self._plays[word] = turns

    def reply(self, body: Mapping[str, Any]) -> list[Block]:
        """Return the blocks of the next reply."""
        turn_index, turns = 0, ()
        for message in reversed(body["messages"]):
            turn_index += message["role"] == "assistant"
            words = [word for word in self._plays if message["role"] == "user" and word in _text(message)]
            if words:
                turns = self._plays[max(words, key=len)]
                break
        if not body.get("tools") or turn_index >= len(turns):  # without tools it asks for a title
            return [{"type": "text", "text": "done"}]
        turn = turns[turn_index]
        blocks = turn(body) if callable(turn) else turn
        return [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]

    def results(self, word: str) -> dict[str, str]:
        """Return what the model last read of each call in the conversations that have the word, by the call's id."""
        result = dict[str, str]()
        for body in map(json.loads, self.received):
            messages = body.get("messages", [])
            if any(word in _text(message) for message in messages if message["role"] == "user"):
                result |= _results(body)
        return result


def last_result(body: Mapping[str, Any]) -> str:
    """Return the newest result of a call in the body of a request."""
    return list(_results(body).values())[-1]


def _results(body: Mapping[str, Any]) -> dict[str, str]:
    return {
        block["tool_use_id"]: _text(block)
        for message in body["messages"]
        for block in (message["content"] if isinstance(message["content"], list) else [])
        if block["type"] == "tool_result"
    }


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content", "")
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._reply(b"", "application/json")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            model.received.append(raw.decode())
            if not self.path.startswith("/v1/messages?") and self.path != "/v1/messages":
                return self._reply(b'{"input_tokens": 1}', "application/json")
            body = json.loads(raw)
            blocks = model.reply(body)
            if blocks and blocks[0]["type"] == "refusal":
                return self._refuse(blocks[0])
            message = _message(body["model"], blocks)
            if body.get("stream"):
                return self._reply("".join(_events(message)).encode(), "text/event-stream")
            return self._reply(json.dumps(message).encode(), "application/json")

        def _refuse(self, block: Block) -> None:
            error = {"type": block["kind"], "message": f"This is {block['kind']}."}
            body = json.dumps({"type": "error", "error": error}).encode()
            self._reply(body, "application/json", block["status"], block["headers"])

        def _reply(
            self, body: bytes, kind: str, status: int = 200, headers: Mapping[str, str] | None = None
        ) -> None:
            self.send_response(status)
            for name, text in (headers or {}).items():
                self.send_header(name.replace("_", "-"), text)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _message(model: str, blocks: Sequence[Block]) -> dict[str, Any]:
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    return {
        "id": f"msg_{next(_numbers):024}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _events(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the server-sent events of a streamed reply."""
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block is CUT:
            return
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            text = json.dumps(block["input"])
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": text}
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        if message["content"][index + 1 : index + 2] != [CUT]:
            yield _event("content_block_stop", index=index)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": 1})
    yield _event("message_stop")


def _event(kind: str, **data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
