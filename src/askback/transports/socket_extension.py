"""What a server may do better than ASGI can say: the extension `askback.socket` in the scopes of WebSockets.

`askback serve` has it (`server/websocket_protocol.py`). With other servers everything works as well: texts go out one
by one, and what was written counts as arrived.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

EXTENSION = "askback.socket"

Confirm = Callable[[Callable[[], None]], None]
"""Calls back when all that was sent before has arrived, or never."""


@dataclass(frozen=True, slots=True)
class Socket:
    """What the server can do for one connection that was accepted."""

    confirm: Confirm
    send_texts: Callable[[Sequence[str]], Awaitable[None]]
    """Sends texts, in order, as `websocket.send` would one after the other; raises when the peer has gone."""
    send_now: Callable[[Sequence[str]], bool]
    """Sends texts without waiting; False, and nothing sent, when it would have to wait or the peer has gone."""


def socket_of(scope: Mapping[str, Any]) -> Socket | None:
    """Return what the server of this connection offers."""
    return scope.get("extensions", {}).get(EXTENSION)
