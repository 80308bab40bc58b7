"""Changes of a stored message, as JSON text: more text, more parts, the progress of a tool call."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

MessageChange = Callable[[str], tuple[str, dict[str, Any]] | None]
"""Takes a message as JSON text; returns the changed message and the data of the event, or None without a change."""


class UnknownToolCall(Exception):
    """The message has no tool call with this id."""


def append_text(data: str, text: str) -> str:
    """Return a message with `text` at its end: in its last part if that is a text, else as a new part."""
    message: dict[str, Any] = json.loads(data)
    content: list[dict[str, Any]] = message.setdefault("content", [])
    if content and content[-1]["type"] == "text":
        content[-1]["text"] += text
    else:
        content.append({"type": "text", "text": text})
    return _dump(message)


def append_parts(parts: Sequence[dict[str, Any]]) -> MessageChange:
    """Return the change that adds parts at the end. A part that the message has already is left out.

    Tool calls and requests are the same by their ids, other parts only if they are equal and adjacent.
    """

    def change(data: str) -> tuple[str, dict[str, Any]] | None:
        message: dict[str, Any] = json.loads(data)
        content: list[dict[str, Any]] = message["content"]
        old_length = len(content)
        for part in parts:
            if not _has_part(content, part):
                content.append(part)
        return (_dump(message), {"content": content[old_length:]}) if len(content) > old_length else None

    return change


def update_tool_call(tool_call_id: str, members: dict[str, Any]) -> MessageChange:
    """Return the change that sets members of a tool call; it raises `UnknownToolCall`."""

    def change(data: str) -> tuple[str, dict[str, Any]] | None:
        message: dict[str, Any] = json.loads(data)
        for part in message["content"]:
            if part["type"] == "tool" and part["tool_call_id"] == tool_call_id:
                if {**part, **members} == part:
                    return None
                part.update(members)
                return _dump(message), {"tool_call": {"tool_call_id": tool_call_id, **members}}
        raise UnknownToolCall

    return change


_IDS = {"tool": "tool_call_id", "request": "request_id"}


def _has_part(content: Sequence[dict[str, Any]], part: dict[str, Any]) -> bool:
    name = _IDS.get(part["type"])
    if name is None:
        return bool(content) and content[-1] == part
    return any(item["type"] == part["type"] and item[name] == part[name] for item in content)


def _dump(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
