"""A sealed secret as text: `ab1.<key id>.<wrapped data key>.<box>`, the last two in base64url without padding.

There is exactly one text for each content. Whatever differs from it (padding, another alphabet, bits that base64 has
to spare, blanks) is not read: two spellings of one secret would make a change to a row look like none.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

FORMAT = "ab1"
"""The version of the text and of how the box is made; a change to either gets a new one."""

NONCE_BYTES = 12
COMMITMENT_BYTES = 32
TAG_BYTES = 16
MOST_WRAPPED_BYTES = 2_048
_HEAD = COMMITMENT_BYTES + NONCE_BYTES

KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Box:
    """An encrypted value. `commitment` is what the data key has to be known by before the rest is looked at."""

    commitment: bytes
    nonce: bytes
    ciphertext: bytes
    """With its tag of 16 bytes at the end."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a sealed text says."""

    key_id: str
    wrapped: bytes
    box: Box


def write(sealed: Sealed) -> str:
    """Return the text. Raises `ValueError` for a key id or a wrapped key that `read` would not take back."""
    if not KEY_ID.fullmatch(sealed.key_id) or not 0 < len(sealed.wrapped) <= MOST_WRAPPED_BYTES:
        raise ValueError(
            f"A key id has 1 to 64 letters, digits, _ or -, a wrapped key 1 to {MOST_WRAPPED_BYTES:,} bytes."
        )
    box = sealed.box
    return ".".join(
        (FORMAT, sealed.key_id, encode(sealed.wrapped), encode(box.commitment + box.nonce + box.ciphertext))
    )


def read(text: str) -> Sealed | None:
    """Return what a text says, None when it is not one that `write` returns."""
    parts = text.split(".")
    if len(parts) != 4 or parts[0] != FORMAT or not KEY_ID.fullmatch(parts[1]):
        return None
    wrapped, box = decode(parts[2]), decode(parts[3])
    if not wrapped or len(wrapped) > MOST_WRAPPED_BYTES or box is None or len(box) < _HEAD + TAG_BYTES:
        return None
    return Sealed(parts[1], wrapped, Box(box[:COMMITMENT_BYTES], box[COMMITMENT_BYTES:_HEAD], box[_HEAD:]))


def encode(data: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes | None:
    """Return what `encode` made this text of, None for any other text."""
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return data if encode(data) == text else None
