"""A sealed secret as text: `ab1.<key id>.<wrapped data key>.<box>`, the last two in base64url without padding.

There is exactly one text for each content. Any other spelling (padding, another alphabet, spare bits of
base64, blanks) is refused, so that no changed row looks unchanged.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from askback.domain.values import frozen

FORMAT = "ab1"
"""The version of the text and of the box; a change to either needs a new one."""

NONCE_BYTES = 12
COMMITMENT_BYTES = 32
TAG_BYTES = 16
MAX_WRAPPED_BYTES = 2_048
_HEADER_BYTES = COMMITMENT_BYTES + NONCE_BYTES

KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@frozen(slots=True)
class Box:
    """An encrypted value. `commitment` identifies the data key, and is checked before the rest is used."""

    commitment: bytes
    nonce: bytes
    ciphertext: bytes
    """Ends with its tag of 16 bytes."""


@frozen(slots=True)
class SealedText:
    """The parts of a sealed text."""

    key_id: str
    wrapped_key: bytes
    box: Box


def write(sealed: SealedText) -> str:
    """Return the text. Raises `ValueError` for a key id or a wrapped key that `read` would refuse."""
    if not KEY_ID.fullmatch(sealed.key_id) or not 0 < len(sealed.wrapped_key) <= MAX_WRAPPED_BYTES:
        raise ValueError(
            f"A key id has 1 to 64 letters, digits, _ or -, a wrapped key 1 to {MAX_WRAPPED_BYTES:,} bytes."
        )
    box = sealed.box
    return ".".join(
        (
            FORMAT,
            sealed.key_id,
            encode(sealed.wrapped_key),
            encode(box.commitment + box.nonce + box.ciphertext),
        )
    )


def read(text: str) -> SealedText | None:
    """Parse a text; None unless `write` could have returned it."""
    parts = text.split(".")
    if len(parts) != 4 or parts[0] != FORMAT or not KEY_ID.fullmatch(parts[1]):
        return None
    wrapped_key, box = decode(parts[2]), decode(parts[3])
    if (
        not wrapped_key
        or len(wrapped_key) > MAX_WRAPPED_BYTES
        or box is None
        or len(box) < _HEADER_BYTES + TAG_BYTES
    ):
        return None
    return SealedText(
        parts[1],
        wrapped_key,
        Box(box[:COMMITMENT_BYTES], box[COMMITMENT_BYTES:_HEADER_BYTES], box[_HEADER_BYTES:]),
    )


def encode(data: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes | None:
    """Decode the result of `encode`; None for any other text."""
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return data if encode(data) == text else None
