"""Signatures of webhooks, as Standard Webhooks has them: HMAC-SHA256 over the id, the time and the body.

https://www.standardwebhooks.com: the secret is `whsec_` and base64, the header `webhook-signature` holds one or several
signatures with blanks between, each with its version before it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

PREFIX = "whsec_"
VERSION = "v1"


def secret_text(key: bytes) -> str:
    """Write a key as its receiver gets it."""
    return PREFIX + base64.b64encode(key).decode()


def secret_key(text: str) -> bytes | None:
    """Return the key that a secret stands for, with or without the prefix; None when it is none."""
    try:
        return base64.b64decode(text.removeprefix(PREFIX), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def sign(key: bytes, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return a signature for the header; `timestamp` is in seconds since the epoch."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return f"{VERSION},{base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()}"


def matches(header: str, expected: str) -> bool:
    """Whether one of the signatures in a header is the expected one, in the same time whichever it is."""
    found = [hmac.compare_digest(each.encode(), expected.encode()) for each in header.split(" ")]
    return any(found)
