"""Read a conversation: its last prompt, the agent's open tool calls, and the messages for a model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

Json = dict[str, Any]

CONTINUE_PROMPT = "You were stopped in the middle of this message. Go on where it ends."
NOTE = {"askback_chat": "note"}
"""The metadata of a message in which the chat itself tells the person something: the model does not read it."""
_NO_RESULT = "The result is not known: the agent was stopped."


def messages(thread: Mapping[str, Any]) -> Sequence[Json]:
    """Return the messages in their order, without notes and those that are held or repeat the answer to a request."""
    delivered = [
        message
        for message in thread["messages"]
        if not message.get("held") and "request_id" not in message and message.get("metadata") != NOTE
    ]
    return sorted(delivered, key=lambda item: item["seq"])


def prompts(thread: Mapping[str, Any]) -> list[Json]:
    """Return the messages of people."""
    return [message for message in messages(thread) if message["role"] == "user"]


def last_prompt(thread: Mapping[str, Any]) -> Json | None:
    """Return the last message of a person."""
    return next(reversed(prompts(thread)), None)


def open_calls(thread: Mapping[str, Any]) -> Iterator[tuple[Json, Json]]:
    """Yield the tool calls without a result, each after its message."""
    for message in messages(thread):
        for part in message["content"]:
            if part["type"] == "tool" and part.get("status") not in ("done", "failed"):
                yield message, part


def request_of(thread: Mapping[str, Any], call_id: str) -> Json | None:
    """Return the last request of a tool call."""
    return next((item for item in reversed(thread["requests"]) if item.get("tool_call_id") == call_id), None)


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message."""
    return "\n".join(part["text"] for part in message["content"] if part["type"] == "text")


def model_messages(thread: Mapping[str, Any]) -> list[Json]:
    """Return the conversation as messages of the chat completions API."""
    items = list[Json]()
    for message in messages(thread):
        if message["role"] == "user":
            items.append({"role": "user", "content": text_of(message)})
        else:
            items += _replies(message["content"])
    if items and items[-1]["role"] == "assistant":
        items.append({"role": "user", "content": CONTINUE_PROMPT})
    return items


def transcript(thread: Mapping[str, Any], *, since: Mapping[str, Any] | None = None) -> str:
    """Return the conversation as one text, from its beginning or a message."""
    first_seq = 0 if since is None else since["seq"]
    return "\n\n".join(
        f"{message['role']}: {text_of(message)}"
        for message in messages(thread)
        if message["seq"] >= first_seq
    )


def _replies(content: Sequence[Json]) -> Iterator[Json]:
    """Yield the replies of a model in a message: texts, each with the tool calls that follow it."""
    text = ""
    for is_call, parts in groupby(content, key=lambda part: part["type"] == "tool"):
        if not is_call:
            text = text_of({"content": list(parts)})
            continue
        calls = list(parts)
        yield {"role": "assistant", "content": text, "tool_calls": [_call(part) for part in calls]}
        yield from (_result(part) for part in calls)
        text = ""
    if text:
        yield {"role": "assistant", "content": text}


def _call(part: Mapping[str, Any]) -> Json:
    arguments = json.dumps(part.get("input") or {}, ensure_ascii=False)
    return {
        "id": part["tool_call_id"],
        "type": "function",
        "function": {"name": part["name"], "arguments": arguments},
    }


def _result(part: Mapping[str, Any]) -> Json:
    return {
        "role": "tool",
        "tool_call_id": part["tool_call_id"],
        "content": part.get("result") or _NO_RESULT,
    }
