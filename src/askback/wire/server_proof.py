"""The proof that a server is the one that wrote `server.json`, before a client of this user gives it a token.

Another program may have the port of a server that has stopped, also one of another user of the machine. The file has a
key that only the server and this user can read; the proof is for one port, so it cannot be passed on.
"""

from __future__ import annotations

import hmac

PATH = "/.well-known/askback-server/"
"""Followed by a nonce, 32 hexadecimal digits. The reply is `{"proof"}`."""


def prove(key: str, nonce: str, port: int) -> str:
    """Return the proof of the server at a port, as hexadecimal digits."""
    return hmac.digest(key.encode(), f"{nonce}:{port}".encode(), "sha256").hex()
