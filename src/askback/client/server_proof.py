"""Check that the server of `server.json` answers at its address, and not another program."""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from askback.wire.server_proof import PATH, prove

CONNECT_S = 2.0
_MAX_REPLY = 8192


def is_running(recorded: Mapping[str, str]) -> bool:
    """Return whether the server that wrote these entries of `server.json` answers; blocks for some seconds at most.

    A server of an older version has no key. There, something has to accept connections.
    """
    parts = urlsplit(recorded.get("url", ""))
    if not parts.hostname:
        return False
    address = (parts.hostname, parts.port or (443 if parts.scheme == "https" else 80))
    key, nonce, end = recorded.get("key"), secrets.token_hex(16), time.monotonic() + CONNECT_S
    try:
        with socket.create_connection(address, CONNECT_S) as connection:
            if not key:
                return True
            head = f"GET {PATH}{nonce} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
            connection.sendall(head.encode())
            reply = b""
            while len(reply) < _MAX_REPLY and (left_s := end - time.monotonic()) > 0:
                connection.settimeout(left_s)
                if not (part := connection.recv(_MAX_REPLY)):
                    break
                reply += part
    except OSError:
        return False
    return prove(key, nonce, address[1]).encode() in reply
