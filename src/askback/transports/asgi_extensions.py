"""The extensions of the scopes of connections by `askback serve`, for features that ASGI does not have.

WebSockets have `askback.socket` (`server/websocket_protocol.py`), responses have `askback.stream`
(`server/http_protocol.py`), and both have `askback.keep`. Other servers work too: everything is sent by a task, texts
are sent one by one, and written texts count as arrived.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from askback.domain.values import frozen

SOCKET = "askback.socket"
STREAM = "askback.stream"
KEEP = "askback.keep"

SendNow = Callable[[bytes], bool]
"""Sends a part of a body without waiting; False, without sending, if it would have to wait or the peer has gone."""

Keep = Callable[[], None]
"""Keeps the connection open when there are too many, because its caller has a valid credential."""

Confirm = Callable[[Callable[[], None]], None]
"""Calls back when everything sent before has arrived, or never."""


@frozen(slots=True)
class Socket:
    """The features of the server for one accepted connection."""

    confirm: Confirm
    send_texts: Callable[[Sequence[str]], Awaitable[None]]
    """Sends texts, in order, as `websocket.send` would one after the other; raises when the peer has gone."""
    send_now: Callable[[str], bool]
    """Sends a text without waiting; False, without sending, if it would have to wait or the peer has gone."""


def socket_of(scope: Mapping[str, Any]) -> Socket | None:
    """Return the features that the server of this connection offers."""
    return scope.get("extensions", {}).get(SOCKET)


def stream_of(scope: Mapping[str, Any]) -> SendNow | None:
    """Return how the server of this response sends a part of its body without waiting, if it can."""
    return scope.get("extensions", {}).get(STREAM)


def keep_open(scope: Mapping[str, Any]) -> None:
    """Keep the connection open when there are too many, if its server closes connections then."""
    keep: Keep | None = scope.get("extensions", {}).get(KEEP)
    if keep is not None:
        keep()
