"""The extension `askback.socket` in the scopes of WebSockets, for features that ASGI does not have.

`askback serve` has it (`server/websocket_protocol.py`). Other servers work too: texts are sent one by one,
and written texts count as arrived.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from askback.domain.values import frozen

EXTENSION = "askback.socket"

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
    return scope.get("extensions", {}).get(EXTENSION)
