"""A thread as Nebo stores a chat: each message with its `contentBlocks`, at any moment."""

from __future__ import annotations

import json

from askback.compat.nebo.frames import public_id, response
from askback.compat.nebo.widgets import write_ask
from askback.ports.systems import Answer, Call, Json


async def read_chat(call: Call) -> Answer:
    """Return a chat; an ask that belongs to no message is a message of its own."""
    thread = await call.api.call("get_thread", thread_id=call.path["id"])
    messages = {each["id"]: each for each in thread["messages"]}
    placed = {part.get("request_id") for each in messages.values() for part in each["content"]}
    asks: dict[str, Json] = {}
    for request in thread["requests"]:
        own = request["id"]
        if (ask := write_ask(request)) is None:
            continue
        asks[own] = {"type": "ask", "askRequestId": await public_id(call.api, request)}
        asks[own] |= {"askPrompt": ask["prompt"], "askWidgets": ask["widgets"]}
        if request["status"] == "answered":
            asks[own]["askResponse"] = response(request)[1]["value"]
        if own not in placed:
            alone: Json = {"id": own, "seq": request["seq"], "role": "agent", "content": []}
            home = messages.get(request.get("message_id")) or messages.setdefault(own, alone)
            home["content"].append({"type": "request", "request_id": own})
    rows = sorted(messages.values(), key=lambda each: each["seq"])
    chat = {"id": thread["id"], "title": thread.get("title") or "New Chat"}
    return Answer({"chat": chat, "messages": [_message(each, asks) for each in rows]})


def _message(message: Json, asks: dict[str, Json]) -> Json:
    content: list[Json] = message["content"]
    parts = [asks.get(part.get("request_id", ""), part) for part in content]
    blocks = [part for part in parts if part["type"] in {"text", "ask"}]
    return {
        "id": message["id"],
        "role": "user" if message["role"] == "user" else "assistant",
        "content": "".join(part.get("text", "") for part in blocks),
        "metadata": json.dumps({"contentBlocks": blocks}, ensure_ascii=False),
    }
