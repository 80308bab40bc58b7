"""Answer requests on standard input that the `mcp` package must not see.

It drops those with arguments that are nested more than about 200 levels deep, and the client would wait for a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, Awaitable, Callable
from contextlib import suppress
from typing import Any

from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    RequestId,
)
from pydantic import ValidationError

UNREADABLE = (
    "The call cannot be read: it is not JSON, or its arguments are nested too deeply. Nobody was asked. "
    "Call the tool again with valid JSON that is nested less deeply."
)
EARLIER = "Method not found: this server speaks 2025-11-25. Begin with initialize."
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_VALUE = re.compile(r'\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)')


async def forward_readable(
    incoming: AsyncIterable[SessionMessage | Exception],
    reply: Callable[[SessionMessage], Awaitable[None]],
    readable: ObjectSendStream[SessionMessage | Exception],
    closes_dialogs: bool,
) -> None:
    """Forward messages until the client ends, and answer each unreadable request with an error.

    With `closes_dialogs` this is a server of 2025-11-25: it does not know `server/discover`, nor requests that name a
    later version.
    """

    async def refuse(id_: RequestId, code: int, message: str) -> None:
        error = ErrorData(code=code, message=message)
        await reply(SessionMessage(JSONRPCError(jsonrpc="2.0", id=id_, error=error)))

    async with readable:
        async for item in incoming:
            if isinstance(item, SessionMessage):
                message = item.message
                if closes_dialogs and isinstance(message, JSONRPCRequest) and _is_later(message):
                    await refuse(message.id, METHOD_NOT_FOUND, EARLIER)
                else:
                    await readable.send(item)
            elif isinstance(item, ValidationError) and (id_ := _request_id(item)) is not None:
                await refuse(id_, INVALID_REQUEST, UNREADABLE)


def _is_later(message: JSONRPCRequest) -> bool:
    """Return whether a request is of a version after 2025-11-25, in which each request names its version."""
    meta: Any = (message.params or {}).get("_meta")
    names_version = isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta
    return message.method == "server/discover" or names_version


def _request_id(error: ValidationError) -> RequestId | None:
    """Return the id of the request that could not be read; None for a notification or a reply."""
    text = error.errors(include_url=False)[0]["input"]
    members = _members(text) if isinstance(text, str) else {}
    return members.get("id") if "method" in members else None


def _members(text: str) -> dict[str, RequestId]:
    """Return the strings and whole numbers of the outermost object, which need not be readable as a whole."""
    depth, members = 0, dict[str, RequestId]()
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif depth == 1 and (value := _VALUE.match(text, token.end())):
            with suppress(ValueError):  # an invalid escape, or too many digits
                members[json.loads(token[0])] = json.loads(value[1])
    return members
