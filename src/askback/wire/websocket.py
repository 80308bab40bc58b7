"""The handshake and the close codes of `/v1/ws`; the sockets of `/compat` use the same codes."""

from __future__ import annotations

from enum import IntEnum

SUBPROTOCOL = "askback.v1"
TOKEN_PREFIX = "bearer."  # noqa: S105 - the prefix of a subprotocol, not a token
SESSION_PREFIX = "session."


class CloseCode(IntEnum):
    """Why the server closes a connection: registered codes, and two of askback for HTTP's 401 and 403."""

    PROTOCOL_ERROR = 1002
    TOO_LARGE = 1009
    INTERNAL_ERROR = 1011
    SERVER_RESTARTS = 1012
    TRY_LATER = 1013
    UNAUTHORIZED = 4401
    FORBIDDEN = 4403
