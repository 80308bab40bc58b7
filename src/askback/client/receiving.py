"""Verify a webhook message: that it is from the server, and recent."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from askback.domain.signature import matches, secret_key, sign
from askback.errors import BadSignature

TOLERANCE_S = 300
"""How far the time of a message may be from ours: an old one that was recorded is not taken again."""


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str, *, now: float | None = None
) -> dict[str, Any]:
    """Return the message of a webhook: `type`, `timestamp` and `data`. Raises `BadSignature` for any other body.

    `body` is what came, byte by byte, `headers` are those it came with, in any case of letters, and `secret` is what
    the server showed when the webhook was made (`whsec_…`). `now` is the time in seconds since the epoch, ours if it is
    not given. The same `webhook-id` may come again: act on it once.
    """
    key = secret_key(secret)
    if key is None:
        raise ValueError("The secret of a webhook is whsec_ and base64.")
    found = {name.lower(): value for name, value in headers.items()}
    message_id, stamp, signatures = (
        found.get(f"webhook-{part}") for part in ("id", "timestamp", "signature")
    )
    if not message_id or not stamp or not signatures:
        raise BadSignature("A header is missing: webhook-id, webhook-timestamp or webhook-signature.")
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= 12):
        raise BadSignature("webhook-timestamp is not a time.")
    sent = body.encode() if isinstance(body, str) else body
    if not matches(signatures, sign(key, message_id=message_id, timestamp=int(stamp), body=sent)):
        raise BadSignature("No signature fits this body and secret.")
    if abs((time.time() if now is None else now) - int(stamp)) > TOLERANCE_S:
        raise BadSignature("The message is more than five minutes old, or from the future.")
    return json.loads(sent)
