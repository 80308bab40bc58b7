"""What becomes of the text of a message: what was streamed joins it, and what was held is let go."""

from __future__ import annotations

import json
from typing import Any


def delivered(data: str) -> str:
    """Return the JSON of a message that is held as it is once it is delivered."""
    message: dict[str, Any] = json.loads(data)
    message.pop("held", None)
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def extend(data: str, text: str) -> str:
    """Return a message's JSON with `text` appended to its last text block, or as a new one if it has none."""
    message: dict[str, Any] = json.loads(data)
    content: list[dict[str, Any]] = message.setdefault("content", [])
    for block in reversed(content):
        if block["type"] == "text":
            block["text"] += text
            break
    else:
        content.append({"type": "text", "text": text})
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
