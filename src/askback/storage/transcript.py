"""How a streamed text joins the message that it extends."""

from __future__ import annotations

import json
from typing import Any


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
