"""How soon either end of a connection sees that the other is gone: a network that is cut says nothing.

What such an end leaves behind is not harmless. A session that was in the middle of a transaction keeps its locks, and
where a client has sent half of a statement Postgres calls that active and no idle time-out ends it. So both kernels
are asked to look for each other, for less than anybody waits for a lock; and where Postgres can (17 and later) it
bounds whole transactions, in case that something in between answers for an end that is gone.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import asyncpg

from askback.storage.sealing import Sealing

if TYPE_CHECKING:
    _Plain = asyncpg.Connection[asyncpg.Record]
else:
    _Plain = asyncpg.Connection

_LOOKED_FOR_S = 2
_AGAIN_S = 1
_TIMES = 3
_GONE_MS = 1_000 * (_LOOKED_FOR_S + _TIMES * _AGAIN_S)

THERE = {
    "tcp_keepalives_idle": str(_LOOKED_FOR_S),
    "tcp_keepalives_interval": str(_AGAIN_S),
    "tcp_keepalives_count": str(_TIMES),
    "tcp_user_timeout": str(_GONE_MS),
}
"""Settings of a session: how its kernel looks for us. On a socket of the file system they mean nothing."""

_HERE = {
    "TCP_KEEPIDLE": _LOOKED_FOR_S,
    "TCP_KEEPINTVL": _AGAIN_S,
    "TCP_KEEPCNT": _TIMES,
    "TCP_USER_TIMEOUT": _GONE_MS,
}
"""Options of a socket, of which not every system has all."""

BOUND = """
SELECT set_config('transaction_timeout', '{}', FALSE) WHERE current_setting('transaction_timeout', TRUE) IS NOT NULL"""
"""Bounds each transaction of a session, in milliseconds; 0 for not at all."""


class LookedAfter(_Plain):
    """A connection whose kernel looks for the other end. `sealing` seals the audit log that is written on it."""

    __slots__ = ("sealing",)

    sealing: Sealing

    def __init__(self, protocol: Any, transport: Any, *rest: Any) -> None:
        super().__init__(protocol, transport, *rest)
        look_after(transport.get_extra_info("socket"))


def look_after(line: socket.socket) -> None:
    """Have the kernel look for the other end of a TCP connection."""
    if line.family not in (socket.AF_INET, socket.AF_INET6):
        return
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _HERE.items():
        if (option := getattr(socket, name, None)) is not None:
            line.setsockopt(socket.IPPROTO_TCP, option, value)
