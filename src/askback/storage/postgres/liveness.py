"""TCP keepalive in both directions, so that each end of a connection notices soon when the other is gone.

A session that was cut off in the middle of a transaction keeps its locks. If the client had sent half of a statement,
Postgres considers the session active, and no idle time-out ends it. So both kernels probe the other end, and give up
before anybody stops waiting for a lock. Postgres 17 and later also limit whole transactions, for the case that a proxy
answers for an end that is gone.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import asyncpg

from askback.storage.sql.transaction import Sealing

if TYPE_CHECKING:
    _PlainConnection = asyncpg.Connection[asyncpg.Record]
else:
    _PlainConnection = asyncpg.Connection

_IDLE_S = 2
_INTERVAL_S = 1
_PROBES = 3
_DEAD_AFTER_MS = 1_000 * (_IDLE_S + _PROBES * _INTERVAL_S)

SERVER_KEEPALIVE = {
    "tcp_keepalives_idle": str(_IDLE_S),
    "tcp_keepalives_interval": str(_INTERVAL_S),
    "tcp_keepalives_count": str(_PROBES),
    "tcp_user_timeout": str(_DEAD_AFTER_MS),
}
"""Session settings: how the kernel of the server probes us. They have no effect on a Unix socket."""

_CLIENT_KEEPALIVE = {
    "TCP_KEEPIDLE": _IDLE_S,
    "TCP_KEEPINTVL": _INTERVAL_S,
    "TCP_KEEPCNT": _PROBES,
    "TCP_USER_TIMEOUT": _DEAD_AFTER_MS,
}
"""Socket options; not every system has all of them."""

TRANSACTION_TIMEOUT = """
SELECT set_config('transaction_timeout', '{}', FALSE) WHERE current_setting('transaction_timeout', TRUE) IS NOT NULL"""
"""Limits each transaction of a session, in milliseconds; 0 means no limit."""


class KeepaliveConnection(_PlainConnection):
    """A connection with TCP keepalive. `sealing` seals the audit entries that are written on it."""

    __slots__ = ("sealing",)

    sealing: Sealing

    def __init__(self, protocol: Any, transport: Any, *further_arguments: Any) -> None:
        super().__init__(protocol, transport, *further_arguments)
        enable_keepalive(transport.get_extra_info("socket"))


def enable_keepalive(line: socket.socket) -> None:
    """Enable keepalive on a TCP connection; other sockets stay as they are."""
    if line.family not in (socket.AF_INET, socket.AF_INET6):
        return
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _CLIENT_KEEPALIVE.items():
        if (option := getattr(socket, name, None)) is not None:
            line.setsockopt(socket.IPPROTO_TCP, option, value)
